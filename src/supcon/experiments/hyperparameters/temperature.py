"""Fig. 4 (d): accuracy by temperature."""

from supcon.experiments.experiment import Experiment, Setting, above
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


TEMPERATURE = Experiment(
    name="temperature",
    where="Fig. 4 (d), Sec. 4.5, Supp. Sec. 6",
    claim="A temperature of 0.1 is best: lower ones benefit training more than higher ones, but extremely low ones are "
    "harder to train.",
    settings=_settings,
    comparisons=lambda scale: [above(_name(BEST), _name(other)) for other in _temperatures(scale) if other != BEST],
    besides=lambda scale: [above(_name(0.05), _name(0.5))],  # as far below the best as above it
    chart="lines",
    axis="temperature",
    differs="Tested is that 0.1 is better than every other one, and besides that a lower one is better than a higher. "
    "The loss is rescaled so that gradients are as large as at the recipe's own temperature, as the paper rescales by "
    "the temperature. The paper shows the figure and prints the value at 0.1 alone.",
)
