"""The paragraph that describes a run: encoder, method, data, stages."""

from collections.abc import Mapping
from typing import Any

from supcon.report.run_results import RunResults
from supcon.report.tables.settings import setting

METHODS = {
    "supcon": "supervised contrastive learning",
    "supcon-in": "supervised contrastive learning in its L_in form",
    "simclr": "self-supervised contrastive learning (SimCLR), which does not use the labels,",
    "n-pairs": "the N-pairs loss",
    "triplet": "the triplet loss",
    "cross-entropy": "cross-entropy",
    "cross-entropy-two-stage": "cross-entropy in two stages",
    "large-margin": "the large-margin loss",
    "joint": "the contrastive loss and a linear classifier together",
}
ONE_STAGE = ("cross-entropy", "large-margin", "joint")


def one_stage(results: RunResults) -> bool:
    """Whether encoder and classifier were trained together."""
    return results.method in ONE_STAGE


def summary(results: RunResults) -> str:
    """One paragraph about the encoder, the method, the data, the stages, and the test images."""
    parts = [training_sentence(results), _second_stage(results), _testing(results)]
    return " ".join(part for part in parts if part)


def stage_title(results: RunResults, stage: str) -> str:
    """A stage's heading."""
    if one_stage(results):
        return "Training, encoder and classifier together"
    second = (
        "fine-tuning" if setting(results.recipe, "stage2.encoder_lr") else "a linear classifier on the frozen encoder"
    )
    titles = {"stage1": "Stage 1: the encoder", "stage2": f"Stage 2: {second}"}
    return titles.get(stage, stage)


def method_in_words(method: str) -> str:
    return METHODS.get(method, method or "an unnamed method")


def training_sentence(results: RunResults, verb: str = "was trained") -> str:
    """Encoder, data, method and length of stage 1."""
    recipe, data = results.recipe, results.data
    encoder = setting(recipe, "encoder.name")
    started = ", from pretrained weights" if setting(recipe, "encoder.pretrained") else ""
    subject = f"The encoder ({encoder}{started})" if encoder else "The encoder"
    images = f"{_count(data, 'train')} training images of “{data.get('name', 'unnamed data')}”"
    text = f"{subject} {verb} on {images} with {method_in_words(results.method)}"
    return f"{text}{_epochs(recipe, 'stage1')}{_batches(recipe)}."


def _epochs(recipe: Mapping[str, Any], stage: str) -> str:
    epochs = setting(recipe, f"{stage}.epochs")
    return "" if epochs is None else f" for {epochs} epoch{'' if epochs == 1 else 's'}"


def _batches(recipe: Mapping[str, Any]) -> str:
    batch, views = setting(recipe, "stage1.batch_size"), setting(recipe, "views.count")
    if batch is None:
        return ""
    if views is None:
        return f", in batches of {batch}"
    return f", in batches of {batch} images with {views} random views of each"


def _second_stage(results: RunResults) -> str:
    if one_stage(results) or "stage2" not in results.recipe:
        return ""
    epochs, encoder_lr = _epochs(results.recipe, "stage2"), setting(results.recipe, "stage2.encoder_lr")
    if encoder_lr:
        return f"Then a linear classifier and the encoder were trained together{epochs}."
    cached = " from representations computed once" if setting(results.recipe, "stage2.cached") else ""
    return f"Then a linear classifier was trained on the frozen encoder{cached}{epochs}."


def _testing(results: RunResults) -> str:
    kind = results.remarks.get("images/tested", "test")
    images = f"{len(results.outputs.labels):,} {kind} images ({len(results.class_names)} classes)"
    none = " The data has no test images of its own; what is called test here are its validation images."
    text = f"All results are of the last epoch, on {images} that were not used in training."
    return text if kind == "test" else text + none


def _count(data: Mapping[str, Any], split: str) -> str:
    count = setting(data, f"counts.{split}")
    return f"{count:,}" if isinstance(count, int) else "all"
