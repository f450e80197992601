"""Fig. 4 (b): accuracy by batch size."""

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale
from supcon.experiments.shared_settings import BOTH


def _sizes(scale: Scale) -> list[int]:
    if scale.is_paper:
        return [256, 512, 1024, 2048, 4096, 6144]
    factors = (0.5, 1) if scale.name == "smoke" else (0.25, 0.5, 1, 2, 4)
    return [round(factor * scale.base().stage1.batch_size) for factor in factors]


def _name(loss: str, size: int) -> str:
    return f"{loss}, batch {size}"


def _settings(scale: Scale) -> list[Setting]:
    rows = []
    for loss, method in BOTH.items():
        base = scale.base(method).stage1
        for size in _sizes(scale):
            changes: dict[str, float] = {"stage1.batch_size": size}
            if base.optimizer.lr_rule == "absolute":
                changes["stage1.optimizer.lr"] = base.optimizer.lr * size / base.batch_size
            rows.append(Setting(name=_name(loss, size), method=method, changes=changes, line=loss, at=size))
    return rows


def _comparisons(scale: Scale) -> list[Comparison]:
    sizes = _sizes(scale)
    larger = [above(_name(loss, sizes[-1]), _name(loss, sizes[0])) for loss in BOTH]
    return larger + [above(*(_name(loss, size) for loss in BOTH)) for size in sizes]


BATCH_SIZE = Experiment(
    name="batch-size",
    where="Fig. 4 (b)",
    claim="Both losses benefit from larger batches, and SupCon has the higher accuracy at every batch size.",
    settings=_settings,
    comparisons=_comparisons,
    chart="lines",
    axis="batch size",
    differs="The learning rate is proportional to the batch size, as in the authors' code. The paper shows the figure "
    "and prints no values.",
)
