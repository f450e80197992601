import math

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from supcon.base.errors import RequestError
from supcon.evaluation import expected_calibration_error, fit_temperature, negative_log_likelihood
from supcon.evaluation.classification.temperature_scaling import LARGEST, SMALLEST


@settings(max_examples=30, deadline=None)
@given(st.integers(20, 80), st.integers(2, 5), st.integers(0, 10_000))
def test_agrees_with_a_general_minimizer(rows: int, classes: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = 3 * torch.randn(rows, classes, generator=generator, dtype=torch.float64)
    labels = torch.where(
        torch.rand(rows, generator=generator) < 0.6,
        logits.argmax(1),
        torch.randint(classes, (rows,), generator=generator),
    )
    assume(not torch.equal(logits.argmax(1), labels))
    expected = minimize_scalar(
        lambda log: negative_log_likelihood(logits / math.exp(log), labels),
        bounds=(math.log(SMALLEST), math.log(LARGEST)),
        method="bounded",
        options={"xatol": 1e-7},
    )
    found = fit_temperature(logits, labels)
    assert negative_log_likelihood(logits / found, labels) <= expected.fun + 1e-9
    if SMALLEST * 2 < found < LARGEST / 2:
        assert math.log(found) == pytest.approx(expected.x, abs=1e-4)


def test_finds_the_temperature_that_made_the_labels() -> None:
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(20_000, 5, generator=generator)
    labels = logits.softmax(1).multinomial(1, generator=generator)[:, 0]
    overconfident = 2.5 * logits
    found = fit_temperature(overconfident, labels)
    assert found == pytest.approx(2.5, rel=0.03)
    before, after = (expected_calibration_error((overconfident / t).softmax(1), labels) for t in (1.0, found))
    assert after < 0.02 < before


def test_always_right_is_left_as_it_is_and_always_wrong_as_flat_as_it_gets() -> None:
    logits = torch.eye(4)
    assert fit_temperature(logits, torch.arange(4)) == 1.0
    assert fit_temperature(logits, torch.arange(4).roll(1)) == pytest.approx(LARGEST)


def test_infinite_scale_is_survived() -> None:
    assert math.isfinite(fit_temperature(torch.eye(3) * 1e6, torch.tensor([0, 1, 1])))


def test_no_validation_images_are_refused() -> None:
    with pytest.raises(RequestError, match=r"^The temperature is fitted on validation images, but there are none; "):
        fit_temperature(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64))
