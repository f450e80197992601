"""The device of a finished model."""

import pytest
import torch

from supcon.base.errors import RequestError
from supcon.serving.choose_device import checked_device, torch_device


def test_auto_takes_the_gpu_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [torch_device(name) for name in ("auto", "cpu", "gpu")] == ["cuda", "cpu", "cuda"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert [torch_device(name) for name in ("auto", "cpu")] == ["cpu", "cpu"]
    with pytest.raises(RequestError, match="The device gpu was given, but torch finds no GPU; use auto or cpu"):
        torch_device("gpu")


def test_a_device_may_be_named_as_torch_does_or_as_the_commands_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert [checked_device(name) for name in ("auto", "cpu")] == ["cpu", "cpu"]
    with pytest.raises(RequestError, match="finds no GPU"):
        checked_device("gpu")
    for name in ("cuda:7", "nonsense"):
        with pytest.raises(RequestError, match=f"device '{name}' cannot be used "):
            checked_device(name)
