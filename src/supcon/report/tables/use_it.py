"""Lines to copy that use a run's model."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Code for one place."""

    title: str
    language: str
    code: str


def use_it(path: str) -> list[Lines]:
    """The model of the run in `path`: in Python, on the command line, and as ONNX; empty if the folder is not known.

    >>> print(use_it("/runs/a b")[1].code)
    supcon predict '/runs/a b' photo.jpg
    """
    if not path:
        return []
    folder = shlex.quote(path)
    python = f'import supcon\nmodel = supcon.load({path!r})\nprint(model.predict(["photo.jpg"]))'
    return [
        Lines(title="Python", language="python", code=python),
        Lines(title="Command line", language="sh", code=f"supcon predict {folder} photo.jpg"),
        Lines(title="ONNX", language="sh", code=f"supcon export {folder} --format onnx"),
    ]
