"""The test of `src/supcon/A/B/c.py` is `tests/A/B/test_c.py`."""

from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "supcon"

WITHOUT_A_TEST = {
    "__main__.py": "one line; cli/test_main.py runs it",
    "base/shapes.py": "type aliases",
}
"""Source files that need no test file of their own, and why; `__init__.py` files only list public names."""

TESTED_ELSEWHERE = {
    "serving/server/test_app.py": (
        "cli/serve.py",
        "jobs/serve_run.py",
        "serving/server/answers.py",
        "serving/server/engine.py",
        "serving/server/request_limits.py",
        "serving/server/run_server.py",
        "serving/server/shown_gallery.py",
    ),
    "serving/export/test_onnx_file.py": (
        "cli/export.py",
        "serving/export/export_network.py",
        "serving/export/onnx_model.py",
    ),
    "cli/test_train.py": ("jobs/both_stages.py",),
    "jobs/test_push_run.py": ("cli/push.py", "report/pages/model_card_text.py"),
    "jobs/inference/test_embed_data.py": ("jobs/inference/embedding_file.py", "jobs/inference/left_out.py"),
    "data/storage/test_choose_storage.py": ("data/storage/decode_images.py",),
    "serving/test_image_inputs.py": ("data/storage/chunk_loader.py", "data/storage/decoded_batches.py"),
    "cli/test_predict.py": (
        "jobs/inference/new_class_folders.py",
        "jobs/inference/new_classes.py",
        "serving/file_predictions.py",
    ),
    "jobs/inference/test_audit_run.py": (
        "jobs/inference/audit_files.py",
        "report/pages/audit_page.py",
        "serving/auditing/audit_images.py",
    ),
    "jobs/inference/test_search_run.py": (
        "jobs/inference/run_gallery.py",
        "report/pages/search_page.py",
    ),
    "jobs/test_hard_pairs.py": ("jobs/training_batch.py",),
    "report/pages/test_markdown.py": ("report/pages/markdown_sections.py",),
    "report/browser/test_page_of_a_run.py": (
        "report/pages/page_images.py",
        "report/pages/picture_sections.py",
        "report/plots/pair_plots.py",
        "report/run_pictures.py",
        "report/training_images.py",
    ),
}
"""Source files that are tested only together with the code that calls them, by the test file that does so."""

SEVERAL_FILES = {
    "cli/test_bad_input.py": "bad files and situations, through every command",
    "cli/test_hostile_files.py": "files that would run code or leave their folder, through every command",
    "cli/test_multi_label.py": "images with several labels, through every command",
    "cli/test_odd_names.py": "odd class names, through every command",
    "cli/test_train_plan.py": "a folder with validation images and no test images",
    "evaluation/corruptions/test_published_changes.py": "all corruptions against numbers of the original code",
    "data/test_parsers.py": "any text, given to every parser",
    "test_wrong_arguments.py": "wrong arguments, through every public function",
    "gpu/test_commands.py": "the commands on a GPU",
    "gpu/test_computations.py": "views, corruptions, losses and optimizers on a GPU",
    "jobs/test_failed_training.py": "NaN and too little memory, through `supcon train`",
    "jobs/test_survival.py": "kills and failing file operations, through every command",
    "losses/engine/test_no_waiting.py": "no step of a loss waits for the GPU",
    "losses/test_edges.py": "unusual inputs of all losses",
    "losses/test_gradients.py": "gradients of all losses",
    "losses/test_module.py": "SupConLoss stores its options and calls the function",
    "losses/test_peers.py": "agreement with other packages",
    "losses/test_properties.py": "what must hold for any batch",
    "recipes/test_free_of_torch.py": "every config module",
    "recipes/test_published.py": "every recipe quotes its sources",
    "report/browser/test_accessibility.py": "all pages, in a browser",
    "report/browser/test_filter.py": "all pages, in a browser",
    "report/browser/test_look_closer.py": "all pages, in a browser",
    "report/browser/test_other_pages.py": "all pages, in a browser",
    "report/browser/test_page_of_a_run.py": "all pages, in a browser",
    "serving/server/test_serve_page.py": "the page of `supcon serve`, in a browser",
    "report/test_palette.py": "the colours of all plots",
    "serving/server/test_same_prediction.py": "command, Python, ONNX, scikit-learn and server on the same images",
    "serving/test_refused_images.py": "what a loaded model refuses",
    "stages/trainer/test_lost_processes.py": "processes and hosts that are lost",
    "stages/optimization/test_published_steps.py": "all optimizers against numbers of the authors' code",
    "views/kernels/test_published_operations.py": "all operations against numbers of the TF models",
    "test_contributing.py": "the paths in CONTRIBUTING.md",
    "test_design.py": "docs/design.md and the import contracts",
    "test_docs.py": "docs/ and README.md",
    "test_examples.py": "examples/",
    "test_gpu.py": "starts the tests of tests/gpu",
    "test_mirror.py": "this rule",
    "test_notebooks.py": "notebooks/",
}
"""Test files that belong to no single source file, and what they test."""


def source_files() -> set[str]:
    paths = (path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
    return {path for path in paths if not path.endswith("__init__.py")}


def files_with_tests() -> set[str]:
    return {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}


def mirrored(source: str) -> str:
    folder, _, name = source.rpartition("/")
    return f"{folder}/test_{name}".lstrip("/")


def test_every_source_file_has_its_test() -> None:
    elsewhere = {source for sources in TESTED_ELSEWHERE.values() for source in sources}
    missing = {source for source in source_files() if mirrored(source) not in files_with_tests()}
    assert missing <= elsewhere | set(WITHOUT_A_TEST)
    assert len(missing) < 0.1 * len(source_files())


def test_the_exceptions_exist() -> None:
    listed = {source for sources in TESTED_ELSEWHERE.values() for source in sources} | set(WITHOUT_A_TEST)
    assert listed <= source_files()
    assert set(TESTED_ELSEWHERE) <= files_with_tests()


def test_every_other_test_file_is_listed() -> None:
    others = files_with_tests() - {mirrored(source) for source in source_files()}
    assert others <= set(SEVERAL_FILES)
