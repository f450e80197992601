import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.base.atomic_files import write_json, write_text, write_yaml
from supcon.base.errors import RequestError, WorkError
from supcon.runs import Run, create_run, locked, open_complete_run, open_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = create_run(tmp_path / "photos-supcon")
    write_yaml(run.recipe_file, {"recipe": "folder", "seed": 3})
    return run


def test_the_files_have_their_contracted_names(tmp_path: Path) -> None:
    run = Run(tmp_path)
    files = [run.recipe_file, run.environment_file, run.evaluation_file, run.model_file, run.model_card_file]
    files += [run.report_file, run.report_text_file, run.stage(1), run.stage(2)]
    assert [file.relative_to(tmp_path).as_posix() for file in files] == [
        *("recipe.yaml", "environment.json", "evaluation.json", "model.safetensors", "model.json"),
        *("report.html", "report.md", "stage1", "stage2"),
    ]


def test_a_run_is_called_as_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    assert Run(Path(".")).name == Run(tmp_path / "mine").name == "mine"


# Making and opening


def test_a_new_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    assert create_run(tmp_path / "a" / "b" / "c").path.is_dir()


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    assert create_run(tmp_path).path == tmp_path


def test_an_existing_run_is_never_touched(run: Run) -> None:
    with pytest.raises(RequestError) as caught:
        create_run(run.path)
    assert str(caught.value) == (
        f"{run.path} already exists; continue that run with --resume, or choose another folder with --out."
    )
    assert run.recipe == {"recipe": "folder", "seed": 3}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("mine")
    with pytest.raises(RequestError, match=rf"^{path} is a file; choose a folder for the run with --out\.$"):
        create_run(path)
    with pytest.raises(RequestError, match=rf"^{path}/b cannot be created: Not a directory; choose another folder"):
        create_run(path / "b")
    assert path.read_text() == "mine"


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(
        RequestError,
        match=r"cannot be created: File name too long; choose another folder with "
        r"--out\.$",
    ):
        create_run(tmp_path / ("a" * 300) / "b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(WorkError, match="could not be written: Permission denied"):
        create_run(tmp_path / "a")


def refusal(open_it: Callable[[Path], object], path: Path) -> str:
    with pytest.raises(RequestError) as caught:
        open_it(path)
    return str(caught.value)


def test_a_folder_that_is_no_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    no_run = "is not a run, it has no recipe.yaml"
    empty, notes = tmp_path / "empty", tmp_path / "notes"
    assert refusal(open_run, empty) == f"{empty} {no_run}; `supcon train --out {empty}` creates one."
    assert refusal(open_run, notes) == f"{notes} {no_run}; give the folder of a run."
    assert refusal(open_run, tmp_path) == f"{tmp_path} {no_run}; give a run inside it, such as {run.path}."
    file = notes / "a.txt"
    assert refusal(open_run, file) == f"{file} is a file; give the folder of a run."


def test_a_folder_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    mistyped, nowhere = tmp_path / "photo-supcon", tmp_path / "nowhere"
    assert refusal(open_run, mistyped) == f"There is no folder {mistyped}; did you mean {run.path}?"
    advice = f"`supcon train --out {nowhere}` creates a run there."
    assert refusal(open_run, nowhere) == f"There is no folder {nowhere}; {advice}"


def test_a_folder_of_other_things_is_not_said_to_be_a_run(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine")
    said = refusal(create_run, tmp_path)
    assert said == f"{tmp_path} is not empty and is not a run; choose another folder with --out."


def test_an_unfinished_run_opens_but_is_not_complete(run: Run) -> None:
    assert open_run(run.path) == run
    assert not run.complete
    with pytest.raises(RequestError) as caught:
        open_complete_run(run.path)
    assert str(caught.value) == (
        f"The run {run.path} is not finished; continue it with `supcon train --resume --out {run.path}`."
    )


def test_a_run_with_its_evaluation_is_complete(run: Run) -> None:
    write_json(run.evaluation_file, {"test/top1": 0.5})
    assert open_complete_run(run.path).measures == {"test/top1": 0.5}


# Reading


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("recipe.yaml", b"a: [1,", "while parsing"),
        ("recipe.yaml", b"", "it has no named values"),
        ("recipe.yaml", b"broken", "it has no named values"),
        ("recipe.yaml", b"!!python/object/apply:os.system ['touch pwned']", "could not determine a constructor"),
        ("evaluation.json", b'{"test/top1": 0.', "Expecting"),
        ("evaluation.json", b"", "Expecting value"),
        ("evaluation.json", b"3", "it has no named values"),
        ("evaluation.json", b'{"a": "\xff"}', "byte 7 is not UTF-8"),
    ],
)
def test_a_damaged_file_is_named(run: Run, name: str, content: bytes, reason: str) -> None:
    (run.path / name).write_bytes(content)
    with pytest.raises(RequestError) as caught:
        _ = run.recipe if name == "recipe.yaml" else run.measures
    assert str(caught.value).startswith(f"{run.path / name} is damaged (")
    assert reason in str(caught.value)
    assert str(caught.value).endswith("); run the training again.")
    assert "\n" not in str(caught.value)
    assert not Path("pwned").exists()


