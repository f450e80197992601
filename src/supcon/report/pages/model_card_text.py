"""The text of a model card: what the model is, its figures from the report, how to use it."""

from supcon.report.pages.cards import headline
from supcon.report.pages.markdown_syntax import escape, fenced, table
from supcon.report.run_results import RunResults
from supcon.report.tables.measure_table import measure_rows
from supcon.report.tables.settings import recipe_yaml
from supcon.report.tables.summary import summary

_SHOWN_CLASSES = 200


def model_card_text(results: RunResults, name: str) -> str:
    """Markdown for the model called `name` (`OWNER/NAME` on the hub, or a folder)."""
    cards = [[card.title, card.value, escape(card.meaning)] for card in headline(results)]
    rows = [
        [escape(row.measure.title), row.value, row.interval, escape(row.meaning)]
        for row in measure_rows(results.measures, results.remarks)
        if row.family != "Cost"
    ]
    size, channels = results.data["image_size"], results.data["channels"]
    inputs = f"{'RGB' if channels == 3 else 'Grey'} images of any size; the encoder sees {size}x{size} pixels."
    sections = [
        f"# {escape(name)}",
        escape(summary(results)),
        table(("metric", "value", "meaning"), cards),
        "## Use",
        fenced(_usage(name), "python"),
        f"{inputs} Images are decoded, resized and normalized as in the evaluation.",
        "## Classes",
        _classes(results),
        "## All metrics on the test images",
        table(("metric", "value", "95 % interval", "explanation"), rows),
        "## Training",
        "The recipe, for `supcon train --config`:",
        fenced(recipe_yaml(results.recipe), "yaml"),
        "The method is that of [Supervised Contrastive Learning](https://arxiv.org/abs/2004.11362) (Khosla et al., "
        "2020).",
    ]
    return "\n\n".join(sections) + "\n"


def _usage(name: str) -> str:
    return f"""import supcon

model = supcon.load({name!r})
model.predict(["photo.jpg"])        # class names
model.predict_proba(["photo.jpg"])  # [image, class]
model.embed(["photo.jpg"])          # representations"""


def _classes(results: RunResults) -> str:
    names = [escape(name) for name in results.class_names]
    more = f", and {len(names) - _SHOWN_CLASSES} more" if len(names) > _SHOWN_CLASSES else ""
    return f"{len(names)}: {', '.join(names[:_SHOWN_CLASSES])}{more}."
