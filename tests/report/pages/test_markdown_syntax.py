"""Markdown tables, escaping and code blocks."""

from supcon.report.pages.markdown_syntax import escape, fenced, table


def test_a_table_has_a_line_for_each_row() -> None:
    assert table(["a", "b"], [(1, 2.5), ("x", "y")]) == "| a | b |\n| --- | --- |\n| 1 | 2.5 |\n| x | y |"


def test_characters_with_a_meaning_are_escaped() -> None:
    assert escape("a*b_c`d[e](f)|<g>&\\") == r"a\*b\_c\`d\[e\](f)\|\<g\>\&" + "\\\\"
    assert escape("two\nlines") == "two lines"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fenced("x", "sh") == "```sh\nx\n```"
    assert fenced("a ```` b", "") == "`````\na ```` b\n`````"
