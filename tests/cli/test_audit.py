"""`supcon audit` as a command."""

from pathlib import Path

import pytest
from PIL import Image

from random_models import pixels, saved_run
from supcon.cli.main import main


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(saved_run(tmp_path / "run").path)


def test_audit_prints_what_it_found(run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for at, image in enumerate(pixels(12, 20, 20)):
        path = tmp_path / "labelled" / "ab"[at % 2] / f"{at}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image.transpose(1, 2, 0)).save(path)
    assert main(["audit", run, str(tmp_path / "labelled"), "--corrected", str(tmp_path / "m.csv")]) == 0
    text = capsys.readouterr().out
    assert "of 12 labels: all estimators prefer the same other one" in text
    assert "hardest positives" in text
    assert "hardest negatives" in text
    assert f"page: {run}/audit/audit.html" in text
    assert f"corrected manifest: {tmp_path}/m.csv" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["audit", "RUN", "--correction", "forget"], "--correction must be one of relabel, unlabel, remove"),
    ],
)
def test_wrong_requests_are_one_sentence(
    run: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([run if argument == "RUN" else argument for argument in arguments]) == 2
    assert message in capsys.readouterr().err
