"""`supcon push`: publishes the model of a run on the Hugging Face hub, with a card made of the report's figures."""

from dataclasses import replace
from pathlib import Path

from huggingface_hub import EvalResult, ModelCardData

from supcon.base.checked_arguments import checked_arguments
from supcon.base.errors import RequestError
from supcon.jobs.run_pages import read_results
from supcon.report import RunResults, model_card_text
from supcon.runs import open_complete_run
from supcon.serving import load, push_to_hub, write_hub_folder

_METRICS = {
    "test/top1": ("accuracy", "accuracy"),
    "test/top5": ("accuracy", "top-5 accuracy"),
    "test/mean_per_class": ("accuracy", "mean per-class accuracy"),
    "test/ece": ("expected_calibration_error", "expected calibration error"),
    "test/map": ("mean_average_precision", "mean average precision"),
}
"""The metrics that the hub shows next to the card: type and name."""


@checked_arguments
def push(
    run: str | Path,
    name: str | None = None,
    *,
    folder: str | Path | None = None,
    private: bool | None = None,
    license: str | None = None,  # noqa: A002, the hub's own word
) -> str:
    """Uploads the model of a finished run to `OWNER/NAME` on the hub, or writes to `folder` what would be uploaded.

    Returns the address of the commit, or the folder. `supcon.load` loads either.
    """
    if (name is None) == (folder is None):
        raise RequestError("Give either a name on the hub, such as someone/birds, or --folder, not both.")
    opened = open_complete_run(Path(run))
    model, results = load(opened.path), _without_paths(read_results(opened))
    if folder is None:
        assert name is not None
        return push_to_hub(model, name, _card(results, name, license), private=private)
    path = Path(folder)
    if path.is_file() or (path.is_dir() and any(path.iterdir()) and not (path / "config.json").exists()):
        raise RequestError(f"{path} exists and is not a folder of a model; choose another --folder.")
    write_hub_folder(model, path, _card(results, path.name, license))
    return str(path)


def _without_paths(results: RunResults) -> RunResults:
    """The results without the folders of this machine in the recipe, which is published."""
    data = {**results.recipe.get("data", {}), "spec": results.data["name"], "root": None}
    encoder = dict(results.recipe.get("encoder", {}))
    if isinstance(encoder.get("pretrained"), str):
        encoder["pretrained"] = Path(encoder["pretrained"]).name
    return replace(results, recipe={**results.recipe, "data": data, "encoder": encoder})


def _card(results: RunResults, name: str, license: str | None) -> str:  # noqa: A002
    data = ModelCardData(
        library_name="supcon",
        pipeline_tag="image-classification",
        tags=["supervised-contrastive-learning", "image-classification", "image-feature-extraction"],
        license=license,
        model_name=name.rpartition("/")[2] or name,
        eval_results=[_result(results, metric) for metric in _METRICS if metric in results.measures],
    )
    return f"---\n{data.to_yaml()}\n---\n\n{model_card_text(results, name)}"


def _result(results: RunResults, metric: str) -> EvalResult:
    kind, title = _METRICS[metric]
    data = str(results.data["name"])
    return EvalResult(
        task_type="image-classification",
        dataset_type=data,
        dataset_name=data,
        dataset_split="test",
        metric_type=kind,
        metric_name=title,
        metric_value=round(float(results.measures[metric]), 6),
    )