def test_a_missing_file_is_named(run: Run) -> None:
    with pytest.raises(RequestError, match=rf"^{run.environment_file} is missing; run the training again\.$"):
        run.read_json(run.environment_file)


def test_odd_names_come_back_whatever_the_locale(run: Run) -> None:
    write_json(run.model_card_file, {"class_names": ["É t'é", "漢字", '<b>"x"</b>']})
    program = (
        "import sys; from pathlib import Path; from supcon.runs import Run; "
        "run = Run(Path(sys.argv[1])); print(ascii(run.read_json(run.model_card_file)))"
    )
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(run.path)], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == ascii({"class_names": ["É t'é", "漢字", '<b>"x"</b>']})


def test_curves_are_pairs_of_epoch_and_value(run: Run) -> None:
    run.stage(1).mkdir()
    write_text(run.stage(1) / "metrics.csv", "epoch,knn,train/loss\n1,,2.5\n2,0.75,2.0\n")
    assert run.curves(1) == {"train/loss": [(1, 2.5), (2, 2.0)], "knn": [(2, 0.75)]}
    assert run.curves(2) == {}


# The lock

_WORKER = """
import sys
from collections.abc import Callable
from pathlib import Path
from supcon.base.errors import RequestError
from supcon.runs import Run, locked
try:
    with locked(Run(Path(sys.argv[1]))):
        print("working", flush=True)
        sys.stdin.readline()
except RequestError as error:
    print(error)
"""


def start(run: Run) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", _WORKER, str(run.path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def lock_refusal(run: Run) -> str:
    return f"Another process is working on {run.path}; wait for it or choose another --out."


def test_a_second_process_is_kept_out_until_the_first_is_gone(run: Run) -> None:
    with start(run) as first:
        assert first.stdout is not None
        assert first.stdin is not None
        assert first.stdout.readline() == "working\n"
        with pytest.raises(RequestError) as caught, locked(run):
            pass
        assert str(caught.value) == lock_refusal(run)
        first.kill()
        first.wait()
        with locked(run), start(run) as second:
            assert second.communicate()[0] == lock_refusal(run) + "\n"


def test_the_lock_goes_with_an_error(run: Run) -> None:
    with pytest.raises(KeyError), locked(run):
        raise KeyError("x")
    with locked(run):
        pass


def test_a_blocked_write_inside_is_not_taken_for_the_lock(run: Run) -> None:
    with pytest.raises(BlockingIOError), locked(run):
        raise BlockingIOError("from the work itself")


def test_the_lock_leaves_nothing_in_the_folder(run: Run) -> None:
    with locked(run):
        assert os.listdir(run.path) == ["recipe.yaml"]


@pytest.mark.parametrize(
    "left", [["environment.json"], ["environment.json", "splits.csv"], [".recipe.yaml.here-7.partial"]]
)
def test_what_was_only_begun_is_begun_again(tmp_path: Path, left: list[str]) -> None:
    for name in left:
        (tmp_path / name).touch()
    assert create_run(tmp_path) == Run(tmp_path)


@pytest.mark.parametrize(
    "left", [["splits.csv"], ["environment.json", "mine.txt"], ["environment.json", "recipe.yaml"]]
)
def test_a_folder_with_anything_else_is_never_begun_again(tmp_path: Path, left: list[str]) -> None:
    for name in left:
        (tmp_path / name).touch()
    with pytest.raises(RequestError, match=r"already exists|is not empty and is not a run"):
        create_run(tmp_path)
