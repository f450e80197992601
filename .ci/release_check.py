"""Builds wheel and source distribution, checks them, and trains with the wheel in an environment of its own.

That environment is empty but for the wheel. Its dependencies are those of the environment that runs this script, by a
path in a .pth file, so that torch is not downloaded again: what is tested is that the wheel has all of its files and
entry points, not that pip resolves its dependencies, which `make demo` does on a clean machine.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRAIN = ("train", "--epochs", "1", "--stage2.epochs", "1", "--encoder.width", "8", "--device", "cpu", "--out", "run")


def run(*words: str | Path, folder: Path = ROOT) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([str(word) for word in words], cwd=folder, env=clean, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(str(word) for word in words)} ended with {done.returncode}.\n{done.stdout}")
    return done.stdout


def check(folder: Path) -> None:
    run(sys.executable, "-m", "build", "--outdir", folder / "dist")
    files = sorted((folder / "dist").iterdir())
    print(run(sys.executable, "-m", "twine", "check", "--strict", *files).strip())
    (wheel,) = (path for path in files if path.suffix == ".whl")
    python = environment(folder / "environment")
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", wheel)
    place = run(python, "-c", "import supcon; print(supcon.__file__)", folder=folder).strip()
    if not place.startswith(str(folder)):
        sys.exit(f"The environment imports supcon from {place}, not from the wheel.")
    version = run(python.with_name("supcon"), "--version", folder=folder).strip()
    if version != f"supcon {wheel.name.split('-')[1]}":
        sys.exit(f"{wheel.name} has another version than `supcon --version`, which says {version}.")
    run(python.with_name("supcon"), *TRAIN, folder=folder)
    if not (folder / "run" / "report.html").is_file():
        sys.exit("supcon train wrote no report.html.")
    print(f"{version} from {wheel.name}: installed, trained, wrote its report")


def environment(folder: Path) -> Path:
    """A new environment that finds the dependencies where this one has them; its Python."""
    venv.create(folder, with_pip=True)
    own = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    # A path in a .pth file is appended, and the .pth files in it are not read: the editable supcon there is not found.
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="supcon-release-") as temporary:
        check(Path(temporary))
