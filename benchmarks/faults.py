"""What a run survives: kill -9 at random moments, and every file operation failing once.

The tiniest run (two stages, evaluation, report) and the commands that work on a finished one are killed at random
moments, with all their workers, until they have ended by themselves; and every file operation in the run's folder and
its data fails once, the errors ENOSPC, EIO, EACCES and a torn write in turn. Each time the command is repeated, and the
weights must be equal to the bit, the figures equal, and no file too many or too few. The first difference ends it.

    python benchmarks/faults.py [--quick | --full] [--json F]

`--full` is 500 kills, and every file operation of all commands with every error: about an hour on two cores.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from _table import Figure, benchmark

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from references.command_server import CommandServer
from references.survival import ERRORS, Survival

LATER = ("evaluate", "report", "transfer")


def kills(survival: Survival, wanted: int) -> Counter[str]:
    """How many kills of each command were survived."""
    draw, counts = random.Random(time.time_ns()), Counter[str]()
    while counts.total() < wanted:
        for name in LATER:
            counts[name] += survival.kill_later(name, draw)
        counts["reproduce"] += survival.kill_study(draw)
        for _ in range(3):
            counts["train"] += survival.kill_training(draw)
        print(f"{counts.total()} kills survived", file=sys.stderr, flush=True)
    return counts


def faults(survival: Survival, later: str | None, every: int, errors: int) -> Counter[str]:
    """How many operations failed and were survived, by the exit code; `errors` of the four are tried for each."""
    count, codes = survival.operations(later=later), Counter[str]()
    for at in range(1, count + 1, every):
        for number in range(errors):
            failed, code = survival.fault(at, ERRORS[(at + number) % len(ERRORS)], later=later)
            codes["noticed" if code else "without consequence" if failed else "not reached"] += 1
        if at % 50 == 1:
            print(f"{later or 'train'}: operation {at} of {count}", file=sys.stderr, flush=True)
    return codes


def measure(quick: bool) -> list[Figure]:
    """Counts of what was done; it raises at the first thing that was lost."""
    every, errors = (50, 1) if quick else (1, len(ERRORS)) if FULL else (4, 1)
    with tempfile.TemporaryDirectory() as work:
        server = CommandServer(Path(work), {"SUPCON_CACHE": f"{work}/cache"})
        survival = Survival(Path(work), server)
        try:
            killed = kills(survival, 10 if quick else 500 if FULL else 60)
            failed = {later: faults(survival, later, every, errors) for later in (None, *LATER)}
        finally:
            server.close()
    figures = [Figure(name=f"kill -9 of {name}, survived", value=n, unit="kills") for name, n in killed.items()]
    for later, counts in failed.items():
        figures += [
            Figure(name=f"file operations of {later or 'train'} that failed, {what}", value=n, unit="operations")
            for what, n in counts.items()
        ]
    return [*figures, Figure(name="results lost or changed", value=0, unit="runs")]


FULL = "--full" in sys.argv
if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--full"]
    benchmark(__doc__ or "", measure)
