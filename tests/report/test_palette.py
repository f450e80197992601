"""Colours that can be told apart with any colour vision, and words that can be read on either background."""

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from supcon.report.plots.figure import COLOURS, RUN_COLOURS

# Machado, Oliveira and Fernandes (2009), full severity, linear RGB.
VISIONS = {
    "typical": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Ottosson's OKLab (2020), in which equal distances look equally different.
TO_CONES = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
TO_LAB = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]


def schemes() -> dict[str, dict[str, str]]:
    css = files("supcon.report").joinpath("page.css").read_text(encoding="utf-8")
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6});", part)) for part in css.split("@media")[:2])
    return {"light": light, "dark": light | dark}


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def seen(colour: str, vision: str) -> np.ndarray:
    light = np.clip(np.array(VISIONS[vision]) @ linear(colour), 0, 1)
    return np.asarray(np.array(TO_LAB) @ np.cbrt(np.array(TO_CONES) @ light))


def contrast(first: str, second: str) -> float:
    """WCAG 2's ratio."""
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", list(VISIONS))
@pytest.mark.parametrize(("family", "count"), [("class", COLOURS), ("run", RUN_COLOURS)])
def test_colours_are_told_apart(scheme: str, vision: str, family: str, count: int) -> None:
    colours = [schemes()[scheme][f"{family}-{place}"] for place in range(count)]
    for first, second in combinations(colours, 2):
        assert np.linalg.norm(seen(first, vision) - seen(second, vision)) > 0.055, (first, second)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read(scheme: str) -> None:
    colours = schemes()[scheme]
    for name in ("ink", "soft", "accent", "warn"):
        for ground in ("panel", "ground"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    for cell in ("right-0", "right-1", "wrong-0", "wrong-1"):
        assert contrast(colours["ink"], colours[cell]) >= 4.5, cell


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_can_be_seen(scheme: str) -> None:
    colours = schemes()[scheme]
    for place in range(RUN_COLOURS):
        assert contrast(colours[f"run-{place}"], colours["panel"]) >= 3
