"""What a folder of ImageNet-C or CIFAR-10-C has, by the names of its files and folders. Imports no torch."""

from pathlib import Path

from supcon.base.errors import RequestError
from supcon.evaluation.corruptions.parameters import CORRUPTIONS, EXTRA_CORRUPTIONS

_KNOWN = CORRUPTIONS + EXTRA_CORRUPTIONS


def published_corruptions(root: Path) -> tuple[str, ...]:
    """The corruptions that a folder has, as arrays or as folders, in the authors' order."""
    if not root.is_dir():
        raise RequestError(f"There is no folder {root}; give one of ImageNet-C or of CIFAR-10-C.")
    found = _corruptions(root)
    if not found:
        raise RequestError(
            f"{root} has no corrupted sets; expected folders or .npy files named {CORRUPTIONS[0]}, {CORRUPTIONS[1]}, …."
        )
    return found


def has_corruptions(root: Path) -> bool:
    """Whether a folder is a corrupted set, by the names of its files or folders."""
    return root.is_dir() and bool(_corruptions(root))


def has_severity(root: Path, name: str, severity: int) -> bool:
    """Whether a folder has one severity of a corruption; an array always has all five."""
    if (root / f"{name}.npy").is_file():
        return True
    folder = corruption_folder(root, name)
    return folder is not None and (folder / str(severity)).is_dir()


def corruption_folder(root: Path, name: str) -> Path | None:
    """The folder of the corruption, directly in `root` or in an archive's folder; None if there is none."""
    return next((path for path in [root / name, *sorted(root.glob(f"*/{name}"))] if path.is_dir()), None)


def _corruptions(root: Path) -> tuple[str, ...]:
    return tuple(
        name for name in _KNOWN if (root / f"{name}.npy").is_file() or corruption_folder(root, name) is not None
    )
