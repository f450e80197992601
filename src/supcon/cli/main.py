"""The command line: finds and runs the command, and turns exceptions into one sentence and an exit code."""

import os
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module

from supcon import __version__
from supcon.base.errors import OtherProcessError, RequestError, WorkError
from supcon.base.freed_memory import use_memory_again
from supcon.base.processes import is_first_process
from supcon.cli.parser import did_you_mean

_HEAD_START = 2.0
"""Seconds that other processes wait, so that the first one reports a shared error."""

COMMANDS = {
    "train": "train, evaluate and write a report",
    "evaluate": "evaluate a run again: other bins, corruptions, published corrupted sets, other data",
    "transfer": "fine-tune a run on other data sets by the paper's protocol",
    "compare": "show the metrics of several runs side by side",
    "embed": "write the representations of images to a file",
    "predict": "print the class of images",
    "search": "find the images that are most similar to a query",
    "audit": "find images whose label looks wrong, near-duplicates, and classes that overlap",
    "export": "write a run's model as ONNX, as safetensors or for timm",
    "push": "publish a run's model on the Hugging Face hub, with a model card",
    "serve": "answer over HTTP: a page to drop images on, /predict, /embed, /search",
    "report": "rebuild a run's report",
    "reproduce": "run a table or figure of the paper and give a verdict; without a name: list them",
    "views": "draw the views that an augmentation makes",
    "recipes": "list the recipes, or show one with all its values",
    "datasets": "list the named data sets",
}

_AFTER_INTERRUPT = {
    "train": "Nothing has been written yet.",
    "transfer": "The same command continues with the next candidate.",
    "embed": "The same command continues with the next images.",
    "evaluate": "The run's earlier metrics are unchanged.",
    "reproduce": "The same command continues; finished cells are kept.",
}
"""Shown after Ctrl-C: the state of the run, or how to continue."""

_HELP = """usage: supcon COMMAND [options]

Supervised contrastive learning: train and evaluate image encoders and classifiers.

commands:
{commands}

`supcon COMMAND --help` lists a command's options. `supcon train` trains on built-in digits, `supcon train photos/` on
your own images.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code. 0: done, 1: the work failed, 2: the request was wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except RequestError as error:
        return _fail(str(error), 2, given)
    except WorkError as error:
        return _fail(str(error), 1, given)
    except KeyboardInterrupt as stopped:
        return _fail(f"Stopped. {stopped or _AFTER_INTERRUPT.get(given[0] if given else '', '')}", 1, given)
    except BrokenPipeError:  # the reader of the pipe was closed, which is not an error of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # an unexpected error is one sentence too; --debug adds the traceback
        return _fail(f"{type(error).__name__}: {error} (--debug shows the traceback).", 1, given)


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_HELP.format(commands="\n".join(f"  {name:<10} {about}" for name, about in COMMANDS.items())))
        return 0
    if arguments[0] in ("-V", "--version"):
        print(f"supcon {__version__}")
        return 0
    command, *rest = arguments
    if command not in COMMANDS:
        hint = did_you_mean(command, list(COMMANDS)) or f"the commands are {', '.join(COMMANDS)}."
        raise RequestError(f"There is no command {command!r}; {hint}")
    if command in ("train", "transfer", "reproduce"):
        use_memory_again()
    # Only the command's own module is imported: listing recipes must not wait for torch.
    import_module(f"supcon.cli.{command}").run(rest)
    return 0


def _fail(sentence: str, code: int, arguments: Sequence[str]) -> int:
    if not is_first_process() and not _failed_alone():
        return code
    if "--debug" in arguments:
        traceback.print_exc()
    print(f"supcon: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def _failed_alone() -> bool:
    """Whether only this process failed; an error that the first process has too is reported by that one."""
    if isinstance(sys.exception(), OtherProcessError | KeyboardInterrupt):
        return False
    time.sleep(_HEAD_START)  # if the first process fails too, it ends this one meanwhile
    return True
