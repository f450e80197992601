"""A data set to transfer to."""

from dataclasses import dataclass
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.base.progress import bar
from supcon.data import DataConfig, Metric, Split, join_splits, load_data


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

    @property
    def train_and_validation(self) -> Split:
        """The images that the chosen candidate is trained on before the test (B.8)."""
        return join_splits(self.train, self.validation)


def load_task(config: DataConfig, seed: int) -> Task:
    """Loads a data set; its image size should be the one that the encoder was trained on."""
    data = load_data(config, seed, bar)
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
    )
