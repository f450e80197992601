"""The page of a run that is still training, which the browser loads again by itself."""

import math
from dataclasses import dataclass

from supcon.report.pages.cards import Card
from supcon.report.pages.picture_sections import picture_sections
from supcon.report.pages.run_page import render, stage_sections
from supcon.report.plots.curves import collapse_loss
from supcon.report.run_results import RunResults
from supcon.report.tables.measure_names import duration, percent
from supcon.report.tables.settings import recipe_yaml
from supcon.report.tables.summary import stage_title, training_sentence


@dataclass(frozen=True, kw_only=True)
class TrainingState:
    """Where a training is."""

    stage: int
    epoch: int
    epochs: int
    seconds_left: float
    """Of this stage."""

    written: str
    """When, as an ISO date with its zone."""

    pause: float
    """Seconds between the last two pages; 0 for the first."""

    @property
    def reload_seconds(self) -> int:
        """How long the browser waits before it loads the page again."""
        return round(min(max(self.pause, 3), 60))


SHOWN = {
    "train/loss": ("Loss", "{:.3f}", "Mean over the epoch."),
    "validation/knn_top1": ("k-NN accuracy", "", "On the validation images, with the encoder as it is now."),
    "validation/knn_map": (
        "k-NN mean average precision",
        "",
        "On the validation images, with the encoder as it is now.",
    ),
    "train/top1": ("Training accuracy", "", "Mean over the epoch, on views."),
    "train/negative_similarity": (
        "Similarity of negatives",
        "{:.3f}",
        "Mean cosine; 0 is well spread, 1 is collapsed.",
    ),
    "lr": ("Learning rate", "{:.3g}", "At the end of the epoch."),
    "images_per_second": ("Speed", "{:,.0f} images/s", "Training only, without the measurements."),
}


def build_training_page(results: RunResults, state: TrainingState) -> str:
    """The HTML page of a run that is not finished: its curves and latest values."""
    return render(
        "training.html",
        **picture_sections(results),
        run=results,
        state=state,
        left=duration(state.seconds_left) if state.seconds_left >= 1 else "",
        title=stage_title(results, f"stage{state.stage}"),
        sentence=training_sentence(results, "is being trained"),
        cards=_cards(results, state),
        stages=stage_sections(results),
        collapse=collapse_loss(results.recipe),
        recipe=recipe_yaml(results.recipe),
    )


def _cards(results: RunResults, state: TrainingState) -> list[Card]:
    """The latest value of the metrics that tell how the training goes."""
    curves, cards = results.curves.get(f"stage{state.stage}", {}), []
    for name, (title, form, meaning) in SHOWN.items():
        known = [value for value in curves[name].values.tolist() if math.isfinite(value)] if name in curves else []
        if known:
            cards.append(
                Card(title=title, value=form.format(known[-1]) if form else percent(known[-1]), meaning=meaning)
            )
    return cards
