"""Runs `supcon` commands in processes of their own without importing torch for each: a server that forks.

The server is a process without threads that has imported everything; `CommandServer` is its client. A command can be
killed, can be held at a file that it opens or renames, gets its own environment, streams and encoding, and its file
operations can be made to fail.
"""

import gc
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    """Exit code; negative: the signal that killed it."""
    said: str
    """stdout and stderr."""
    operations: int
    """File operations that were counted."""
    failed: str
    """The operation that was made to fail; empty if there was none."""
    seconds: float


class CommandServer:
    """Starts commands, one at a time."""

    def __init__(self, work: Path, environment: dict[str, str] | None = None) -> None:
        self.log, self.notes, self.held = work / "said.txt", work / "notes.json", work / "held"
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})},
        )

    def start(self, words: Sequence[object], **request: Any) -> int:
        """Starts `supcon WORDS`; the number of its process. `hold` is for `until_held`."""
        for file in (self.log, self.notes, self.held):
            file.unlink(missing_ok=True)
        request["hold"] = [str(self.held), *request.get("hold", [])]
        self.begin = time.monotonic()
        places = {"log": str(self.log), "notes": str(self.notes)}
        return int(self._ask({"words": [str(word) for word in words], **places, **request}))

    def wait(self) -> Ended:
        """Waits for the command that was started last."""
        code = int(self._ask({}))
        notes = json.loads(self.notes.read_text()) if self.notes.exists() else {}
        said = self.log.read_text(errors="replace") if self.log.exists() else ""
        seconds = time.monotonic() - self.begin
        return Ended(code, said, notes.get("operations", 0), notes.get("failed", ""), seconds)

    def until_held(self) -> None:
        """Waits until the command does what was given as `hold`: event and end of the path; it waits, too."""
        while not self.held.exists():
            time.sleep(0.005)

    def release(self) -> None:
        """Lets the held command go on."""
        self.held.unlink()

    def run(self, words: Sequence[object], **request: Any) -> Ended:
        self.start(words, **request)
        return self.wait()

    def close(self) -> None:
        self.process.communicate("")

    def _ask(self, request: dict[str, Any]) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, "the server has ended"
        return answer


def serve() -> None:
    import supcon.cli.printing.print_results
    import supcon.cli.printing.print_transfer
    import supcon.jobs.train_run
    import supcon.jobs.transfer_learning.transfer_run  # noqa: F401
    from supcon.serving import load

    del load
    _import_what_a_training_imports()
    # The garbage collection of a command leaves out what is imported here: a third of the time of a tiny run.
    gc.collect()
    gc.freeze()
    process = 0
    for line in sys.stdin:
        request = json.loads(line)
        if request:
            process = os.fork()
            if process == 0:
                _work(request)
            print(process, flush=True)
        else:
            print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _hold(held: str, event: str = "", end: str = "") -> None:
    """Waits when this process does `event` (of Python's audit table) to a path with this end, for the first time."""

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal end
        if name == event and end and str(arguments[0]).endswith(end):
            end = ""
            Path(held).touch()
            while os.path.exists(held):
                time.sleep(0.005)

    if event:
        sys.addaudithook(hook)


def _import_what_a_training_imports() -> None:
    """Packages that are imported late: by lightning when it saves a checkpoint, by Pillow when it opens a file."""
    from PIL import Image

    Image.init()
    with suppress(ImportError):
        import_module("omegaconf")


def _work(request: dict[str, Any]) -> None:
    """The child: runs the command as a process of its own would, and ends."""
    from references.faulty_files import FaultyFiles
    from supcon.cli.main import main

    os.setpgid(0, 0)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    null = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in ((null, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, place)
    encoding = request.get("encoding", "utf-8")
    for name, place in (("stdout", 1), ("stderr", 2)):
        setattr(
            sys, name, io.TextIOWrapper(io.FileIO(place, "w", closefd=False), encoding=encoding, write_through=True)
        )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    os.environ.update(request.get("environment", {}))
    sys.argv = ["supcon", *request["words"]]
    layer = FaultyFiles(
        [Path(root) for root in request.get("roots", [])], request.get("at", 0), request.get("error", "")
    )
    write = open
    if request.get("roots"):
        layer.install()
    _hold(*request["hold"])
    code = 70
    try:
        code = main()
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    finally:
        with write(request["notes"], "w") as notes:
            notes.write(json.dumps({"operations": layer.count, "failed": layer.failed}))
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    serve()
