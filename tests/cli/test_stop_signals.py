"""Real processes that are told to stop: they say how to go on, and leave a run that does."""

import os
import shlex
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from references.command_server import CommandServer, Ended
from references.tiny_run import tiny_images, train_words
from supcon.runs import Run


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_images(tmp_path_factory.mktemp("signals") / "images")


def stopped(
    command_server: CommandServer,
    words: Sequence[object],
    out: Path,
    signals: Sequence[int],
    send: Callable[[int, int], None] = os.kill,
) -> Ended:
    """A training that gets these signals once it has written a checkpoint."""
    process = command_server.start(words)
    while not (out / "stage1" / "checkpoints" / "last.ckpt").exists():
        time.sleep(0.005)
    for number in signals:
        send(process, number)
        time.sleep(0.02)
    return command_server.wait()


def stopped_where_it_is_held(command_server: CommandServer, words: Sequence[object], hold: list[str]) -> str:
    """What a training says that gets SIGINT when it does `hold` for the first time."""
    process = command_server.start(words, hold=hold)
    command_server.until_held()
    os.kill(process, signal.SIGINT)
    command_server.release()
    ended = command_server.wait()
    assert ended.code == 1, ended.said
    return ended.said


@pytest.mark.parametrize(
    "signals",
    [
        [signal.SIGINT],
        [signal.SIGINT, signal.SIGINT],
        [signal.SIGHUP],
        [signal.SIGTERM],
        [signal.SIGTERM, signal.SIGHUP],
    ],
    ids=lambda signals: "-".join(signal.Signals(number).name for number in signals),
)
def test_a_training_that_is_stopped_says_how_to_go_on(
    command_server: CommandServer, images: Path, tmp_path: Path, signals: list[int]
) -> None:
    out = tmp_path / "my run"
    ended = stopped(command_server, [*train_words(images, out), "--epochs", "5000"], out, signals)
    assert ended.code == 1, ended.said
    last = ended.said.strip().splitlines()[-1]
    assert last.startswith("supcon: Stopped. ")
    assert "Traceback" not in ended.said
    command = shlex.join(["supcon", "train", "--resume", "--out", str(out)])
    assert f"`{command}` continues from the last checkpoint." in last
    named = {number for number in (signal.SIGHUP, signal.SIGTERM) if signal.Signals(number).name in last}
    # On a busy machine both signals may have come before either is handled.
    assert named <= set(signals)
    assert len(named) == (signals[0] != signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_signal_to_the_whole_group_ends_the_training_in_order(
    command_server: CommandServer, images: Path, tmp_path: Path, number: int
) -> None:
    """`timeout`, a closed terminal and batch systems signal the workers of the data loader too."""
    out = tmp_path / "run"
    words = [*train_words(images, out), "--epochs", "5000", "--data.hold", "decode", "--views.engine", "per-image"]
    ended = stopped(command_server, words, out, [number], os.killpg)
    assert ended.code == 1, ended.said
    assert ended.said.strip().splitlines()[-1].startswith("supcon: Stopped. ")
    assert "` continues from the last checkpoint." in ended.said
    assert "Traceback" not in ended.said


def test_the_advice_does_what_it_says(command_server: CommandServer, images: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    # Held when it replaces its first checkpoint: 40 epochs may be over before a busy machine sends the signal.
    words = [*train_words(images, out), "--epochs", "40"]
    said = stopped_where_it_is_held(command_server, words, ["os.link", "/last.ckpt"])
    advice = said.rsplit("`", 2)[1]
    assert command_server.run(shlex.split(advice)[1:]).code == 0
    assert (out / "report.html").exists()
    assert not list(out.rglob(".*.partial"))
    whole = tmp_path / "whole"
    assert command_server.run([*train_words(images, whole), "--epochs", "40"]).code == 0
    assert (out / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert len(Run(out).curves(1)["train/loss"]) == 40


def test_before_the_run_there_is_nothing_to_continue(
    command_server: CommandServer, images: Path, tmp_path: Path
) -> None:
    said = stopped_where_it_is_held(command_server, train_words(images, tmp_path / "run"), ["open", ".png"])
    assert said.splitlines()[-1] == "supcon: Stopped. Nothing has been written yet."
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"SLURM_NTASKS": "4", "SLURM_JOB_ID": "7", "SLURM_JOB_NAME": "shell"}, ""),
        ({"LOCAL_RANK": "x", "WORLD_SIZE": ""}, "LOCAL_RANK=x is ignored: it is not the number of a process."),
        ({"RANK": "none", "SLURM_PROCID": "-"}, "RANK=none is ignored"),
    ],
)
def test_variables_of_launchers_do_not_break_a_plain_run(
    command_server: CommandServer, images: Path, tmp_path: Path, environment: dict[str, str], said: str
) -> None:
    ended = command_server.run(train_words(images, tmp_path / "run"), environment=environment, encoding="ascii")
    assert ended.code == 0, ended.said
    assert said in ended.said


def test_a_rank_without_other_processes_is_refused(command_server: CommandServer, images: Path, tmp_path: Path) -> None:
    ended = command_server.run(train_words(images, tmp_path / "run"), environment={"SLURM_PROCID": "2"})
    assert ended.code == 2
    assert "this process is one of several (SLURM_PROCID=2), but --devices times --num-nodes is 1" in ended.said


@pytest.mark.parametrize("gone", ["images", "run"])
def test_what_is_deleted_during_the_work(command_server: CommandServer, tmp_path: Path, gone: str) -> None:
    data, out = tiny_images(tmp_path / "data"), tmp_path / "run"
    words = [*train_words(data, out), "--epochs", "5000", "--data.hold", "decode"]
    process = command_server.start(words)
    while not (out / "stage1" / "checkpoints" / "last.ckpt").exists():
        time.sleep(0.005)
    (data if gone == "images" else out).rename(tmp_path / "moved away")
    ended = command_server.wait()
    del process
    assert ended.code in (1, 2)
    last = ended.said.strip().splitlines()[-1]
    assert last.startswith("supcon: "), ended.said[-3000:]
    assert len(last) < 620
    assert "--debug" not in last
    assert "Traceback" not in ended.said
    assert str(data if gone == "images" else out) in last
