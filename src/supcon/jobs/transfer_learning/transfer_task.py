"""A data set to transfer to."""

from dataclasses import dataclass, replace
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.base.progress import bar
from supcon.data import DataConfig, Metric, Split, decode_listed, images_in_splits, join_splits, list_data
from supcon.jobs.transfer_learning.config import Protocol


@dataclass(frozen=True, kw_only=True)
class Task:
    """Images to train on, to choose hyperparameters on, and to test on once."""

    name: str
    classes: int
    train: Split
    validation: Split
    test: Split
    image_size: int
    metric: Metric
    fingerprint: str
    """A hash that changes when an image, a label or a split changes."""

    @property
    def train_and_validation(self) -> Split:
        """The images that the chosen candidate is trained on before the test (B.8)."""
        return join_splits(self.train, self.validation)


def load_task(config: DataConfig, seed: int, protocol: Protocol = "fine-tune") -> Task:
    """Loads the data of `config`, whose image size should be the one that the encoder was trained on.

    For the linear protocol images are resized bicubically so that the shorter side has that size, and the centre is
    cropped (SimCLR's B.8, with 224 pixels).
    """
    listed = list_data(config, seed)
    if protocol == "linear":
        size = listed.layout.image_size
        layout = replace(listed.layout, stored_size=size, aspect=1.0, resampling="bicubic")
        listed = replace(listed, layout=layout)
    data = decode_listed(listed, bar)
    if len(data.test) == 0 or len(data.validation) == 0:
        raise RequestError(f"{config.spec} has no validation or no test images, but transfer needs both; add some.")
    return Task(
        name=Path(data.name).name,
        classes=len(data.class_names),
        train=data.train,
        validation=data.validation,
        test=data.test,
        image_size=data.image_size,
        metric="map_11_point" if data.multi_label else data.metric,
        fingerprint=images_in_splits(listed).digest,
    )
