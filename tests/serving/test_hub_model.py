"""The hub without network: through local folders, and with the one function that talks to it replaced."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch import nn

import supcon
from supcon.base.errors import RequestError, WorkError
from supcon.serving import HubModel, Model, ModelCard, push_to_hub, write_hub_folder
from supcon.serving.hub_model import load_from_hub

CARD = "---\nlicense: mit\n---\n\n# Birds\n"
IMAGES = np.random.default_rng(0).integers(0, 256, (3, 3, 20, 30), dtype=np.uint8)


@pytest.fixture(scope="module")
def model() -> Model:
    card = ModelCard(
        recipe="folder",
        method="supcon",
        data="photos",
        class_names=("a b", "漢字"),
        channels=3,
        image_size=14,
        stored_size=16,
        mean=(0.4, 0.5, 0.6),
        std=(0.2, 0.25, 0.3),
        counts={"train": 10},
        encoder={"name": "small-resnet", "width": 8},
    )
    encoder = card.make_encoder()
    return Model(encoder, nn.Linear(encoder.width, 2), card)


@pytest.fixture
def folder(model: Model, tmp_path: Path) -> Path:
    write_hub_folder(model, tmp_path / "birds", CARD)
    return tmp_path / "birds"


@pytest.mark.parametrize("load", [load_from_hub, supcon.load])
def test_what_is_written_is_loaded_by_the_mixin_and_by_supcon(
    model: Model, folder: Path, load: Callable[[str], Model], capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = load(str(folder))
    np.testing.assert_array_equal(loaded.predict_proba(IMAGES), model.predict_proba(IMAGES))
    assert loaded.classes == model.classes
    assert capsys.readouterr().out == ""


def test_the_folder_has_the_files_that_the_hub_expects(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"README.md", "config.json", "model.json", "model.safetensors"}
    assert (folder / "README.md").read_text().endswith("# Birds\n")
    assert json.loads((folder / "config.json").read_text())["card"]["class_names"] == ["a b", "漢字"]


def test_a_name_is_loaded_through_the_downloads_of_the_mixin(
    model: Model, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def download(repo_id: str, filename: str, **_: Any) -> str:
        asked.append((repo_id, filename))
        return str(folder / filename)

    monkeypatch.setattr("huggingface_hub.hub_mixin.hf_hub_download", download)
    monkeypatch.chdir(tmp_path)
    np.testing.assert_array_equal(supcon.load("someone/birds").embed(IMAGES), model.embed(IMAGES))
    assert asked == [("someone/birds", "config.json"), ("someone/birds", "model.safetensors")]


@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
def test_damaged_weights_are_refused(folder: Path, damage: str) -> None:
    file = folder / "model.safetensors"
    content = file.read_bytes()
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(content[:-100] if damage == "cut" else content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(RequestError, match=r"does not have the weights|has changed since") as caught:
        load_from_hub(str(folder))
    assert "\n" not in str(caught.value)


def test_a_pickle_is_never_loaded(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub.errors import EntryNotFoundError

    class Bomb:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb()))

    def download(repo_id: str, filename: str, **_: Any) -> str:
        if not (folder / filename).exists():
            raise EntryNotFoundError(filename)
        return str(folder / filename)

    monkeypatch.setattr("huggingface_hub.hub_mixin.hf_hub_download", download)
    with pytest.raises(RequestError, match="is a pickle, which could run code"):
        load_from_hub("someone/birds")
    assert not (tmp_path / "ran").exists()


def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"hidden_size": 3}')
    with pytest.raises(RequestError, match="is not a model of supcon"):
        load_from_hub(str(tmp_path))


def test_pushing_uploads_the_folder(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    class Api:
        def __init__(self, **_: Any) -> None: ...

        def create_repo(self, repo_id: str, **options: Any) -> Any:
            seen.update(options, created=repo_id)
            return type("Repo", (), {"repo_id": repo_id})

        def upload_folder(self, *, folder_path: Path, repo_id: str, **_: Any) -> str:
            shutil.copytree(folder_path, tmp_path / "uploaded")
            return f"https://hub.example/{repo_id}/commit/1"

    monkeypatch.setattr("huggingface_hub.hub_mixin.HfApi", Api)
    assert push_to_hub(model, "me/birds", CARD, private=True) == "https://hub.example/me/birds/commit/1"
    assert (seen["created"], seen["private"]) == ("me/birds", True)
    np.testing.assert_array_equal(supcon.load(tmp_path / "uploaded").embed(IMAGES), model.embed(IMAGES))
    assert (tmp_path / "uploaded" / "README.md").read_text() == CARD


def test_a_hub_that_cannot_be_reached_is_one_sentence(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ConnectionError("no\nnetwork")

    monkeypatch.setattr("huggingface_hub.hub_mixin.HfApi.create_repo", fail)
    with pytest.raises(WorkError, match=r"^me/birds could not be pushed to the Hugging Face hub \(no network\)"):
        push_to_hub(model, "me/birds", "# Birds")
    monkeypatch.setattr("huggingface_hub.hub_mixin.hf_hub_download", fail)
    with pytest.raises(RequestError, match=r"There is no folder a/b, and it cannot be loaded .* \(no network\)"):
        load_from_hub("a/b")
    with pytest.raises(RequestError, match="is not a name on the Hugging Face hub"):
        push_to_hub(model, "me/birds/3", "# Birds")


def test_the_module_gives_the_probabilities(model: Model) -> None:
    hub = HubModel.of(model)
    np.testing.assert_allclose(hub(model.prepare(IMAGES)), model.predict_proba(IMAGES), atol=1e-6)
