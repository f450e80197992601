"""Prints the estimate of a dry run. A separate file because it imports torch, which the other tables do not need."""

from collections.abc import Sequence
from datetime import timedelta

from rich.table import Table

from supcon.base.processes import is_first_process
from supcon.cli.printing.results_console import results_console
from supcon.stages import HardwareConfig, StageEstimate


def print_estimate(stages: Sequence[StageEstimate], hardware: HardwareConfig) -> None:
    """Prints time and memory of each stage, and how they were estimated."""
    if not is_first_process():
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("", "steps/epoch", "time/step", "time/epoch", "epochs", "total", "peak memory"):
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
Estimated from the second of two steps of each stage, in {where} with precision {hardware.precision}, at the machine's \
current load. Memory is the peak of one process during these steps. Nothing was written.""",
        markup=False,
    )


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds))) if seconds >= 1 else f"{seconds:.2f} s"
