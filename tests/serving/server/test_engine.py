import asyncio
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import supcon
from supcon.serving import Model, ServeLimits
from supcon.serving.server.engine import Engine, Outputs, QueueFullError
from supcon.serving.server.uploaded_image import UnreadableImageError

Answers = list[Outputs | UnreadableImageError]


@pytest.fixture(scope="module")
def model(digits: Path) -> Model:
    return supcon.load(digits)


def answers(engine: Engine, *requests: list[bytes]) -> list[Answers | BaseException]:
    """What several requests at once are answered."""

    async def run() -> list[Answers | BaseException]:
        async with engine:
            return await asyncio.gather(*(engine.answer(uploads) for uploads in requests), return_exceptions=True)

    return asyncio.run(run())


def test_every_upload_gets_its_own_outputs(model: Model, make_png: Callable[..., bytes], tmp_path: Path) -> None:
    uploads = [make_png(seed) for seed in range(10)]
    files = [tmp_path / f"{seed}.png" for seed in range(10)]
    for file, content in zip(files, uploads, strict=True):
        file.write_bytes(content)
    engine = Engine(model, ServeLimits(batch=4))
    (found,) = answers(engine, [*uploads, b"no image"])
    assert isinstance(found, list)
    good = [result for result in found if isinstance(result, Outputs)]
    np.testing.assert_allclose([result.probabilities for result in good], model.predict_proba(files), atol=1e-5)
    np.testing.assert_allclose([result.representation for result in good], model.embed(files), atol=1e-5)
    assert isinstance(found[-1], UnreadableImageError)
    assert engine.batches[1] == 10
    assert engine.inside == 0


def test_a_full_queue_refuses_and_recovers(model: Model, make_png: Callable[..., bytes]) -> None:
    engine = Engine(model, ServeLimits(queue=5))
    first, second, third = answers(engine, [make_png()] * 3, [make_png()] * 3, [make_png()] * 2)
    assert isinstance(first, list)
    assert isinstance(second, QueueFullError)
    assert isinstance(third, list)
    assert engine.inside == 0


def test_an_error_of_the_model_is_an_error_of_the_request(
    model: Model, make_png: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("too large")

    monkeypatch.setattr(model, "encode", fail)
    (found,) = answers(Engine(model, ServeLimits()), [make_png()])
    assert isinstance(found, MemoryError)
