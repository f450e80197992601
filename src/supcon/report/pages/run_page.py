"""The report of one run: one self-contained HTML file."""

import base64
import gzip
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from supcon.evaluation import confusion_matrix, reliability_bins
from supcon.report.pages.cards import headline
from supcon.report.pages.page_images import image_data
from supcon.report.pages.picture_sections import picture_sections
from supcon.report.plots.confusion_plot import confusion_plot
from supcon.report.plots.corruption_plots import corruptions_of, heat_plots, severity_plots
from supcon.report.plots.curves import collapse_loss, stage_plots
from supcon.report.plots.figure import Plot, colour, script_json, symbol
from supcon.report.plots.reliability import calibration_in_words, reliability_plot
from supcon.report.plots.representation_map import map_in_words, map_plot, map_table
from supcon.report.plots.thumbnails import Sprite, make_sprite, sheet
from supcon.report.run_results import RunResults
from supcon.report.tables.beside import accuracies, scale
from supcon.report.tables.class_confusion import confused_pairs
from supcon.report.tables.label_results import label_errors, label_results
from supcon.report.tables.measure_names import describe, percent, points
from supcon.report.tables.measure_table import measure_rows
from supcon.report.tables.mistakes import class_results, confident_mistakes
from supcon.report.tables.published_transfer import ROWS
from supcon.report.tables.settings import flat_settings, recipe_yaml
from supcon.report.tables.summary import stage_title, summary
from supcon.report.tables.transfer_table import transfer_rows
from supcon.report.tables.use_it import use_it

CHIPS_UP_TO = 20
SCRIPTS = ("plots", "tables", "images", "filter", "confusion", "map", "live", "start")
NO_PICTURES = np.empty((0, 1, 1, 1), dtype=np.uint8)
BINS = 15
"""Bins of the calibration error of a run that does not record them."""


def build_report(results: RunResults) -> str:
    """The HTML page of a run."""
    sprite = make_sprite(results.outputs)
    return render(
        "report.html",
        **(_several_labels(results) if results.outputs.multi_label else _one_label(results, sprite)),
        **picture_sections(results),
        run=results,
        names=results.class_names,
        summary=summary(results),
        cards=headline(results),
        beside=(shown := accuracies(results)),
        beside_scale=scale(shown) if shown else None,
        stages=stage_sections(results),
        collapse=collapse_loss(results.recipe),
        sprite=sprite,
        corruptions=(found := corruptions_of(results)),
        corruption_plots=[] if found is None else [*severity_plots(found), *heat_plots(found)],
        use_it=use_it(results.path),
        transfers=transfer_rows(results.measures, results.remarks),
        published_rows=ROWS,
        measure_rows=measure_rows(results.measures, results.remarks),
        temperature=results.measures.get("validation/temperature"),
        measures=[(describe(name), value) for name, value in results.measures.items()],
        recipe=recipe_yaml(results.recipe),
        data={name: value for name, value in flat_settings(results.data).items() if name != "class_names"},
        environment=flat_settings(results.environment),
    )


def _one_label(results: RunResults, sprite: Sprite) -> dict[str, Any]:
    """The sections for images with one class each."""
    probabilities, labels = results.outputs.probabilities, results.outputs.labels
    matrix = confusion_matrix(probabilities, labels)
    bins = reliability_bins(probabilities, labels, int(results.remarks.get("test/bins", BINS)))
    training_sprite = sheet(results.training.thumbnails if results.training else NO_PICTURES, limit=1_400_000)
    return {
        "confusion": confusion_plot(matrix, results.class_names),
        "pairs": confused_pairs(matrix),
        "bins": bins,
        "reliability": reliability_plot(bins),
        "calibration": calibration_in_words(bins),
        "map": map_plot(results) if len(results.outputs.map_index) > 1 else None,
        "map_words": map_in_words(results.outputs),
        "map_rows": map_table(results),
        "images": image_data(results, sprite, training_sprite),
        "training_sprite": training_sprite,
        "chips": len(results.class_names) <= CHIPS_UP_TO,
        "mistakes": confident_mistakes(results.outputs),
        "wrong": int((~results.outputs.correct).sum()),
        "classes": class_results(matrix, results.class_names),
    }


def _several_labels(results: RunResults) -> dict[str, Any]:
    """The sections for images with several classes each."""
    return {"label_errors": label_errors(results), "label_results": label_results(results)}


def render(template: str, **content: Any) -> str:
    """Renders a template; all content is escaped, and CSS, script and plotly.js are included."""
    return _environment().get_template(template).render(**content)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("supcon.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "points": points, "script_json": script_json}
    environment.globals |= {
        "css": Markup(_text("page.css")),
        "script": Markup("".join(_text(f"scripts/{name}.js") for name in SCRIPTS)),
        "plotly": Markup(_packed(get_plotlyjs())),
        "colour": colour,
        "symbol": symbol,
    }
    return environment


def _packed(script: str) -> str:
    """Compressed text, which the page unpacks: plotly.js is a third as large then."""
    return base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode()


def _text(name: str) -> str:
    return files("supcon.report").joinpath(name).read_text(encoding="utf-8")


def stage_sections(results: RunResults) -> list[tuple[str, list[Plot]]]:
    """The plots of every stage with its title."""
    stages = []
    for stage, curves in results.curves.items():
        plots = stage_plots(curves, collapse_loss(results.recipe) if stage == "stage1" else None)
        if plots:
            stages.append((stage_title(results, stage), plots))
    return stages
