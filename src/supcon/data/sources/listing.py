"""The files of a folder of images by split and class; class names are the folder names in sorted order."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from supcon.base.errors import RequestError, system_reason
from supcon.data.stratified_splits import SPLIT_OF, SplitName

_SYSTEM_FILES = {"thumbs.db", "desktop.ini"}
_NOT_CLASSES = {".git", ".hg", ".svn", ".ipynb_checkpoints", ".thumbnails", ".cache", ".trash", "__macosx"}
_UNLABELLED = {"unlabelled", "unlabeled"}
_SHOWN = 3
"""Maximum number of paths in an error message."""


@dataclass(frozen=True)
class Listing:
    """The files of one split and their class indices; -1 is unlabelled."""

    paths: Sequence[Path]
    labels: Sequence[int]


def list_splits(root: Path) -> tuple[tuple[str, ...], dict[SplitName, Listing]]:
    """Class names and the files of every split found; a folder without splits is one split, `train`.

    A folder `unlabelled` next to the training classes holds images without a label.
    """
    roots, class_names, unlabelled = check_folders(root)
    listings = {split: _list_split(path, class_names, split) for split, path in roots.items()}
    listings["train"] = _with_unlabelled(listings["train"], [file for path in unlabelled for file in list_files(path)])
    return class_names, listings


def check_folders(root: Path) -> tuple[dict[SplitName, Path], tuple[str, ...], list[Path]]:
    """The folder of every split, the classes, and the folders of unlabelled images; raises an error if there are none.

    Lists folders only, so it is fast for a million images too.
    """
    roots = _split_folders(root)
    folders = subfolders(roots["train"])
    unlabelled = [path for path in folders if path.name.lower() in _UNLABELLED]
    class_names = tuple(path.name for path in folders if path not in unlabelled)
    if len(class_names) < 2 or not any(holds_images(path) for path in folders) or _same_classes_below(folders):
        refuse_too_high(root, folders)
    if len(class_names) < 2:
        raise RequestError(
            f"{roots['train']} has {len(class_names)} class folder(s), but at least two are needed; "
            f"put the images of each class into their own folder, {roots['train']}/CLASS/image.jpg."
        )
    _check_names(class_names)
    return roots, class_names, unlabelled


def _same_classes_below(folders: Sequence[Path]) -> bool:
    """Whether two folders hold the same two or more folders of images, such as days that hold the classes."""
    below = Counter(path.name for folder in folders for path in subfolders(folder) if holds_images(path))
    return sum(count > 1 for count in below.values()) > 1


def class_folders(root: Path) -> list[Path]:
    """The folders of images in a folder, one or more; raises an error if data are in folders inside them."""
    folders = subfolders(root)
    if not any(holds_images(path) for path in folders) or _same_classes_below(folders):
        refuse_too_high(root, folders)
    return folders


def refuse_too_high(root: Path, folders: Sequence[Path]) -> None:
    """Raises an error for a folder whose subfolders look like data sets, and names these."""
    below = [path for folder in folders for path in (folder, *subfolders(folder))]
    right = [path for path in below if _looks_right(path)]
    right = [path for path in right if path.parent not in right]  # not a data set's own train/ and test/
    if right:
        shown = ", ".join(str(path) for path in right[:_SHOWN])
        more = f" and {len(right) - _SHOWN} more" if len(right) > _SHOWN else ""
        raise RequestError(
            f"{root} has no class folders with images, but there may be data in folders inside it; give {shown}{more}, "
            "or list the images in a .csv manifest (path,label)."
        )


def _looks_right(root: Path) -> bool:
    """Whether a folder holds two folders of images, or such a folder called train."""
    folders = subfolders(root)
    if any(SPLIT_OF.get(path.name.lower()) == "train" and _looks_right(path) for path in folders):
        return True
    return sum(holds_images(path) for path in folders) > 1


def _with_unlabelled(train: Listing, files: Sequence[Path]) -> Listing:
    return Listing([*train.paths, *files], [*train.labels, *[-1] * len(files)])


def _split_folders(root: Path) -> dict[SplitName, Path]:
    """The folder of every split. A folder `train` of images next to other class folders is a class (of vehicles)."""
    folders = subfolders(root)
    named = [path for path in folders if path.name.lower() in SPLIT_OF]
    splits = {SPLIT_OF[path.name.lower()]: path for path in named}
    train_has_classes = "train" in splits and len(subfolders(splits["train"])) > 0
    if not named or not (train_has_classes or named == folders):
        return {"train": root}
    if "train" not in splits:
        raise RequestError(f"{root} has {named[0].name}/ but no train/; add training images as {root}/train/CLASS/….")
    if len(splits) < len(named):
        names = ", ".join(f"{path.name}/" for path in named)
        raise RequestError(f"{root} has {names}, two of which are names of the same split; keep one of them.")
    return splits


def _check_names(names: Sequence[str], what: str = "class folder") -> None:
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise RequestError(f"The {what} {name!r} has a name that {_why_unreadable(name)}.") from error


def _why_unreadable(name: str) -> str:
    try:
        os.fsencode(name).decode()
    except UnicodeDecodeError:
        return "is not UTF-8; rename it"
    encoding = sys.getfilesystemencoding()
    return f"is UTF-8, but the locale's encoding is {encoding}; set PYTHONUTF8=1 and repeat the command"


def _list_split(root: Path, class_names: Sequence[str], split: str) -> Listing:
    unknown = sorted({path.name for path in subfolders(root)} - set(class_names))
    if split == "train":
        unknown = [name for name in unknown if name.lower() not in _UNLABELLED]
    if unknown:
        raise RequestError(
            f"{root} has the class {unknown[0]!r}, which no training image has; add training images of that class, or "
            "remove it."
        )
    paths: list[Path] = []
    labels: list[int] = []
    for label, name in enumerate(class_names):
        files = list_files(root / name)
        if not files and split == "train":
            raise RequestError(f"The class folder {root / name} is empty; add its images or remove it.")
        paths += files
        labels += [label] * len(files)
    if not paths:
        raise RequestError(f"{root} has no images; add them as {root}/CLASS/image.jpg or remove the folder.")
    return Listing(paths, labels)


def subfolders(root: Path) -> list[Path]:
    """The folders that may be classes; hidden ones only if they contain images, such as `.NET logos`."""
    with _readable(root):
        folders = [path for path in root.iterdir() if path.is_dir() and path.name.lower() not in _NOT_CLASSES]
    return sorted(path for path in folders if not path.name.startswith(".") or holds_images(path))


@contextmanager
def _readable(root: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RequestError(
            f"The folder {error.filename or root} cannot be read: {system_reason(error)}; give its owner's permission, "
            "or leave it out."
        ) from error


def holds_images(root: Path) -> bool:
    """Whether image files lie directly in a folder."""
    extensions = Image.registered_extensions()
    with _readable(root), os.scandir(root) as entries:
        return any(os.path.splitext(entry.name)[1].lower() in extensions for entry in entries)


def list_files(root: Path) -> list[Path]:
    """Every file below `root`, except hidden files and the system files that Windows puts into folders."""
    found = sorted(_walk(str(root)), key=lambda path: path.split(os.sep)) if root.is_dir() else []
    _check_names(found, "image")
    return [Path(path) for path in found]


def _walk(root: str) -> Iterator[str]:
    # os.scandir instead of Path.rglob saves half a second for 60,000 files.
    with _readable(root), os.scandir(root) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.lower() in _SYSTEM_FILES:
                continue
            if _is_folder(entry):
                if not entry.is_symlink():
                    yield from _walk(entry.path)
            else:
                # A broken link is listed too, so that it is reported as unreadable instead of silently ignored.
                yield entry.path


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=True)
    except OSError:  # a link to itself
        return False
