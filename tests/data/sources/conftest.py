"""Small copies of the named sets can be read."""

import pytest
from torchvision import datasets


@pytest.fixture(autouse=True)
def no_checksums(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small files are not those that torchvision knows the checksums of."""
    for kind in (datasets.CIFAR10, datasets.SVHN, datasets.STL10, datasets.Flowers102):
        monkeypatch.setattr(kind, "_check_integrity", lambda _: True)
    monkeypatch.setattr("torchvision.datasets.cifar.check_integrity", lambda *_: True)
    monkeypatch.setattr("torchvision.datasets.svhn.check_integrity", lambda *_: True)
