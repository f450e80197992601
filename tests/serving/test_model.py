import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import load_file
from torch import nn

import supcon
from supcon.base.atomic_files import write_json, write_yaml
from supcon.base.errors import RequestError, WorkError
from supcon.encoder.config import EncoderConfig
from supcon.runs import Run, create_run
from supcon.serving import Model, ModelCard, load, save_model

CLASSES = ("a b", "É", "漢字", '<i>"x"')


def card(**changes: Any) -> ModelCard:
    values: dict[str, Any] = {
        "recipe": "folder",
        "method": "supcon",
        "data": "photos",
        "class_names": CLASSES,
        "channels": 3,
        "image_size": 14,
        "stored_size": 16,
        "mean": (0.4, 0.5, 0.6),
        "std": (0.2, 0.25, 0.3),
        "counts": {"train": 10, "validation": 2, "test": 3},
        "encoder": {"name": "small-resnet", "stem": "auto", "width": 8, "normalize_representation": True},
    }
    return ModelCard(**(values | changes))


def random_model(**changes: Any) -> Model:
    """Random weights, norms and averages: nothing is left at a value that a fresh model would have."""
    torch.manual_seed(0)
    described = card(**changes)
    encoder = described.make_encoder()
    for tensor in encoder.network.state_dict().values():
        if tensor.is_floating_point():
            tensor.uniform_(0.2, 1.0)
    return Model(encoder, nn.Linear(encoder.width, len(CLASSES)), described)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = create_run(tmp_path / "photos-supcon")
    write_yaml(run.recipe_file, {"recipe": "folder"})
    return run


def saved(run: Run, model: Model) -> Run:
    save_model(run, model)
    write_json(run.evaluation_file, {})
    return run


def pixels(count: int = 5, height: int = 16, width: int = 16, channels: int = 3) -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (count, channels, height, width), dtype=np.uint8)


# Saving and loading


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
    assert loaded.class_names == list(CLASSES)


def test_the_package_loads_by_the_same_name(run: Run) -> None:
    path = str(saved(run, random_model()).path)
    assert isinstance(supcon.load(path), Model)


def test_the_card_comes_back(run: Run) -> None:
    loaded = load(saved(run, random_model()).path).card
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
    with pytest.raises(RequestError, match="is not a run"):
        load(tmp_path / "nowhere")


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
    assert str(caught.value).endswith("); train the run again.")
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


# Using


def test_probabilities_are_the_softmax_of_the_classifier() -> None:
    model = random_model()
    logits = model.classifier(torch.from_numpy(model.embed(pixels())))
    found = model.predict_proba(pixels())
    np.testing.assert_allclose(found, logits.softmax(1).detach().numpy(), rtol=1e-6)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-6)
    assert model.predict(pixels()) == [CLASSES[index] for index in logits.argmax(1)]
    assert found.dtype == np.float32


def test_a_model_is_in_evaluation_mode() -> None:
    model = random_model()
    before = {name: tensor.clone() for name, tensor in model.encoder.state_dict().items()}
    alone = model.embed(pixels()[:1])
    np.testing.assert_allclose(alone, model.embed(pixels())[:1], atol=1e-6)
    assert all(torch.equal(before[name], tensor) for name, tensor in model.encoder.state_dict().items())


@pytest.mark.parametrize("batch_size", [1, 2, 5, 256])
def test_batches_change_nothing(batch_size: int) -> None:
    model = random_model()
    np.testing.assert_allclose(model.embed(pixels(), batch_size), model.embed(pixels()), atol=1e-6)


@pytest.mark.parametrize("images", [[], np.empty((0, 3, 16, 16), dtype=np.uint8)])
def test_no_images_give_no_rows(images: Any) -> None:
    model = random_model()
    assert model.embed(images).shape == (0, 32)
    assert model.predict_proba(images).shape == (0, len(CLASSES))
    assert model.predict(images) == []


