"""The command line: finds and runs the command, and turns exceptions into one sentence and an exit code."""

import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module

from supcon import __version__
from supcon.base.cores import use_no_more_threads_than_cores
from supcon.base.end_of_process import end_process_of_group
from supcon.base.errors import OtherProcessError, RequestError, WorkError, readable, system_reason
from supcon.base.freed_memory import use_memory_again
from supcon.base.memory import is_out_of_memory
from supcon.base.processes import drop_useless_ranks, is_first_process
from supcon.cli.parser import did_you_mean
from supcon.cli.robust_streams import make_streams_robust
from supcon.cli.stop_signals import stop_on_signals

_HEAD_START = 2.0
"""Seconds that other processes wait, so that the first one reports a shared error."""

_GROUPS = {
    "train and compare": {
        "train": "train on your images, evaluate, write a report",
        "compare": "show the metrics of several runs side by side",
        "evaluate": "evaluate a run again: corruptions, other images, other bins",
        "transfer": "fine-tune a run on other data sets by the paper's protocol",
        "report": "rebuild a run's report",
    },
    "use a trained model": {
        "predict": "print the class of images",
        "embed": "write the representations of images to a file",
        "search": "find the images that are most similar to a query",
        "audit": "find wrong labels, near-duplicates and overlapping classes",
        "export": "write the model as ONNX, as safetensors or for timm",
        "push": "publish the model on the Hugging Face hub",
        "serve": "answer over HTTP, with a page to drop images on",
    },
    "look first": {
        "views": "draw the views that an augmentation makes",
        "recipes": "list the recipes, or show one with all its values",
        "datasets": "list the named data sets",
    },
    "the paper": {
        "reproduce": "run a table or figure of the paper and give a verdict",
    },
}

COMMANDS = {name: about for group in _GROUPS.values() for name, about in group.items()}

_AFTER_INTERRUPT = {
    "train": "Nothing has been written yet.",
    "transfer": "The same command continues with the next candidate.",
    "embed": "The same command continues with the next images.",
    "evaluate": "The run's earlier metrics are unchanged.",
    "reproduce": "The same command continues; finished cells are kept.",
}
"""Shown after Ctrl-C: the state of the run, or how to continue."""

_WITH_LESS_MEMORY = {
    "train": "lower --batch-size, --micro-batch, --data.image_size or the width of the encoder, or set --data.hold "
    "cache",
    "transfer": "lower --micro-batch, which splits a step's batch, then --image-size or --batch-size, which change the "
    "result; --protocol linear trains no encoder",
    "embed": "lower --batch-size",
}
"""Options that help when there is not enough memory."""

_HELP = """usage: supcon COMMAND [options]

Supervised contrastive learning: train and evaluate image encoders and
classifiers.

examples:
  supcon train              # on built-in digits, a few minutes on a CPU
  supcon train photos/      # on your own images: photos/CLASS/image.jpg

{commands}

`supcon COMMAND --help` shows a command's most common options and an example,
`supcon COMMAND --help-all` all of its options.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code. 0: done, 1: the work failed, 2: the request was wrong."""
    if arguments is not None:  # a call from Python
        return _exit_code(list(arguments))
    make_streams_robust()
    stop_on_signals()
    code = _exit_code(sys.argv[1:])
    end_process_of_group(code)
    return code


def _exit_code(given: list[str]) -> int:
    for useless in drop_useless_ranks():
        print(f"supcon: {useless} is ignored: it is not the number of a process.", file=sys.stderr)
    try:
        return _run(given)
    except RequestError as error:
        return _fail(str(error), 2, given)
    except WorkError as error:
        return _fail(str(error), 1, given)
    except OverflowError as error:
        return _fail(f"A value is too large ({error}); lower it.", 2, given)
    except KeyboardInterrupt as stopped:
        return _fail(_after_interrupt(stopped, given[0] if given else ""), 1, given)
    except Exception as error:  # an unexpected error is one sentence too; --debug adds the traceback
        return _fail(_unexpected(error, given[0] if given else ""), 1, given)


def _after_interrupt(stopped: KeyboardInterrupt, command: str) -> str:
    """What stopped the command, and how to continue; one of them, or both, is in the exception."""
    said = [str(part) for part in stopped.args]
    advice = [] if any("`" in part for part in said) else [_AFTER_INTERRUPT.get(command, "")]
    return " ".join(["Stopped.", *(f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in [*said, *advice] if part)])


def _unexpected(error: Exception, command: str) -> str:
    if is_out_of_memory(error):
        advice = _WITH_LESS_MEMORY.get(command, "end other programs, or repeat the command where there is more")
        return f"There is not enough memory; {advice}."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {system_reason(error)}; check that path and repeat the command."
    return f"{type(error).__name__}: {readable(str(error))} (--debug shows the traceback)."


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help") or list(arguments) == ["help"]:
        print(_HELP.format(commands="\n\n".join(_command_lines(title) for title in _GROUPS)), end="")
        return 0
    if arguments[0] in ("-V", "--version", "version"):
        print(f"supcon {__version__}")
        return 0
    command, *rest = [*arguments[1:2], "--help"] if arguments[0] == "help" else arguments
    if command not in COMMANDS:
        hint = did_you_mean(command, list(COMMANDS)) or f"the commands are {', '.join(COMMANDS)}."
        raise RequestError(f"There is no command {command!r}; {hint}")
    if command in ("train", "transfer", "reproduce"):
        use_memory_again()
        if not _asks_for_help(rest):  # which needs no torch
            use_no_more_threads_than_cores()
    # Only the command's own module is imported: listing recipes must not wait for torch.
    import_module(f"supcon.cli.{command}").run(rest)
    return 0


def _asks_for_help(words: Sequence[str]) -> bool:
    return not {"-h", "--help", "--help-all"}.isdisjoint(words)


def _command_lines(title: str) -> str:
    return "\n".join([f"{title}:", *(f"  {name:<10} {about}" for name, about in _GROUPS[title].items())])


def _fail(sentence: str, code: int, arguments: Sequence[str]) -> int:
    if not is_first_process() and not _failed_alone():
        return code
    if "--debug" in arguments:
        traceback.print_exc()
    print(f"supcon: {readable(sentence)}", file=sys.stderr)
    return code


def _failed_alone() -> bool:
    """Whether only this process failed; an error that the first process has too is reported by that one."""
    if isinstance(sys.exception(), OtherProcessError | KeyboardInterrupt):
        return False
    time.sleep(_HEAD_START)  # if the first process fails too, it ends this one meanwhile
    return True
