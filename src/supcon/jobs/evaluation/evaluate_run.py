"""`supcon evaluate`: evaluates a finished run again, on its own test images, on corrupted ones or on other data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from supcon.base.checked_arguments import checked_arguments
from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.base.stored_arrays import write_arrays
from supcon.evaluation import SEVERITIES, FrostTexture, frost_texture, mean_measures
from supcon.jobs.data_names import names_of_data, source_remark
from supcon.jobs.evaluation.corrupted import CorruptedSet, made_set, measure, published_set
from supcon.jobs.evaluation.corruption_baseline import corruption_errors, find_baseline, open_baseline
from supcon.jobs.evaluation.corruption_samples import CorruptionSamples
from supcon.jobs.evaluation.option_values import check_evaluation, chosen_corruptions, published_names
from supcon.jobs.evaluation.other_data import measure_on
from supcon.jobs.evaluation.own_data import own_data
from supcon.jobs.evaluation.record_measures import add_measures
from supcon.jobs.model_outputs import evaluate_model
from supcon.jobs.run_pages import write_report
from supcon.runs import Run, open_complete_run
from supcon.serving import Device, Model, load, read_card, torch_device


@checked_arguments
def evaluate(
    run: str | Path,
    *,
    on: str | Path | None = None,
    baseline: str | Path | None = None,
    corruptions: str = "standard",
    severities: Sequence[int] = SEVERITIES,
    bins: int = 15,
    k: int | None = None,
    knn_temperature: float = 0.1,
    seed: int = 0,
    frost: FrostTexture | Literal["auto"] = "auto",
    device: Device = "auto",
    data_root: str | None = None,
) -> Run:
    """Evaluates a finished run, adds the metrics to its `evaluation.json` and rebuilds its report, like the command.

    `on`: None for the run's own test images, `corruptions` for these with the corruptions of ImageNet-C, a folder of
    ImageNet-C or CIFAR-10-C, or any data with the run's classes. The corruption errors are divided by those of the run
    `baseline`; default for ImageNet: AlexNet. `frost` is the texture of that corruption: the published photographs if
    the package imagecorruptions is installed, unless `own` is given.
    """
    opened = open_complete_run(Path(run))
    kind = check_evaluation(
        bins,
        severities,
        k,
        knn_temperature,
        on=on,
        baseline=baseline,
        corruptions=corruptions,
        seed=seed,
        frost=frost,
        data_root=data_root,
    )
    card = read_card(opened)
    if card.multi_label and on is not None:
        raise RequestError(f"{run} has several labels per image, but --on needs one label per image; leave it out.")
    if card.multi_label and bins != 15:
        raise RequestError(f"{run} has several labels per image and no calibration error; leave --bins out.")
    unit = None if baseline is None else open_baseline(opened, Path(baseline))
    if kind == "computed corruptions":
        frost_texture(frost)  # raises if its photographs are asked for and not installed
    model = load(opened.path, torch_device(device))
    if on is None:
        _on_test_images(opened, model, bins, k, knn_temperature)
    elif kind == "other data":
        family = f"on/{names_of_data(opened, [str(on)], 'on')[0]}"
        temperature = opened.measures.get("validation/temperature")
        measures = measure_on(model, str(on), family, bins, temperature, data_root)
        add_measures(opened, [family], measures, source_remark(family, str(on)))
    else:
        if kind == "computed corruptions":
            images = made_set(own_data(opened), chosen_corruptions(corruptions), severities, seed, frost)
        else:
            root = Path(on).expanduser()
            images = published_set(root, card, published_names(root, corruptions, severities), severities)
        _on_corruptions(opened, model, images, unit, bins)
    write_report(opened)
    return opened


def _on_test_images(run: Run, model: Model, bins: int, k: int | None, knn_temperature: float) -> None:
    """Repeats the standard evaluation, for example with other bins or another k; the training costs stay recorded."""
    data = own_data(run)
    measures, arrays = evaluate_model(model.encoder, model.classifier, data, bins=bins, neighbours=(k, knn_temperature))
    write_arrays(run.outputs_file, arrays)
    add_measures(run, ["test", "validation"], measures, {"test/bins": str(bins)} if bins != 15 else None)


def _on_corruptions(run: Run, model: Model, images: CorruptedSet, baseline: Run | None, bins: int) -> None:
    def add_to(other: Run, model: Model) -> dict[str, float]:
        samples = CorruptionSamples()
        measures = measure(model, samples.watching(images), f"corruptions of {other.name}", bins)
        samples.write(other, images)
        measures |= mean_measures(measures)
        add_measures(other, ["corruptions"], measures, images.remarks)
        return measures

    device = str(model.classifier.weight.device)

    def measure_baseline(other: Run) -> None:
        add_to(other, load(other.path, device))
        write_report(other)

    unit = find_baseline(baseline, model.card, images, measure_baseline)
    measures = add_to(run, model)
    if unit is None:
        say("No mean corruption error: there are no published errors for this data; give a run with --baseline.")
        return
    measures |= corruption_errors(measures, 1 - run.measures["test/top1"], unit)
    add_measures(run, ["corruptions"], measures, {**images.remarks, "corruptions/baseline": unit.name})
