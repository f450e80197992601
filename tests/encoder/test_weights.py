import argparse
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import timm
import torch
import torchvision
from safetensors.torch import save_file
from torch import Tensor, nn

from references.encoders import close, encoder, images, trained
from supcon.base.errors import RequestError
from supcon.encoder.encoder import Encoder

Weights = dict[str, Tensor]


def theirs(name: str = "resnet18") -> Any:
    torch.manual_seed(0)
    return trained(getattr(torchvision.models, name)(weights=None))


def expected(model: Any) -> Tensor:
    with torch.inference_mode():
        found: Tensor = model((images().float() / 255 - 0.5) / 0.25)
    return found


def features(model: Any) -> Tensor:
    model.fc = nn.Identity()
    return expected(model)


@torch.inference_mode()
def representations(source: Encoder) -> Tensor:
    found: Tensor = source(images())
    return found


def authors_file(path: Path, weights: Weights, prefix: str) -> None:
    """The layout of the authors' PyTorch code: arguments, model, optimizer, epoch; other names for the shortcuts."""
    model = {prefix + name.replace("downsample", "shortcut"): value for name, value in weights.items()}
    model["head.0.weight"] = torch.zeros(3, 3)
    options = argparse.Namespace(batch_size=1024, lr_decay_epochs=[700, 800], cosine=True, model_name="SupCon")
    torch.save({"opt": options, "model": model, "optimizer": {"state": {}, "param_groups": []}, "epoch": 1000}, path)


def without_classifier(weights: Weights) -> Weights:
    return {name: value for name, value in weights.items() if not name.startswith("fc.")}


@pytest.mark.parametrize("name", ["resnet18", "resnet50"])
@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_torchvisions_file_gives_torchvisions_features(tmp_path: Path, name: str, suffix: str) -> None:
    model, path = theirs(name), tmp_path / f"weights{suffix}"
    (torch.save if suffix == ".pth" else save_file)(model.state_dict(), path)
    found = representations(encoder(name, str(path)))
    assert close(found, features(model))


@pytest.mark.parametrize("prefix", ["encoder.", "module.encoder.", "encoder.module.", "module."])
def test_the_authors_checkpoint_loads_without_its_head(tmp_path: Path, prefix: str) -> None:
    model = theirs()
    authors_file(tmp_path / "last.pth", without_classifier(model.state_dict()), prefix)
    found = representations(encoder(pretrained=str(tmp_path / "last.pth")))
    assert close(found, features(model))


def test_the_authors_small_stem_loads_as_well(tmp_path: Path) -> None:
    source = encoder(stem="small", image_size=32)
    trained(source.network)
    authors_file(tmp_path / "last.pth", dict(source.network.state_dict()), "encoder.module.")
    found = encoder(pretrained=str(tmp_path / "last.pth"), stem="auto", image_size=32)
    with torch.inference_mode():
        assert torch.equal(found(images(32)), source(images(32)))


@pytest.mark.parametrize("name", ["mobilenetv3_small_050", "convnext_atto"])
def test_timms_file_with_its_classifier(tmp_path: Path, name: str) -> None:
    model = trained(timm.create_model(name, num_classes=7))
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    found = representations(encoder(f"timm:{name}", str(tmp_path / "model.safetensors"), stem="auto"))
    model.reset_classifier(0)  # type: ignore[operator]
    assert close(found, expected(model))


@pytest.mark.parametrize("how", ["run", "checkpoint"])
def test_files_of_ours(tmp_path: Path, how: str) -> None:
    source = encoder("small-resnet", stem="auto")
    trained(source.network)
    parts = nn.ModuleDict(
        {"encoder": source, "classifier": nn.Linear(32, 5), "momentum_encoder": encoder("small-resnet", stem="auto")}
    )
    if how == "run":
        save_file(
            {name: value.contiguous() for name, value in parts.state_dict().items()}, tmp_path / "model.safetensors"
        )
    else:
        torch.save({"epoch": 3, "state_dict": parts.state_dict()}, tmp_path / "last.ckpt")
    path = tmp_path if how == "run" else tmp_path / "last.ckpt"
    found = encoder("small-resnet", str(path), stem="auto")
    assert torch.equal(representations(found), representations(source))


def test_old_files_without_batch_counters_load(tmp_path: Path) -> None:
    model = theirs()
    weights = {name: value for name, value in model.state_dict().items() if "num_batches" not in name}
    torch.save(weights, tmp_path / "old.pth")
    assert close(representations(encoder(pretrained=str(tmp_path / "old.pth"))), features(model))


class Evil:
    """What a pickle can do to whoever loads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def test_a_file_never_runs_code(tmp_path: Path) -> None:
    path, trace = tmp_path / "evil.pth", tmp_path / "trace"
    torch.save({"model": theirs().state_dict(), "opt": Evil(trace)}, path)
    with pytest.raises(RequestError, match=rf"^{path} cannot be read as weights; .* since others could run code\.$"):
        encoder(pretrained=str(path))
    assert not trace.exists()


@pytest.mark.parametrize("content", [b"", b"no weights", pickle.dumps([1, 2])])
@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_damaged_files_are_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(content)
    with pytest.raises(RequestError, match=rf"^{path} (cannot be read as weights|holds no weights by name)"):
        encoder(pretrained=str(path))


@pytest.mark.parametrize("values", [{}, {"epoch": 3}, {"model": {"a": 1}}, [torch.zeros(2)], torch.zeros(2)])
def test_a_file_without_weights_by_name_is_refused(tmp_path: Path, values: Any) -> None:
    torch.save(values, tmp_path / "other.pth")
    with pytest.raises(RequestError, match="holds no weights by name"):
        encoder(pretrained=str(tmp_path / "other.pth"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=rf"^There is no file of weights {tmp_path}/model\.safetensors; give"):
        encoder(pretrained=str(tmp_path))


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ({"name": "resnet34"}, {}, r"has layer1\.2\.conv1\.weight, which the encoder does not have"),
        ({}, {"name": "resnet34"}, r"has no layer1\.2\.conv1\.weight and \d+ more, which the encoder needs"),
        (
            {},
            {"stem": "small"},
            r"conv1\.weight of shape \[64, 3, 7, 7\], .* needs \[64, 3, 3, 3\]; .* --encoder\.stem",
        ),
        ({"name": "small-resnet", "stem": "auto"}, {}, r"has no \S*conv1\.weight and \d+ more"),
    ],
)
def test_weights_of_another_encoder_are_refused(
    tmp_path: Path, source: dict[str, Any], target: dict[str, Any], message: str
) -> None:
    torch.save(encoder(**source).network.state_dict(), tmp_path / "other.pth")
    with pytest.raises(RequestError, match=message):
        encoder(**target, pretrained=str(tmp_path / "other.pth"))
