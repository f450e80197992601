"""The server as a whole is tested in serving/server/test_app.py."""

from pathlib import Path

import numpy as np
import pytest

import supcon
from references.untrained_run import untrained_digits
from supcon.base.errors import RequestError
from supcon.jobs import serve_run
from supcon.jobs.serve_run import is_loopback

pytest.importorskip("fastapi", reason="fastapi is not installed")


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_digits(tmp_path_factory.mktemp("served") / "digits")


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("lan", False)],
)
def test_loopback_addresses(host: str, local: bool) -> None:
    assert is_loopback(host) == local


def test_the_gallery_has_the_training_images_alone(digits: Path) -> None:
    model = supcon.load(digits)
    shown = serve_run._gallery(digits, model, None, None)
    assert shown is not None
    assert len(shown) == model.card.counts["train"]
    assert set(shown.gallery.splits) == {"train"}
    row = 5
    near = shown.gallery.nearest(model.embed([shown.picture(row)]), 1)
    assert near.similarity[0, 0] == pytest.approx(1, abs=1e-5)
    picture = np.asarray(shown.picture(row))
    np.testing.assert_array_equal(np.asarray(shown.picture(int(near.rows[0, 0]))), picture)


def test_without_the_training_images_there_is_no_gallery(
    digits: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise RequestError("photos/ is gone.")

    monkeypatch.setattr(serve_run, "open_gallery", gone)
    assert serve_run._gallery(digits, supcon.load(digits), None, None) is None
    assert "There are no training images to search in (photos/ is gone.)" in capsys.readouterr().err
    with pytest.raises(RequestError, match="photos/ is gone"):
        serve_run._gallery(digits, supcon.load(digits), "photos/", None)
