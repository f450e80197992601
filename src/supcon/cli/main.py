"""The command line: finds the command, runs it, turns what goes wrong into one sentence and an exit code."""

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
"""Seconds that the first of several processes has to say what went wrong."""

COMMANDS = {
    "train": "train, evaluate and report: the main job",
    "evaluate": "measure a run again: other bins, corruptions, published corrupted sets, other data",
    "transfer": "fine-tune a run on other data sets by the paper's protocol",
    "compare": "the same measures of several runs side by side",
    "report": "build a run's page again",
    "reproduce": "a table or figure of the paper, with a verdict; no name lists them",
    "views": "a picture of what an augmentation does",
    "recipes": "what can be run by name, with its claim",
    "datasets": "what can be trained on by name",
}

_GOES_ON = {
    "train": "`supcon train --resume` goes on from the last checkpoint.",
    "transfer": "The same command goes on with the next candidate.",
    "evaluate": "The run has the figures that it had.",
    "reproduce": "The same command goes on; finished cells are kept.",
}
"""What a person who pressed Ctrl-C wants to know."""

_HELP = """usage: supcon COMMAND [options]

Supervised contrastive learning: train an image classifier, see what it is worth.

commands:
{commands}

`supcon COMMAND --help` says more. `supcon train` alone trains on embedded digits, `supcon train photos/` on yours.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command. 0: done, 1: the work failed, 2: the request was wrong."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except RequestError as error:
        return _fail(str(error), 2, words)
    except WorkError as error:
        return _fail(str(error), 1, words)
    except KeyboardInterrupt:
        return _fail(f"Stopped. {_GOES_ON.get(words[0] if words else '', '')}", 1, words)
    except BrokenPipeError:  # the reader of a pipe has gone: not our failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # whatever it is, a person gets a sentence, and the way to more
        return _fail(f"{type(error).__name__}: {error} (--debug shows where).", 1, words)


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_HELP.format(commands="\n".join(f"  {name:<10} {about}" for name, about in COMMANDS.items())))
        return 0
    if words[0] in ("-V", "--version"):
        print(f"supcon {__version__}")
        return 0
    command, *rest = words
    if command not in COMMANDS:
        hint = did_you_mean(command, list(COMMANDS)) or f"there are: {', '.join(COMMANDS)}."
        raise RequestError(f"There is no command {command!r}; {hint}")
    if command in ("train", "transfer", "reproduce"):
        use_memory_again()
    # Only the command's own module is imported: listing recipes must not wait for torch.
    import_module(f"supcon.cli.{command}").run(rest)
    return 0


def _fail(sentence: str, code: int, words: Sequence[str]) -> int:
    if not is_first_process() and not _is_news():
        return code
    if "--debug" in words:
        traceback.print_exc()
    print(f"supcon: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def _is_news() -> bool:
    """Whether what went wrong in this process is not what ended the first one too, which says it for all."""
    if isinstance(sys.exception(), OtherProcessError | KeyboardInterrupt):
        return False
    time.sleep(_HEAD_START)  # the first process ends the others as soon as it fails itself
    return True
