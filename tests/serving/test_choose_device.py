"""The device of a finished model."""

import pytest
import torch

from supcon.base.errors import RequestError
from supcon.serving.choose_device import torch_device


def test_auto_takes_the_gpu_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [torch_device(name) for name in ("auto", "cpu", "gpu")] == ["cuda", "cpu", "cuda"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert [torch_device(name) for name in ("auto", "cpu")] == ["cpu", "cpu"]
    with pytest.raises(RequestError, match="--device gpu was given, but torch finds no GPU; leave it out to use the"):
        torch_device("gpu")
