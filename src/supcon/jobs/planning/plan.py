"""Prints the plan of a run before it starts: data, settings, time and memory."""

import time as clock
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from rich.table import Table

from supcon.base.durations import about
from supcon.base.progress import say, say_table
from supcon.data import ImageData, ListedData
from supcon.encoder import Encoder
from supcon.jobs.planning.faster import Alternative
from supcon.jobs.planning.fit_to_memory import MemoryEstimate
from supcon.jobs.planning.time_estimate import TimeEstimate
from supcon.recipes import Recipe
from supcon.stages import METHODS

_MOST_CLASSES = 8
"""Number of classes that are listed with their counts."""
_STORAGE = {
    "memory": "in memory",
    "cache": "in a cache file of decoded images",
    "decode": "decoded for each batch",
}
_REASON = {
    "memory": "",
    "cache": ", since they do not fit into memory",
    "decode": ", since they fit neither into memory nor on disk",
}
"""Why this storage was chosen, if the user has not chosen it."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The settings and estimates of a run before its first step."""

    recipe: Recipe
    asked: Recipe
    """The recipe before it was adapted to data and memory."""
    data: ImageData
    listed: ListedData
    encoder: Encoder
    time: TimeEstimate
    memory: MemoryEstimate
    faster: list[Alternative]
    folder: Path | None
    """The run's folder; None for a dry run."""


def say_data(listed: ListedData) -> None:
    """Prints the classes with their counts before decoding, so that the user notices a wrong folder."""
    called = listed.split_names
    counts = {called[name]: count for name, count in listed.counts.items() if count}
    in_words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    say(f"{listed.name}: {in_words} images of {len(listed.class_names):,} classes")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("class", header_style="dim", overflow="ellipsis", no_wrap=True)
    for split in listed.class_counts:
        table.add_column(called[split], justify="right", header_style="dim", no_wrap=True)
    columns = list(listed.class_counts.values())
    for row, name in enumerate(listed.class_names[:_MOST_CLASSES]):
        table.add_row(name, *(f"{column[row]:,}" for column in columns))
    more = len(listed.class_names) - _MOST_CLASSES
    if more > 0:
        ranges = (f"{min(column[_MOST_CLASSES:]):,}-{max(column[_MOST_CLASSES:]):,}" for column in columns)
        table.add_row(f"and {more:,} more", *ranges)
    say_table(table)


def say_plan(plan: Plan) -> None:
    """Prints settings, time, memory and, for runs above half an hour, faster alternatives."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in _rows(plan):
        table.add_row(name, text)
    say_table(table)
    if plan.faster:
        say_faster(plan.faster)


def say_faster(alternatives: list[Alternative]) -> None:
    """Prints what would be faster, with the estimated times."""
    say("Faster alternatives, by adding to the command:")
    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    for one in alternatives:
        table.add_row(one.options, f"about {about(one.seconds)}", f"[dim]{one.what}[/]")
    say_table(table)


def _rows(plan: Plan) -> list[tuple[str, str]]:
    rows = [("recipe", f"{plan.recipe.name}, method {plan.recipe.method}")]
    rows.append(("encoder", _encoder(plan)))
    rows.append(("images", _images(plan)))
    rows.append(("batch", _batch(plan)))
    if plan.folder is None:  # a dry run, whose own table has the measured time and memory
        return rows
    return [*rows, *_estimates(plan), ("run", str(plan.folder))]


def _estimates(plan: Plan) -> list[tuple[str, str]]:
    """Time and memory, and when the run will be finished."""
    recipe = plan.recipe
    rows = [("stage 1", f"{recipe.stage1.epochs:,} epochs, about {about(plan.time.stage1)}")]
    if METHODS[recipe.method].stage2:
        rows.append(("stage 2", f"{recipe.stage2.epochs:,} epochs, about {about(plan.time.stage2)}"))
    end = datetime.fromtimestamp(clock.time()) + timedelta(seconds=plan.time.total)
    until = f", until {end:%H:%M}" if plan.time.total < 20 * 3600 else f", until {end:%A %d %B}"
    rows.append(("in all", f"about {about(plan.time.total)} at the machine's current load{until}"))
    memory = plan.memory
    rows.append(
        ("memory", f"about {memory.needed:.1f} GB of the {memory.available:.1f} GB that are free on {memory.where}")
    )
    return rows


def _encoder(plan: Plan) -> str:
    encoder = plan.recipe.encoder
    weights = f"weights of {encoder.pretrained}" if encoder.pretrained else "from scratch"
    if encoder.pretrained is True:
        weights = "pretrained"
    stem = f", {encoder.stem} stem" if encoder.stem != "auto" else ""
    parameters = sum(parameter.numel() for parameter in plan.encoder.parameters())
    return f"{encoder.name}, {weights}{stem}, {parameters / 1e6:.1f} M parameters"


def _images(plan: Plan) -> str:
    size, megabytes = plan.data.image_size, plan.listed.decoded_bytes / 1e6
    room = f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{max(megabytes, 0.1):.3g} MB"
    found = plan.listed.with_config(plan.asked.data).layout.image_size
    smaller = f" instead of {found}, to train from scratch on a CPU in reasonable time" if size < found else ""
    storage = plan.listed.storage
    reason = _REASON[storage] if plan.asked.data.hold == "auto" else ""
    return f"{size}x{size} pixels{smaller}; {room} decoded, {_STORAGE[storage]}{reason}"


def _batch(plan: Plan) -> str:
    recipe, asked = plan.recipe, plan.asked.stage1.batch_size
    stage = recipe.stage1
    views = "one view" if recipe.views.count == 1 else f"{recipe.views.count} views"
    text = f"{stage.batch_size:,} images, {views} of each"
    if stage.batch_size != asked:
        images = plan.data.pretraining if METHODS[recipe.method].contrastive else plan.data.train
        text += f"; the recipe's {asked:,} are too many for {len(images):,} training images"
    if stage.micro_batch is not None:
        text += f"; {stage.micro_batch:,} images at a time through the encoder"
    return text
