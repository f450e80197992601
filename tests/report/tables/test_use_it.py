"""Lines that use a run's model."""

import shlex

from supcon.report.tables.use_it import use_it


def test_paths_are_quoted_for_python_and_the_shell() -> None:
    path = "/runs/it's $HOME"
    python, predict, export = use_it(path)
    assert python.language == "python"
    compile(python.code, "python", "exec")
    assert repr(path) in python.code
    assert shlex.split(predict.code) == ["supcon", "predict", path, "photo.jpg"]
    assert shlex.split(export.code) == ["supcon", "export", path, "--format", "onnx"]


def test_nothing_without_a_folder() -> None:
    assert use_it("") == []
