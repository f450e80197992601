"""The files of a folder of images by split and class; class names are the folder names in sorted order."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from supcon.errors import RequestError

_SPLIT_OF = {"train": "train", "val": "validation", "valid": "validation", "validation": "validation", "test": "test"}
_SYSTEM_FILES = {"thumbs.db", "desktop.ini"}


@dataclass(frozen=True)
class Listing:
    """The files of one split and their class indices."""

    paths: Sequence[Path]
    labels: Sequence[int]

    def pick(self, index: Sequence[int]) -> "Listing":
        return Listing([self.paths[i] for i in index], [self.labels[i] for i in index])


def list_splits(root: Path) -> tuple[tuple[str, ...], dict[str, Listing]]:
    """Class names and the files of every split that is there; a folder without splits is one split, `train`."""
    roots = _split_folders(root)
    class_names = tuple(path.name for path in _subfolders(roots["train"]))
    if len(class_names) < 2:
        raise RequestError(
            f"{roots['train']} has {len(class_names)} class folder(s) and at least two are needed: "
            f"put the images of every class into a folder of its own, {roots['train']}/CLASS/image.jpg."
        )
    _check_names(class_names)
    return class_names, {split: _list_split(path, class_names, split) for split, path in roots.items()}


def _split_folders(root: Path) -> dict[str, Path]:
    """Where every split is. A folder `train` that holds images, beside other classes, is a class of vehicles."""
    folders = _subfolders(root)
    named = [path for path in folders if path.name.lower() in _SPLIT_OF]
    splits = {_SPLIT_OF[path.name.lower()]: path for path in named}
    train_has_classes = "train" in splits and len(_subfolders(splits["train"])) > 0
    if not named or not (train_has_classes or named == folders):
        return {"train": root}
    if "train" not in splits:
        raise RequestError(f"{root} has {named[0].name}/ but no train/; add training images as {root}/train/CLASS/….")
    if len(splits) < len(named):
        names = ", ".join(f"{path.name}/" for path in named)
        raise RequestError(f"{root} has {names}, of which two mean the same split; keep one of them.")
    return splits


def _check_names(class_names: Sequence[str]) -> None:
    for name in class_names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise RequestError(f"The class folder {name!r} has a name that is not UTF-8; rename it.") from error


def _list_split(root: Path, class_names: Sequence[str], split: str) -> Listing:
    unknown = sorted({path.name for path in _subfolders(root)} - set(class_names))
    if unknown:
        raise RequestError(
            f"{root} has the class {unknown[0]!r}, which the training images do not have; add some there or remove it."
        )
    paths: list[Path] = []
    labels: list[int] = []
    for label, name in enumerate(class_names):
        files = _files(root / name)
        if not files and split == "train":
            raise RequestError(f"The class folder {root / name} is empty; add its images or remove it.")
        paths += files
        labels += [label] * len(files)
    if not paths:
        raise RequestError(f"{root} has no images; add them as {root}/CLASS/image.jpg or remove the folder.")
    return Listing(paths, labels)


def _subfolders(root: Path) -> list[Path]:
    return sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))


def _files(root: Path) -> list[Path]:
    """Every file below `root` that is meant: not the hidden ones, not what Windows leaves in folders."""
    return sorted(
        path
        for path in root.rglob("*")
        # A broken link is listed, so that it is named as unreadable instead of silently missed.
        if (path.is_file() or (path.is_symlink() and not path.exists()))
        and not any(part.startswith(".") for part in path.relative_to(root).parts)
        and path.name.lower() not in _SYSTEM_FILES
    )
