from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import supcon
from references.random_states import random_states_stay
from supcon import SupConClassifier
from supcon.base.errors import RequestError
from supcon.jobs import run_images
from supcon.jobs.image_classifier import _held_out, _names
from supcon.runs import Run

QUICK = {"stage2.epochs": 30, "encoder.width": 8, "batch_size": 64, "device": "cpu"}


def classifier(**changes: Any) -> SupConClassifier:
    return SupConClassifier(**{"recipe": "digits", "epochs": 2, "options": QUICK, "device": "cpu", **changes})


@pytest.fixture(scope="module")
def digits() -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    images, labels = load_digits(n_class=3, return_X_y=True)
    return images[:240].reshape(-1, 8, 8) / 16, np.array(["zero", "|one", "two"])[labels[:240]]


@pytest.fixture(scope="module")
def fitted(digits: Any, tmp_path_factory: pytest.TempPathFactory) -> SupConClassifier:
    return classifier(out=tmp_path_factory.mktemp("runs") / "kept").fit(*digits)


def test_it_learns_and_answers_in_the_classes_that_were_given(fitted: SupConClassifier, digits: Any) -> None:
    images, labels = digits
    assert fitted.score(images, labels) > 0.8
    assert fitted.classes_.tolist() == ["two", "zero", "|one"]
    chances = fitted.predict_proba(images)
    assert fitted.predict(images).tolist() == fitted.classes_[chances.argmax(1)].tolist()
    np.testing.assert_allclose(chances.sum(1), 1, rtol=1e-5)
    assert fitted.transform(images).shape == (240, fitted.model_.encoder.width)
    assert 0 <= fitted.validation_accuracy_ <= 1


def test_it_predicts_what_the_kept_run_predicts(fitted: SupConClassifier, digits: Any) -> None:
    images = digits[0]
    model = supcon.load(str(fitted.out))
    np.testing.assert_allclose(fitted.transform(images), model.embed(images), atol=1e-5)
    np.testing.assert_allclose(
        fitted.predict_proba(images), model.predict_proba(np.rint(images * 255).astype(np.uint8))
    )


def test_the_kept_run_predicts_what_its_evaluation_did(fitted: SupConClassifier) -> None:
    run = Run(Path(str(fitted.out)))
    images = run_images(run)
    tested = [images.picture(place) for place, split in enumerate(images.splits) if split == "test"]
    with np.load(run.outputs_file) as outputs:
        np.testing.assert_allclose(supcon.load(run.path).predict_proba(tested), outputs["probabilities"], atol=1e-5)


def test_the_kept_run_says_that_it_was_tested_on_validation_images(fitted: SupConClassifier) -> None:
    run = Run(Path(str(fitted.out)))
    assert run.remarks["images/tested"] == "validation"
    assert "24 validation images" in (run.path / "report.md").read_text()
    assert {"test/ece", "validation/temperature"} <= set(run.measures)
    assert not [name for name in run.measures if "scaled" in name], "the temperature was fitted on the same images"


def test_fitting_leaves_the_random_numbers_of_the_caller(digits: Any) -> None:
    with random_states_stay():
        classifier(epochs=1).fit(*digits)


def test_joblib_brings_it_back(fitted: SupConClassifier, digits: Any, tmp_path: Path) -> None:
    joblib.dump(fitted, tmp_path / "kept.joblib")
    loaded = joblib.load(tmp_path / "kept.joblib")
    np.testing.assert_array_equal(loaded.predict_proba(digits[0]), fitted.predict_proba(digits[0]))
    assert loaded.get_params() == fitted.get_params()


