import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import supcon
from supcon.base.errors import RequestError
from supcon.jobs import open_gallery
from supcon.runs import Run
from supcon.serving import Gallery, Model

pytestmark = pytest.mark.usefixtures("mean_colours")


def test_a_query_finds_itself_first_and_a_class_its_own(run: Run, photos: Path) -> None:
    query = sorted(photos.rglob("*.png"))[3]
    found = supcon.search(run.path, [query, "class:É"], k=5)
    assert found.queries == [str(query), "class:É"]
    name, label, similarity = found.answers(0)[0]
    assert (photos / name, label) == (query, query.parent.name)
    assert similarity == pytest.approx(1, abs=1e-5)
    model = supcon.load(run.path)
    prototype = found.gallery.prototypes(["É"])[0]
    rows = model.embed([photos / name for name, _, _ in found.answers(1)])
    np.testing.assert_allclose(rows @ prototype, [value for _, _, value in found.answers(1)], atol=1e-5)
    best = np.sort(found.gallery.representations @ prototype)[::-1][:5]
    np.testing.assert_allclose([value for _, _, value in found.answers(1)], best, atol=1e-6)


def test_a_folder_of_queries_in_another_gallery(run: Run, photos: Path) -> None:
    found = supcon.search(run.path, [photos / "test" / "É"], gallery=str(photos), k=1)
    assert len(found.queries) == 3
    assert [photos / found.answers(at)[0][0] for at in range(3)] == [Path(query) for query in found.queries]
    assert len(list((run.path / "galleries").iterdir())) == 1


def test_the_index_is_kept_until_the_model_or_an_image_changes(
    run: Run, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    build = Gallery.build.__func__  # type: ignore[attr-defined]

    def counting(cls: type[Gallery], *given: object) -> Gallery:
        built.append(1)
        return build(cls, *given)  # type: ignore[no-any-return]

    monkeypatch.setattr(Gallery, "build", classmethod(counting))
    query = str(next(photos.rglob("*.png")))
    for expected in (1, 1):
        supcon.search(run.path, [query], gallery=str(photos))
        assert len(built) == expected
    Image.new("RGB", (20, 20)).save(photos / "train" / "É" / "new.png")
    assert len(supcon.search(run.path, [query], gallery=str(photos)).gallery) == 41
    assert len(built) == 2
    model = supcon.load(run.path)
    model.classifier.bias.data += 1
    open_gallery(run.path, model, str(photos))
    assert len(built) == 3


def test_the_page_shows_queries_and_answers(run: Run, photos: Path, tmp_path: Path) -> None:
    query = next(photos.rglob("*.png"))
    supcon.search(run.path, [query, "class:É"], k=3, out=tmp_path / "new" / "page.html")
    page = (tmp_path / "new" / "page.html").read_text(encoding="utf-8")
    assert page.count("<img ") == 1 + 3 + 3
    assert page.count("data:image/") >= 7
    assert "class:É" in page
    assert "plotly" not in page


def test_an_unreadable_image_of_the_gallery_does_not_shift_the_others(run: Run, photos: Path) -> None:
    (photos / "train" / "É" / "1.png").write_text("no image")
    query = photos / "test" / "漢字" / "8.png"
    found = supcon.search(run.path, [query], k=1)
    assert photos / found.answers(0)[0][0] == query
    assert found.images.names == tuple(found.gallery.names)
    assert len(found.images) == 39


def test_what_cannot_be_is_one_sentence(run: Run, photos: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="No image of the gallery has the class 'X'; its classes are"):
        supcon.search(run.path, ["class:X"])
    with pytest.raises(RequestError, match=r"--out must end in \.html"):
        supcon.search(run.path, ["class:É"], out=tmp_path / "x.png")
    with pytest.raises(
        RequestError, match=r"^There is no file and no folder .*gone\.png; give an image, a folder or class:NAME"
    ):
        supcon.search(run.path, [tmp_path / "gone.png"])


def test_what_is_left_out_of_a_gallery_is_said_every_time(
    run: Run, photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mixed, query = tmp_path / "mixed", str(next(photos.rglob("*.png")))
    shutil.copytree(photos / "test" / "É", mixed)
    os.mkfifo(mixed / "fifo.png")
    for _ in range(2):
        assert len(supcon.search(run.path, [query], gallery=str(mixed)).gallery) == 3
        assert f"left out: {mixed}/fifo.png (cannot be read)" in "".join(capsys.readouterr().err.splitlines())


def test_a_gallery_that_goes_away_during_the_work_is_not_kept(
    run: Run, photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, calls, query = Model.encode, [], next(photos.rglob("*.png"))

    def move_at_the_second(self: Model, batch: Any) -> Any:
        calls.append(len(batch))
        if len(calls) == 2:
            photos.rename(tmp_path / "moved")
        return encode(self, batch)

    monkeypatch.setattr(Model, "encode", move_at_the_second)
    monkeypatch.setattr("supcon.serving.gallery.fitting_batch", lambda *_: 10)
    with pytest.raises(RequestError, match=f"There is no folder and no data set called '{photos}'"):
        supcon.search(run.path, [query], gallery=str(photos))
    assert len(calls) == 4
    assert not (run.path / "galleries").exists()
