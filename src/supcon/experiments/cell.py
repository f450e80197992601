"""A cell, one training run of a grid: its recipe, its additional measurements and its key; does not import torch."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from supcon.base.errors import RequestError
from supcon.data import NAMES, absolute, short_name
from supcon.experiments.experiment import Changes, Experiment, Extra, Setting
from supcon.experiments.scale import SCALES, Scale, with_changes
from supcon.recipes import Recipe, find_recipe, flat_values, recipe_to_values
from supcon.stages import METHODS

_NOT_WHAT_IS_COMPUTED = ("recipe", "data.root", "data.download", "data.hold", "data.memory_limit")
"""Values without an effect on the result, like those of the hardware."""


@dataclass(frozen=True)
class Cell:
    """A recipe with its seed, and the additional measurements."""

    recipe: Recipe
    extras: frozenset[Extra] = frozenset()
    transfers: frozenset[str] = frozenset()
    """What the extra `transfer` measures, as the beginnings of its measures: `transfer/DATA/PROTOCOL/`."""

    @cached_property
    def key(self) -> str:
        """A hash of the computation, which is the same in all experiments and on all machines.

        It depends on all values of the recipe except paths and hardware; of a data folder only the name is used, which
        is not the same as a data set of that name: `cifar10/` may hold the images as lossy files.
        """
        return _digest(self._values)

    @cached_property
    def stage1_key(self) -> str:
        """A hash of the training of the encoder; cells that differ in the classifier of stage 2 alone share it, also
        cross-entropy with one stage and with two."""
        method = METHODS[self.recipe.method]
        without = () if method.joint_classifier else ("stage2.",)
        values = {name: value for name, value in self._values.items() if not name.startswith(without)}
        return _digest({**values, "method": asdict(replace(method, stage2=False))})

    def lacks(self, measures: Mapping[str, float]) -> list[Extra]:
        """The extras that are missing in the measures, or of which a part is missing."""

        def is_measured(extra: Extra) -> bool:
            wanted = self.transfers if extra == "transfer" else {f"{extra}/"}
            return all(any(name.startswith(beginning) for name in measures) for beginning in wanted)

        return [extra for extra in sorted(self.extras) if not is_measured(extra)]

    @cached_property
    def _values(self) -> dict[str, Any]:
        values = {
            # 2 and 2.0 are the same rate.
            name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
            for name, value in flat_values(recipe_to_values(self.recipe)).items()
            if name not in _NOT_WHAT_IS_COMPUTED and not name.startswith("hardware.")
        }
        spec = self.recipe.data.spec
        values["data.spec"] = f"named {spec}" if spec in NAMES else short_name(spec)
        if "gradients" in self.extras:  # measured while it trains, so that it is a training of its own
            values["extra"] = "gradients"
        return values


def _digest(values: Mapping[str, Any]) -> str:
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command besides the experiments."""

    scale: Scale
    data: str | None = None
    """Replaces the data of every recipe of the scale's family."""
    recipe: str | None = None
    """Replaces the scale's recipe; rows that name a recipe keep theirs."""
    seeds: tuple[int, ...] = ()
    only: tuple[str, ...] = ()
    """Names of settings, or parts of them; empty: all."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Changes to every cell, such as the data root and the hardware."""

    def __post_init__(self) -> None:
        if self.recipe is not None:
            object.__setattr__(self, "scale", replace(self.scale, recipe=self.recipe))
        object.__setattr__(self, "seeds", self.seeds or self.scale.seeds)
        if self.scale.needs_data and self.data is None:
            raise RequestError(
                f"--scale {self.scale.name} needs --data: a folder of CIFAR-10 as images, with train/ and test/."
            )

    @property
    def seed_of_choice(self) -> int:
        """The seed with which candidates are compared: the same for any `seeds`, so that all requests choose alike."""
        return self.scale.seeds[0]

    @property
    def whole(self) -> bool:
        """Whether it asks for all rows with the scale's own recipe and settings, as the committed tables have them."""
        return not self.only and self.scale == SCALES[self.scale.name]

    @property
    def for_overview(self) -> "Request":
        """All rows with the seeds of the scale."""
        return replace(self, seeds=self.scale.seeds, only=())

    def settings(self, experiment: Experiment) -> list[Setting]:
        """The rows of an experiment that `only` selects."""
        every = list(experiment.settings(self.scale))
        kept = [setting for setting in every if not self.only or any(word in setting.name for word in self.only)]
        if not kept:
            names = ", ".join(setting.name for setting in every)
            raise RequestError(f"--cells {','.join(self.only)} is in no row of {experiment.name}; there are: {names}.")
        return kept

    def cell(self, setting: Setting, candidate: Changes, seed: int) -> Cell:
        """The cell of a row for one of its candidates and a seed."""
        recipe = find_recipe(setting.recipe or self.scale.recipe, setting.method)
        own_data = setting.recipe is not None and self.scale.is_paper
        data = {} if self.data is None or own_data else {"data.spec": absolute(self.data)}
        changes = {**self.scale.changes, **data, **setting.changes, **candidate, **self.options, "seed": seed}
        extras = frozenset(setting.extras)
        transfers = self.scale.transfers if "transfer" in extras else ()
        return Cell(with_changes(recipe, changes), extras, frozenset(transfers))


def cells_by_key(cells: Sequence[Cell]) -> dict[str, Cell]:
    """Every distinct cell once, with the extras of all its duplicates."""
    found: dict[str, Cell] = {}
    for cell in cells:
        same = found.get(cell.key, cell)
        found[cell.key] = replace(cell, extras=cell.extras | same.extras, transfers=cell.transfers | same.transfers)
    return found
