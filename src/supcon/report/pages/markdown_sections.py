"""Sections of the Markdown report that are lists of sentences or short tables."""

from supcon.report.pages.markdown_syntax import escape, fenced, table
from supcon.report.pages.picture_sections import suspects
from supcon.report.plots.pair_plots import spread_in_words
from supcon.report.run_results import RunResults
from supcon.report.tables.beside import accuracies
from supcon.report.tables.measure_names import percent
from supcon.report.tables.use_it import use_it


def beside_section(results: RunResults) -> list[str]:
    """The accuracy next to that of the baseline and of the pretrained features."""
    shown = accuracies(results)
    rows = [[escape(row.title), percent(row.value), f"{percent(row.low)} to {percent(row.high)}"] for row in shown]
    sentences = [escape(row.sentence) for row in shown if row.sentence]
    return [table(("model", "test accuracy", "95 % interval"), rows), *sentences] if shown else []


def labels_section(results: RunResults) -> list[str]:
    """Training images with suspicious labels: by `supcon audit` if it has run, and by their neighbours."""
    audited = [
        [escape(item.name), escape(item.label), escape(item.suggested), percent(item.probability)]
        for item in results.audited
    ]
    found = [
        [escape(item.name or str(item.image)), escape(item.label), escape(item.voted), percent(item.share, 0)]
        for item in suspects(results)
    ]
    parts = []
    if audited:
        parts.append(table(("training image", "label", "suggested by the audit", "probability"), audited))
    if found:
        parts.append(table(("training image", "label", "most frequent among its neighbours", "share"), found))
    return ["## Suspicious labels", *parts] if parts else []


def pairs_section(results: RunResults) -> list[str]:
    """How much of the gradient hard pairs have."""
    if not results.pairs:
        return []
    return ["## Hard pairs", f"Share in the gradient of the loss. {spread_in_words(results.pairs)}"]


def use_section(results: RunResults) -> list[str]:
    """Lines to copy."""
    found = use_it(results.path)
    return ["## Use it", *(fenced(lines.code, lines.language) for lines in found)] if found else []
