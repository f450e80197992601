"""Prints the estimate of a dry run. A separate file because it imports torch, which the other tables do not need."""

from collections.abc import Sequence
from datetime import timedelta

from rich.table import Table

from supcon.base.processes import is_first_process
from supcon.cli.printing.results_console import results_console
from supcon.stages import HardwareConfig, StageEstimate

_DAY = 24 * 3600


def print_estimate(stages: Sequence[StageEstimate], hardware: HardwareConfig) -> None:
    """Prints time and memory of each stage, and how they were estimated."""
    if not is_first_process():
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("", "steps/\nepoch", "time/\nstep", "time/\nepoch", "epochs", "total", "peak\nmemory"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for stage in stages:
        step, times = f"{stage.step_seconds:.3g} s", [_clock(stage.epoch_seconds), _clock(stage.seconds)]
        memory = f"{stage.memory:.2f} GB"
        table.add_row(stage.name, f"{stage.epoch_steps:,}", step, times[0], f"{stage.epochs:,}", times[1], memory)
    console = results_console()
    console.print(table)
    processes = hardware.devices * hardware.num_nodes
    where = f"{processes} processes" if processes > 1 else "one process"
    console.print(
        f"""
Total {_clock(sum(stage.seconds for stage in stages))}, not including the k-NN measurements and the evaluation.
It was measured with the second of two steps of each stage, in {where} with precision {hardware.precision}, at the \
machine's current load, and replaces the rougher estimate that a training shows before it starts. Memory is the peak \
of one process during these steps. Nothing was written.""",
        markup=False,
        soft_wrap=False,
    )


def _clock(seconds: float) -> str:
    if seconds >= _DAY:
        return f"{seconds / _DAY:.1f} days"
    return str(timedelta(seconds=round(seconds))) if seconds >= 1 else f"{seconds:.2f} s"