def test_files_pillow_images_arrays_and_tensors_are_the_same_images(tmp_path: Path) -> None:
    model, batch = random_model(), pixels()
    opened = [Image.fromarray(image.transpose(1, 2, 0)) for image in batch]
    paths = [tmp_path / f"{index}.png" for index in range(len(batch))]
    for image, path in zip(opened, paths, strict=True):
        image.save(path)
    expected = model.embed(batch)
    for same in (torch.from_numpy(batch), opened, paths, [str(path) for path in paths]):
        np.testing.assert_array_equal(model.embed(same), expected)


def test_the_encoder_sees_the_middle_of_what_is_stored() -> None:
    model, batch = random_model(), pixels()
    edges = batch.copy()
    edges[:, :, [0, -1]] = 0
    edges[:, :, :, [0, -1]] = 0
    np.testing.assert_array_equal(model.embed(edges), model.embed(batch))
    np.testing.assert_array_equal(model.embed(batch[:, :, 1:-1, 1:-1]), model.embed(batch))


def test_an_array_that_may_not_be_written_is_read_without_a_word() -> None:
    batch, model = pixels(), random_model()
    expected = model.embed(batch)
    batch.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.embed(batch), expected)


def test_an_array_read_backwards_is_taken() -> None:
    model = random_model()
    np.testing.assert_array_equal(model.embed(pixels()[:, :, :, ::-1]), model.embed(pixels()[:, :, :, ::-1].copy()))


def smooth(height: int, width: int) -> NDArray[np.uint8]:
    """A picture without detail, so that it looks the same however it is resized."""
    rows, columns = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    across = np.stack([255 * rows, 255 * columns, 127 * (rows + columns)])
    return np.asarray(np.rint(across), dtype=np.uint8)


@pytest.mark.parametrize(("height", "width"), [(64, 64), (64, 100), (100, 64), (12, 12)])
def test_a_batch_of_another_size_is_seen_as_its_file_would_be(height: int, width: int, tmp_path: Path) -> None:
    model, picture = random_model(), smooth(height, width)
    path = tmp_path / "a.png"
    Image.fromarray(picture.transpose(1, 2, 0)).save(path)
    from_file, from_array = model._prepare([path]), model._prepare(picture[None])
    assert from_array.shape == from_file.shape == (1, 3, 14, 14)
    assert (from_file.int() - from_array.int()).abs().max() <= 6


@pytest.mark.parametrize(
    ("images", "got"),
    [
        (np.zeros((2, 16, 16, 3), np.uint8), "torch.uint8 [2, 16, 16, 3]"),
        (np.zeros((2, 1, 16, 16), np.uint8), "torch.uint8 [2, 1, 16, 16]"),
        (np.zeros((3, 16, 16), np.uint8), "torch.uint8 [3, 16, 16]"),
        (torch.zeros(2, 3, 16, 16), "torch.float32 [2, 3, 16, 16]"),
    ],
)
def test_other_batches_are_refused(images: Any, got: str) -> None:
    with pytest.raises(RequestError) as caught:
        random_model().embed(images)
    assert str(caught.value) == f"images must be uint8 [image, 3, height, width], got {got}."


def test_one_path_is_not_taken_for_many_of_one_letter() -> None:
    with pytest.raises(RequestError) as caught:
        random_model().predict("a.jpg")
    assert str(caught.value) == "images must be a list or a batch, got a str; put it in a list."


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.jpg").write_text("no image")
    with pytest.raises(RequestError) as caught:
        random_model().predict([tmp_path / "text.jpg", tmp_path / "gone.jpg"])
    assert str(caught.value) == (
        f"2 of 2 files cannot be read as images: {tmp_path}/gone.jpg (No such file or directory); "
        f"{tmp_path}/text.jpg (not an image); repair or remove them."
    )


def test_the_card_builds_the_encoder_that_its_config_names() -> None:
    assert card(encoder=vars(EncoderConfig(name="small-resnet", width=8))).make_encoder().width == 32
