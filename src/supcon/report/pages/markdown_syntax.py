"""Tables, code blocks and escaped text in Markdown."""

import re
from collections.abc import Iterable, Sequence


def table(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; the cells are Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def escape(text: str) -> str:
    """Escapes the characters that have a meaning in Markdown.

    >>> escape("<b>|")
    '\\\\<b\\\\>\\\\|'
    """
    return re.sub(r"([\\`*_\[\]<>|&])", r"\\\1", " ".join(text.splitlines()))


def fenced(text: str, language: str) -> str:
    """A code block whose fence is longer than any inside it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
