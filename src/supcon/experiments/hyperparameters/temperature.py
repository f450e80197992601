"""Fig. 4 (d): accuracy by temperature."""

from supcon.experiments.experiment import Comparison, Experiment, Setting, above
from supcon.experiments.scale import Scale

LOWEST, BEST, HIGHEST = 0.02, 0.1, 1.0


def _temperatures(scale: Scale) -> list[float]:
    some = (LOWEST, BEST, HIGHEST) if scale.name == "smoke" else (LOWEST, 0.05, BEST, 0.2, 0.5, HIGHEST)
    return sorted({*some, scale.base().loss.temperature})


def _name(temperature: float) -> str:
    return f"temperature {temperature:g}"


def _settings(scale: Scale) -> list[Setting]:
    base = scale.base().loss
    rows = []
    for temperature in _temperatures(scale):
        changes: dict[str, object] = {"loss.temperature": temperature}
        if base.rescale == "none" and temperature != base.temperature:
            changes["loss.rescale"] = base.temperature  # gradients stay as large as at the recipe's own temperature
        rows.append(
            Setting(
                name=_name(temperature),
                changes=changes,
                line="SupCon",
                at=temperature,
                published={"test/top1": 0.787} if temperature == BEST else {},
            )
        )
    return rows


def _comparisons(scale: Scale) -> list[Comparison]:
    every = _temperatures(scale)
    lower, higher = BEST / 2, BEST * 2
    low_and_high = [above(_name(lower), _name(higher))] if {lower, higher} <= set(every) else []
    return [*(above(_name(BEST), _name(other)) for other in every if other != BEST), *low_and_high]


TEMPERATURE = Experiment(
    name="temperature",
    where="Fig. 4 (d), Sec. 4.5, Supp. Sec. 6",
    claim="A temperature of 0.1 is best: lower ones benefit training more than higher ones, but extremely low ones "
    "are harder to train.",
    settings=_settings,
    comparisons=_comparisons,
    chart="lines",
    axis="temperature",
    differs="Tested is that 0.1 is better than every other one, and half of it better than twice. The loss is "
    "rescaled so that gradients are as large as at the recipe's own temperature, as the paper rescales by the "
    "temperature. The paper shows the figure and prints the value at 0.1 alone.",
)
