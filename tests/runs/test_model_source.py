import subprocess
import sys
from pathlib import Path

import pytest

from supcon.base.atomic_files import write_json, write_yaml
from supcon.base.errors import RequestError
from supcon.runs import Run, create_run, model_path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = create_run(tmp_path / "photos-supcon")
    write_yaml(run.recipe_file, {"recipe": "folder"})
    write_json(run.evaluation_file, {"test/top1": 0.5})
    return run


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(source: str | Path) -> str:
    with pytest.raises(RequestError) as caught:
        model_path(source)
    return str(caught.value)


def test_a_finished_run(run: Run) -> None:
    assert model_path(run.path) == run.path
    assert model_path("photos-supcon") == Path("photos-supcon")


@pytest.mark.parametrize("source", ["", "x" * 300, Path("x" * 300), "a\0b", "~nobody-of-that-name/y"])
def test_what_is_no_path_is_refused(source: str | Path) -> None:
    """An empty one would be the current folder."""
    assert refusal(source).startswith("The model ")


def test_an_exported_folder_has_no_recipe(tmp_path: Path) -> None:
    (tmp_path / "exported").mkdir()
    write_json(tmp_path / "exported" / "model.json", {})
    assert model_path(tmp_path / "exported") == tmp_path / "exported"


def test_a_file_of_weights(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert model_path(tmp_path / "model.safetensors") == tmp_path / "model.safetensors"


@pytest.mark.parametrize("name", ["someone/birds", "some-one/birds_2.1"])
def test_a_name_on_the_hub(name: str) -> None:
    assert model_path(name) is None


def test_a_run_that_is_not_finished(run: Run) -> None:
    run.evaluation_file.unlink()
    assert "is not finished; continue it with" in refusal(run.path)


def test_a_mistyped_path(run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    run.path.rename(tmp_path / "runs" / "photos-supcon")
    # It has two parts like a name on the hub, but the first is a folder here.
    assert refusal("runs/photo-supcon") == "There is no folder runs/photo-supcon; did you mean runs/photos-supcon?"
    end = "give the folder of a run, a .safetensors file or a name on the hub."
    assert refusal("nowhere") == f"There is no folder nowhere; {end}"
    assert refusal("/no/such/folder") == f"There is no folder /no/such/folder; {end}"
    assert refusal("some/model.safetensors").startswith("There is no file some/model.safetensors; ")


def test_another_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(b"")
    assert "is not a .safetensors file; give one, or the folder of a run." in refusal(tmp_path / "model.pt")


@pytest.mark.parametrize(
    "words",
    [
        *(["predict", "RUN", "a.jpg"], ["embed", "RUN", "--out", "a.npz"], ["search", "RUN", "a.jpg"]),
        *(["evaluate", "RUN"], ["audit", "RUN"], ["export", "RUN"], ["serve", "RUN"], ["transfer", "RUN", "digits"]),
        ["push", "RUN", "someone/birds"],
    ],
    ids=lambda words: words[0],
)
def test_a_mistyped_run_is_reported_before_torch_is_imported(words: list[str]) -> None:
    code = (
        "import sys; from supcon.cli.main import main\n"
        f"print(main({[word.replace('RUN', 'nowhere') for word in words]!r}), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]
    assert "There is no folder nowhere; " in done.stderr