@pytest.mark.parametrize(("device", "used"), [("cpu", "cpu"), ("auto", "cuda"), ("gpu", "cuda")])
def test_it_comes_back_on_its_device(
    fitted: SupConClassifier, device: str, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices: list[str] = []

    def model_from_bytes(content: bytes, device: str) -> object:
        devices.append(device)
        return fitted.model_

    state = {**fitted.__getstate__(), "device": device}
    monkeypatch.setattr("supcon.jobs.image_classifier.model_from_bytes", model_from_bytes)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    SupConClassifier().__setstate__(state)
    assert devices == [used]


def test_a_pipeline_in_a_grid_search(digits: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPCON_CACHE", str(tmp_path))
    flat, labels = digits[0].reshape(240, -1), digits[1]
    pipeline = Pipeline([("image", FunctionTransformer(_as_images)), ("net", classifier())])
    search = GridSearchCV(pipeline, {"net__method": ["simclr"]}, cv=2, error_score="raise", refit=False)
    search.fit(flat, labels)
    assert search.best_params_ == {"net__method": "simclr"}
    assert search.best_score_ > 0.5
    assert not list((tmp_path / "arrays").iterdir())  # nothing is left in the cache


def _as_images(flat: NDArray[np.float64]) -> NDArray[np.float64]:
    return flat.reshape(-1, 8, 8)


def test_cross_validation(digits: Any) -> None:
    images, labels = digits
    scores = cross_val_score(classifier(), images, labels, cv=2, error_score="raise")
    assert scores.min() > 0.5


def test_a_clone_has_the_parameters_and_no_model(fitted: SupConClassifier, digits: Any) -> None:
    copy = clone(fitted).set_params(epochs=7)
    assert copy.get_params() == {**fitted.get_params(), "epochs": 7}
    assert is_classifier(copy)
    with pytest.raises(NotFittedError):
        copy.predict(digits[0])


def test_wrong_inputs_are_one_sentence(digits: Any) -> None:
    images, labels = digits
    with pytest.raises(RequestError, match="y must have one label for each of the 240 images"):
        classifier().fit(images, labels[:-1])
    with pytest.raises(RequestError, match=r"Images must be an array .*, got the shape \[240, 64\]"):
        classifier().fit(images.reshape(240, -1), labels)
    with pytest.raises(RequestError, match="validation_fraction must be between 0 and 1, got 0"):
        classifier(validation_fraction=0).fit(images, labels)
    with pytest.raises(RequestError, match="validation_fraction must be a number, got 'x'"):
        classifier().set_params(validation_fraction="x").fit(images, labels)
    with pytest.raises(RequestError, match="random_state must be a whole number of at least 0, got -1"):
        classifier(random_state=-1).fit(images, labels)
    with pytest.raises(RequestError, match="random_state must be a whole number, got None"):
        classifier().set_params(random_state=None).fit(images, labels)
    with pytest.raises(RequestError, match="X has no images"):
        classifier().fit(images[:0], labels[:0])
    with pytest.raises(RequestError, match="Images must be an array, so all of one size"):
        classifier().fit([images[0], images[1][:4]], labels[:2])
    with pytest.raises(RequestError, match=r"Images must be dense tensors .*, got torch\.bfloat16"):
        classifier().fit(torch.from_numpy(images).bfloat16(), labels)
    for wrong in ([[1], [2, 3]], [1, None], ["a", 1.5, None]):
        with pytest.raises(RequestError, match="y must be numbers or texts, one for each image"):
            classifier().fit(images[: len(wrong)], wrong if len(wrong) == 2 else np.array(wrong, dtype=object))


def test_every_class_keeps_an_image_to_train_on() -> None:
    labels = np.array([0] * 20 + [1] * 2 + [2])
    held = _held_out(labels, 0.1, 0)
    assert [int(held[labels == number].sum()) for number in range(3)] == [2, 1, 0]


def test_names_that_a_manifest_cannot_have_become_numbers() -> None:
    assert _names(["a", "b"]) == ["a", "b"]
    assert _names([-1, 1]) == ["-1", "1"]
    for odd in (["a|b", "c"], [" a", "b"], ["", "b"], [1, "1"]):
        assert _names(odd) == ["0", "1"]
