"""`supcon transfer`: transfers a run's encoder to other data sets."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from supcon.base.checked_arguments import checked_arguments
from supcon.base.progress import Advance, bar, say
from supcon.base.random_state import kept_random_state
from supcon.data import DataConfig, Split, short_name
from supcon.encoder import Encoder
from supcon.evaluation import Encode, accuracy_interval, encode_split
from supcon.jobs.data_names import names_of_data, source_digest, source_remark
from supcon.jobs.evaluation.record_measures import add_measures
from supcon.jobs.run_pages import write_report
from supcon.jobs.transfer_learning.check_transfer import check_transfer
from supcon.jobs.transfer_learning.choose_candidate import Validate, choose
from supcon.jobs.transfer_learning.config import Candidate, Protocol, TransferConfig
from supcon.jobs.transfer_learning.fine_tune import fine_tune
from supcon.jobs.transfer_learning.logistic_regression import fit_linear
from supcon.jobs.transfer_learning.task_metrics import score
from supcon.jobs.transfer_learning.transfer_memory import fit_transfer_to_memory
from supcon.jobs.transfer_learning.transfer_network import with_channels
from supcon.jobs.transfer_learning.transfer_task import Task, load_task
from supcon.jobs.transfer_learning.transfer_time import say_time
from supcon.runs import Run, open_complete_run
from supcon.serving import Device, Model, load, torch_device


@checked_arguments
@kept_random_state()
def transfer(
    run: str | Path,
    data: Sequence[str | Path],
    *,
    protocols: Sequence[Protocol] = ("fine-tune",),
    config: TransferConfig | None = None,
    seed: int = 0,
    device: Device = "auto",
    data_root: str | None = None,
    download: bool = False,
) -> Run:
    """Fine-tunes the run's encoder on each data set, or fits a linear classifier on it, like `supcon transfer`.

    As in SimCLR, learning rate and weight decay are chosen on validation images; a network trained with the chosen ones
    on training and validation images is tested once. Each result is added to `evaluation.json` as soon as it is known.
    """
    opened = open_complete_run(Path(run))
    check_transfer(data, seed, data_root, download=download)
    model = load(opened.path, torch_device(device))
    config = config or TransferConfig()
    specs = [str(spec) for spec in data]
    for spec, name in zip(specs, names_of_data(opened, specs, "transfer"), strict=True):
        size = config.image_size or model.card.image_size
        wanted = DataConfig(spec=spec, image_size=size, root=data_root, download=download)
        for number, protocol in enumerate(protocols):
            task = replace(load_task(wanted, seed, protocol), name=name)
            if number == 0:
                counts = " / ".join(f"{len(split):,}" for split in (task.train, task.validation, task.test))
                say(f"{task.name}: {counts} training, validation and test images of {task.classes} classes.")
            own = fit_transfer_to_memory(model.encoder, task, replace(config, protocol=protocol))
            say_time(model.encoder, task, own)
            _transfer(opened, model, task, spec, own, seed)
            write_report(opened)
    return opened


def _transfer(run: Run, model: Model, task: Task, spec: str, config: TransferConfig, seed: int) -> None:
    work = _fine_tuning if config.protocol == "fine-tune" else _linear
    best, logits = work(run, model, task, _scores_file(run, spec, config), config, seed)
    family = f"transfer/{task.name}/{config.protocol.replace('-', '_')}"
    measures = {f"{family}/{task.metric}": score(logits, task.test.labels, task.metric)}
    if task.metric == "top1":
        low, high = accuracy_interval(logits.argmax(1) == task.test.labels)
        measures |= {f"{family}/top1_low": low, f"{family}/top1_high": high}
    remarks = {f"{family}/protocol": f"{config.summary}; chosen: {best.title}"} | source_remark(family, spec)
    add_measures(run, [family], measures, remarks)


def _fine_tuning(
    run: Run, model: Model, task: Task, file: Path, config: TransferConfig, seed: int
) -> tuple[Candidate, Tensor]:
    encoder = model.encoder
    with bar(f"fine-tuning on {task.name}", (len(config.candidates) + 1) * config.steps, "steps") as advance:

        def train(candidate: Candidate, split: Split) -> nn.Module:
            advance(steps=0, note=candidate.title)
            return fine_tune(
                encoder, task.classes, split, task.image_size, config, candidate, seed=seed, advance=advance
            )

        def validate(candidate: Candidate) -> float:
            logits = _encoded(train(candidate, task.train), task.validation, task, encoder)
            return score(logits, task.validation.labels, task.metric)

        best, _ = _choose(run, model, task, file, config, seed, validate)
        return best, _encoded(train(best, task.train_and_validation), task.test, task, encoder)


def _linear(
    run: Run, model: Model, task: Task, file: Path, config: TransferConfig, seed: int
) -> tuple[Candidate, Tensor]:
    encoder = model.encoder

    def encode(images: Tensor) -> Tensor:
        rows: Tensor = encoder(with_channels(images, len(encoder.mean)))
        return rows

    splits = (task.train, task.validation, task.test)
    with bar(f"encoding {task.name}", sum(map(len, splits)), "images") as advance:
        train, validation, test = (_encoded(encode, split, task, encoder, advance) for split in splits)
    layer: nn.Linear | None = None
    with bar(f"linear on {task.name}", len(config.candidates) + 1, "fits") as advance:

        def validate(candidate: Candidate) -> float:
            nonlocal layer
            layer = fit_linear(train, task.train.labels, task.classes, candidate.weight_decay, layer)
            advance(note=candidate.title)
            return score(layer(validation.double()), task.validation.labels, task.metric)

        best, _ = _choose(run, model, task, file, config, seed, validate)
        labels = torch.cat([task.train.labels, task.validation.labels])
        final = fit_linear(torch.cat([train, validation]), labels, task.classes, best.weight_decay)
        advance()
    return best, final(test.double())


def _scores_file(run: Run, spec: str, config: TransferConfig) -> Path:
    """Not by the name of the data alone: a search that was stopped has no row whose name another could avoid."""
    return run.path / "transfer" / f"{short_name(spec)}-{source_digest(spec)}-{config.protocol}.json"


def _choose(
    run: Run, model: Model, task: Task, file: Path, config: TransferConfig, seed: int, validate: Validate
) -> tuple[Candidate, float]:
    settings: dict[str, object] = {"data": task.name, "fingerprint": task.fingerprint, "seed": seed, **config.settings}
    settings["model"] = model.digest  # that of a resumed run is another one
    return choose(config.candidates, validate, run, file, settings)


def _encoded(encode: Encode, split: Split, task: Task, encoder: Encoder, advance: Advance = lambda **_: None) -> Tensor:
    device = encoder.mean.device
    return encode_split(encode, split, task.image_size, device=device, advance=advance)
