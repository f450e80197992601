"""Recipe and data of a run before it trains: settings adapted to the data and the machine, images decoded."""

from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path

from supcon.base.freed_memory import return_freed_memory
from supcon.base.progress import bar, say, waiting
from supcon.data import ImageData, ListedData, decode_listed, list_data, training_loader
from supcon.encoder import Encoder, make_encoder, pretrained_statistics
from supcon.jobs.multi_label_outputs import check_multi_label
from supcon.jobs.planning.faster import faster
from supcon.jobs.planning.fit_to_data import fit_to_data
from supcon.jobs.planning.fit_to_memory import fit_to_memory
from supcon.jobs.planning.plan import Plan, say_data, say_plan
from supcon.jobs.planning.time_estimate import estimate_time
from supcon.recipes import RECIPES, SHORT_NAMES, Recipe, find_recipe, unused_values
from supcon.runs import Run
from supcon.stages import METHODS, check_hardware, check_logger, on_gpu


def make_plan(recipe: Recipe, folder: Path | None, given: Collection[str]) -> Plan:
    """Adapts the recipe to data and machine, prints the plan, and returns it with the images."""
    fitted, listed = adapted_recipe(recipe, given)
    if listed.collection.multi_label:
        check_multi_label(recipe, listed.name)
    say_data(listed)
    data = _decoded(fitted, listed)
    encoder = run_encoder(fitted, data)
    with waiting("estimating time and memory"):
        fitted, memory = fit_to_memory(fitted, data, encoder, given)
        time = estimate_time(fitted, data, encoder)
        plan = Plan(
            recipe=fitted,
            asked=recipe,
            data=data,
            listed=listed,
            encoder=encoder,
            time=time,
            memory=memory,
            faster=faster(fitted, data, encoder, time, _side_of_files(listed)),
            folder=folder,
        )
    return_freed_memory()
    say_plan(plan)
    return plan


def _side_of_files(listed: ListedData) -> int:
    return listed.with_config(replace(listed.config, image_size=None)).layout.image_size


def adapted_recipe(recipe: Recipe, given: Collection[str]) -> tuple[Recipe, ListedData]:
    """The recipe with values that fit the data, except those in `given`; and the data's files, not yet decoded."""
    if recipe.name in RECIPES:
        for sentence in unused_values(recipe, find_recipe(recipe.name, recipe.method)):
            if sentence.split()[0] not in _set_besides(given):
                say(sentence)
    check_hardware(recipe.hardware)
    check_logger(recipe.hardware.logger)
    return fit_to_data(recipe, list_data(recipe.data, recipe.seed), given, on_gpu=on_gpu(recipe.hardware))


def _set_besides(given: Collection[str]) -> set[str]:
    """The values of stage 2 that a short option has set together with those of stage 1, which every method has.

    >>> _set_besides({"stage1.batch_size", "stage2.batch_size"})
    {'stage2.batch_size'}
    """
    return {name for names in SHORT_NAMES.values() if {*names} <= {*given} for name in names[1:]}


def load_started(recipe: Recipe, run: Run) -> ImageData:
    """The data of a run that has been started, with its stored splits."""
    check_hardware(recipe.hardware)
    check_logger(recipe.hardware.logger)
    # Under torchrun or SLURM this process may be faster than the first one, which has not written the run's files yet.
    table = run.split_table if run.recipe_file.exists() else None
    listed = list_data(recipe.data, recipe.seed, split_table=table)
    data = _decoded(recipe, listed)
    counts = ", ".join(f"{count:,} {name}" for name, count in data.counts.items())
    say(f"{data.name}: {counts} images of {len(data.class_names)} classes, {data.image_size}x{data.image_size} pixels.")
    return data


def _decoded(recipe: Recipe, listed: ListedData) -> ImageData:
    data = decode_listed(listed, bar)
    pretraining = data.pretraining if METHODS[recipe.method].contrastive else data.train
    for split, stage in ((pretraining, recipe.stage1), (data.train, recipe.stage2)):
        training_loader(split, stage.batch_size, recipe.seed)  # raises if too few readable images remain
    return _with_pretrained_statistics(data, recipe)


def _with_pretrained_statistics(data: ImageData, recipe: Recipe) -> ImageData:
    """Sets mean and std to those that the pretrained weights were trained with, unless the recipe has its own."""
    own = pretrained_statistics(recipe.encoder.name, recipe.encoder.pretrained, data.channels)
    if own is None:
        return data
    return replace(data, mean=recipe.data.mean or own[0], std=recipe.data.std or own[1])


def run_encoder(recipe: Recipe, data: ImageData) -> Encoder:
    """The recipe's encoder for these images, untrained or with its pretrained weights."""
    return make_encoder(
        **asdict(recipe.encoder),
        channels=data.channels,
        image_size=data.image_size,
        mean=data.mean,
        std=data.std,
    )
