from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from random_models import pixels, random_model
from supcon.base.errors import RequestError
from supcon.data import DataConfig, ListedImages, list_images
from supcon.serving import Gallery, gallery_key


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for index, image in enumerate(pixels(12, 20, 24)):
        folder = tmp_path / "photos" / ("train" if index < 8 else "test") / ("É" if index % 2 else "a b")
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image.transpose(1, 2, 0)).save(folder / f"{index}.png")
    return tmp_path / "photos"


def listed(photos: Path) -> ListedImages:
    return list_images(DataConfig(spec=str(photos)))


def test_every_image_is_its_own_nearest(photos: Path) -> None:
    model, images = random_model(), listed(photos)
    gallery = Gallery.build(model, images)
    found = gallery.nearest(model.embed([photos / name for name in images.names]), 1)
    assert found.rows[:, 0].tolist() == list(range(12))
    np.testing.assert_allclose(found.similarity[:, 0], 1, atol=1e-6)
    folders = [tuple(name.split("/")[:2]) for name in gallery.names]
    assert folders == list(zip(gallery.splits, gallery.labels, strict=True))


def test_a_gallery_comes_back_from_its_folder(photos: Path, tmp_path: Path) -> None:
    gallery = Gallery.build(random_model(), listed(photos))
    gallery.save(tmp_path / "kept" / "g")
    loaded = Gallery.load(tmp_path / "kept" / "g")
    assert loaded is not None
    np.testing.assert_array_equal(loaded.representations, gallery.representations)
    assert (tuple(loaded.names), tuple(loaded.labels)) == (gallery.names, gallery.labels)
    assert loaded.key == gallery.key == gallery_key(random_model(), listed(photos))


@pytest.mark.parametrize("damage", ["gallery.json", "images.csv", "representations.npy"])
def test_a_damaged_gallery_is_none(photos: Path, tmp_path: Path, damage: str) -> None:
    Gallery.build(random_model(), listed(photos)).save(tmp_path / "g")
    (tmp_path / "g" / damage).write_bytes(b"x")
    assert Gallery.load(tmp_path / "g") is None
    assert Gallery.load(tmp_path / "nowhere") is None


def test_the_key_changes_with_the_model_the_images_and_their_labels(photos: Path) -> None:
    other = random_model()
    other.classifier.bias.data += 1
    keys = [gallery_key(random_model(), listed(photos)), gallery_key(other, listed(photos))]
    Image.fromarray(np.zeros((9, 9, 3), np.uint8)).save(photos / "train" / "É" / "1.png")
    keys.append(gallery_key(random_model(), listed(photos)))
    (photos / "train" / "É" / "1.png").rename(photos / "train" / "a b" / "1.png")
    keys.append(gallery_key(random_model(), listed(photos)))
    assert len(set(keys)) == 4
    assert keys[-1] == gallery_key(random_model(), listed(photos))


def test_an_unreadable_image_is_left_out(photos: Path) -> None:
    (photos / "train" / "É" / "1.png").write_text("no image")
    gallery = Gallery.build(random_model(), listed(photos))
    assert len(gallery) == 11
    assert "train/É/1.png" not in gallery.names


def test_a_gallery_without_readable_images_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no image")
    with pytest.raises(RequestError, match="None of the 1 images"):
        Gallery.build(random_model(), listed(tmp_path))


def test_queries_of_another_model_are_refused(photos: Path) -> None:
    with pytest.raises(RequestError, match="The queries are 5 wide and the gallery is 32"):
        Gallery.build(random_model(), listed(photos)).nearest(np.zeros((1, 5), np.float32))


def test_prototypes_are_the_means_of_their_split(photos: Path) -> None:
    gallery = Gallery.build(random_model(), listed(photos))
    train = [place for place, split in enumerate(gallery.splits) if split == "train" and gallery.labels[place] == "É"]
    mean = gallery.representations[train].mean(0)
    found = gallery.prototypes(["nobody", "É"], split="train")
    np.testing.assert_allclose(found[1], mean / np.linalg.norm(mean), atol=1e-6)
    assert not found[0].any()


def test_pictures_and_colours_of_arrays(photos: Path) -> None:
    digits = list_images(DataConfig(spec="digits")).pick(np.arange(30))
    model = random_model()
    gallery = Gallery.build(model, digits)  # grey images for a model of colour images
    np.testing.assert_allclose(gallery.representations[[7]], model.embed(digits.picture(7)), atol=1e-6)
    assert listed(photos).picture(0).size == (24, 20)
