import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import supcon
from random_models import CLASSES, card, pixels, random_model
from supcon.base.atomic_files import write_json, write_yaml
from supcon.base.errors import RequestError, WorkError
from supcon.runs import Run, create_run
from supcon.serving import Model, load, model_bytes, save_model


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = create_run(tmp_path / "photos-supcon")
    write_yaml(run.recipe_file, {"recipe": "folder"})
    return run


def saved(run: Run, model: Model) -> Run:
    save_model(run, model)
    write_json(run.evaluation_file, {})
    return run


@pytest.mark.parametrize(
    "encoder",
    [
        {"name": "small-resnet", "stem": "auto", "width": 8, "normalize_representation": True},
        {"name": "small-resnet", "stem": "auto", "width": 4, "normalize_representation": False},
        {"name": "resnet18", "stem": "imagenet", "width": 32, "normalize_representation": True},
    ],
)
def test_a_loaded_model_predicts_what_the_saved_one_did(run: Run, encoder: dict[str, Any]) -> None:
    model = random_model(encoder=encoder)
    loaded = load(saved(run, model).path)
    np.testing.assert_array_equal(loaded.embed(pixels()), model.embed(pixels()))
    np.testing.assert_array_equal(loaded.predict_proba(pixels()), model.predict_proba(pixels()))
    assert loaded.predict(pixels()) == model.predict(pixels())
    assert loaded.classes == list(CLASSES)


def test_the_package_loads_by_the_same_name(run: Run) -> None:
    path = str(saved(run, random_model()).path)
    assert isinstance(supcon.load(path), Model)


def test_the_file_alone_is_the_same_model(run: Run, tmp_path: Path) -> None:
    model = random_model()
    alone = saved(run, model).model_file.rename(tmp_path / "alone.safetensors")
    np.testing.assert_array_equal(load(alone).predict_proba(pixels()), model.predict_proba(pixels()))
    assert load(alone).classes == list(CLASSES)


def test_a_file_without_its_card_is_refused_until_the_card_is_next_to_it(run: Run, tmp_path: Path) -> None:
    model = random_model()
    weights = load_file(saved(run, model).model_file)
    (tmp_path / "other").mkdir()
    bare = tmp_path / "other" / "model.safetensors"
    save_file(weights, bare)
    with pytest.raises(RequestError, match=r"does not say what model .*; put its model\.json next to it"):
        load(bare)
    write_json(bare.with_name("model.json"), vars(card()))
    np.testing.assert_array_equal(load(bare).embed(pixels()), model.embed(pixels()))


def test_a_folder_of_the_two_files_is_a_model(run: Run, tmp_path: Path) -> None:
    folder = saved(run, random_model()).path
    for name in ("recipe.yaml", "evaluation.json"):
        (folder / name).unlink()
    assert load(folder).classes == list(CLASSES)


@pytest.mark.parametrize("content", [b"", b"weights", b"\x80\x04cos\nsystem\n(S'touch x'\ntR."])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    for name, message in (("x.pth", r"is not a \.safetensors file"), ("x.safetensors", "does not have the weights")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RequestError, match=message):
            load(tmp_path / name)


def test_weights_that_were_changed_are_refused(run: Run) -> None:
    content = bytearray(saved(run, random_model()).model_file.read_bytes())
    content[-5] ^= 1
    run.model_file.write_bytes(content)
    with pytest.raises(RequestError, match=r"has changed"):
        load(run.path)


def test_weights_of_another_run_are_refused(run: Run, tmp_path: Path) -> None:
    other = random_model()
    other.classifier.bias.data += 1
    saved(run, random_model()).model_file.write_bytes(model_bytes(other))
    with pytest.raises(RequestError, match="or is of another run"):
        load(run.path)


def test_the_card_comes_back(run: Run) -> None:
    loaded = load(saved(run, random_model()).path).card
    assert loaded.weights_digest is not None
    loaded = replace(loaded, weights_digest=None)
    assert loaded == replace(card(), class_names=list(CLASSES), mean=[0.4, 0.5, 0.6], std=[0.2, 0.25, 0.3])
    assert json.loads(run.model_card_file.read_text(encoding="utf-8"))["class_names"] == list(CLASSES)


def test_the_weights_keep_their_names_and_hold_no_pickle(run: Run) -> None:
    model = random_model()
    weights = load_file(saved(run, model).model_file)
    assert {name.split(".")[0] for name in weights} == {"encoder", "classifier"}
    assert torch.equal(weights["classifier.weight"], model.classifier.weight)
    assert torch.equal(weights["encoder.network.stem.0.weight"], model.encoder.network.stem[0].weight)  # type: ignore[index,union-attr]


def test_an_unfinished_run_is_refused(run: Run) -> None:
    save_model(run, random_model())
    with pytest.raises(RequestError, match="is not finished; continue it with"):
        load(run.path)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"There is no folder .*nowhere; "):
        load(tmp_path / "nowhere")
    with pytest.raises(RequestError, match="is not a run"):
        load(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "missing", "other-encoder", "other-classes", "extra"])
def test_weights_that_do_not_fit_are_refused(run: Run, damage: str) -> None:
    saved(run, random_model())
    content = run.model_file.read_bytes()
    if damage in ("cut", "text", "empty"):
        run.model_file.write_bytes({"cut": content[: len(content) // 2], "text": b"weights", "empty": b""}[damage])
    elif damage == "missing":
        run.model_file.unlink()
    elif damage == "other-encoder":
        write_json(run.model_card_file, vars(card(encoder={"width": 16, "name": "small-resnet"})))
    elif damage == "other-classes":
        write_json(run.model_card_file, vars(card(class_names=("one", "two"))))
    else:
        write_json(run.model_card_file, vars(card(encoder={"name": "resnet18"})))
    with pytest.raises(RequestError) as caught:
        load(run.path)
    assert str(caught.value).startswith(f"{run.model_file} does not have the weights that model.json describes (")
    advice = f"); `supcon train --resume --out {run.path}` writes it again from the run's checkpoints."
    assert str(caught.value).endswith(advice)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", [{"surprise": 1}, {"encoder": {"depth": 3}}, {"encoder": {"name": "resnet19"}}])
def test_a_card_that_describes_no_model_is_refused(run: Run, change: dict[str, Any]) -> None:
    saved(run, random_model())
    write_json(run.model_card_file, vars(card()) | change)
    with pytest.raises(RequestError) as caught:
        load(run.path)
    assert str(caught.value).startswith(f"{run.model_card_file} does not describe a model (")
    assert str(caught.value).endswith("); train the run again.")


def test_a_card_without_a_value_is_refused(run: Run) -> None:
    saved(run, random_model())
    values = vars(card())
    write_json(run.model_card_file, {name: value for name, value in values.items() if name != "class_names"})
    with pytest.raises(RequestError, match=r"does not describe a model \(.*class_names"):
        load(run.path)


def test_a_damaged_or_missing_card_is_refused(run: Run) -> None:
    saved(run, random_model()).model_card_file.write_text("{")
    with pytest.raises(RequestError, match=r"model\.json is damaged"):
        load(run.path)
    run.model_card_file.unlink()
    with pytest.raises(RequestError, match=r"model\.json is missing"):
        load(run.path)


def test_a_full_disk_leaves_no_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(WorkError, match=r"^The disk is full: .*model\.safetensors"):
        save_model(run, random_model())
    assert [path.name for path in run.path.iterdir()] == ["recipe.yaml"]
