"""The contents of a run's page as Markdown."""

import numpy as np

from supcon.evaluation import confusion_matrix
from supcon.report.pages.cards import headline
from supcon.report.pages.markdown_sections import beside_section, labels_section, pairs_section, use_section
from supcon.report.pages.markdown_syntax import escape as _escape
from supcon.report.pages.markdown_syntax import fenced as _fenced
from supcon.report.pages.markdown_syntax import table as _table
from supcon.report.plots.corruption_plots import corruptions_of
from supcon.report.run_results import RunResults
from supcon.report.tables.class_confusion import ConfusedPair, confused_pairs
from supcon.report.tables.label_results import label_errors, label_results
from supcon.report.tables.measure_names import describe, percent
from supcon.report.tables.measure_table import measure_rows
from supcon.report.tables.mistakes import class_results, confident_mistakes
from supcon.report.tables.published_transfer import ROWS
from supcon.report.tables.settings import flat_settings, recipe_yaml
from supcon.report.tables.summary import summary
from supcon.report.tables.transfer_table import transfer_rows


def report_markdown(results: RunResults) -> str:
    """The report of a run as Markdown."""
    cards = [[card.title, card.value, _escape(card.meaning)] for card in headline(results)]
    measures = [
        [_escape(row.measure.title), row.value, row.interval, row.scaled, _escape(row.meaning)]
        for row in measure_rows(results.measures, results.remarks)
    ]
    names_of_measures = [[f"`{name}`", describe(name).text(value)] for name, value in results.measures.items()]
    where = [[_escape(name), _value(value)] for name, value in flat_settings(results.environment).items()]
    sections = [
        f"# {_escape(results.name)}",
        _escape(summary(results)),
        *beside_section(results),
        _table(("metric", "value", "meaning"), cards),
        *(_several_labels(results) if results.outputs.multi_label else _one_label(results)),
        *labels_section(results),
        *pairs_section(results),
        *_corruptions(results),
        *_transfer(results),
        "## All metrics",
        _table(("metric", "value", "95 % interval", "after temperature scaling", "explanation"), measures),
        "## All values of evaluation.json",
        _table(("name", "value"), names_of_measures),
        *use_section(results),
        "## Reproduce it",
        _fenced(str(results.environment.get("command", "")), "sh"),
        _fenced(recipe_yaml(results.recipe), "yaml"),
        "## Environment",
        _table(("name", "value"), where),
    ]
    return "\n\n".join(sections) + "\n"


def _one_label(results: RunResults) -> list[str]:
    """Confusions, mistakes and classes of images that have one class each."""
    names = [_escape(name) for name in results.class_names]
    matrix = confusion_matrix(results.outputs.probabilities, results.outputs.labels)
    pairs = [
        [names[p.label], names[p.predicted], p.images, percent(p.share), _examples(results, p)]
        for p in confused_pairs(matrix)
    ]
    classes = [
        [c.name, c.images, percent(c.recall), percent(c.precision), c.taken_for] for c in class_results(matrix, names)
    ]
    return [
        "## Most frequent confusions",
        _table(("true", "predicted", "images", "share of the class", "examples"), pairs) if pairs else "None.",
        "## Most confident mistakes",
        _mistakes(results),
        "## All classes",
        _table(("class", "images", "accuracy", "precision", "most frequent mistake"), classes),
    ]


def _several_labels(results: RunResults) -> list[str]:
    """Most confident mistakes and classes of images with several labels."""
    names = [_escape(name) for name in results.class_names]
    errors = [
        [
            _escape(results.outputs.image_name(e.image)),
            names[e.label],
            "yes" if e.there else "no",
            percent(e.probability),
        ]
        for e in label_errors(results)
    ]
    classes = [[_escape(c.name), c.images, percent(c.precision)] for c in label_results(results)]
    return [
        "## Most confident mistakes",
        _table(("test image", "class", "there", "probability"), errors) if errors else "None.",
        "## All classes",
        _table(("class", "images", "average precision"), classes),
    ]


def _corruptions(results: RunResults) -> list[str]:
    """The section on corruptions, if the run was evaluated on them."""
    found = corruptions_of(results)
    if found is None:
        return []
    rows = [[row.title, *map(percent, row.accuracy), percent(row.mean_calibration)] for row in found.rows]
    rows.append(["Mean", *map(percent, found.means["top1"]), percent(float(np.mean(found.means["ece"])))])
    sentences = [f"Accuracy by severity; {found.made_of}."]
    for name in ("corruptions/mce", "corruptions/relative_mce"):
        if name in results.measures:
            measure = describe(name)
            value = measure.text(results.measures[name])
            sentences.append(f"{measure.title}: {value} relative to the errors of {found.baseline}.")
    severities = (f"severity {severity}" for severity in found.severities)
    return ["## Corruptions", _escape(" ".join(sentences)), _table(("corruption", *severities, "mean ECE"), rows)]


def _transfer(results: RunResults) -> list[str]:
    """The section on other data sets, if the run was transferred to some."""
    rows = transfer_rows(results.measures, results.remarks)
    if not rows:
        return []
    lines = [
        [_escape(row.data), row.protocol, row.metric, row.value, row.interval, *row.published, _escape(row.remark)]
        for row in rows
    ]
    heading = ("data set", "protocol", "metric", "this run", "95 % interval", *ROWS, "settings")
    return ["## Transfer to other data sets", _table(heading, lines)]


def _examples(results: RunResults, pair: ConfusedPair) -> str:
    return _escape(", ".join(results.outputs.examples(pair.label, pair.predicted)))


def _mistakes(results: RunResults) -> str:
    names = results.class_names
    rows = [
        [
            _escape(results.outputs.image_name(m.image)),
            _escape(names[m.label]),
            _escape(names[m.predicted]),
            percent(m.confidence),
        ]
        for m in confident_mistakes(results.outputs)
    ]
    return _table(("test image", "true", "predicted", "confidence"), rows) if rows else "None."


def _value(value: object) -> str:
    return "–" if value is None else _escape(str(value))
