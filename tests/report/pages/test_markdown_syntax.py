from supcon.report.pages.markdown_syntax import escape, fenced, table


def test_a_table_has_a_line_per_row() -> None:
    assert table(("a", "b"), [[1, "x"]]) == "| a | b |\n| --- | --- |\n| 1 | x |"


def test_text_is_escaped_and_kept_on_one_line() -> None:
    assert escape("a|b\n*c* <i>") == r"a\|b \*c\* \<i\>"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fenced("````\nx\n````", "sh") == "`````sh\n````\nx\n````\n`````"
