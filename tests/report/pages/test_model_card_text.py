from collections.abc import Callable

from supcon.report import RunResults, model_card_text


def test_the_text_has_the_figures_and_how_to_use_the_model(digits_run: RunResults) -> None:
    text = model_card_text(digits_run, "someone/digits")
    assert text.startswith("# someone/digits\n")
    assert f"{100 * digits_run.measures['test/top1']:.2f}\N{NO-BREAK SPACE}%" in text
    assert "model = supcon.load('someone/digits')" in text
    assert "Grey images of any size; the encoder sees 8x8 pixels." in text
    assert "10: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9." in text
    assert "temperature: 0.1" in text


def test_odd_class_names_and_many_of_them(make_run: Callable[..., RunResults]) -> None:
    text = model_card_text(make_run(250, names=["<b>|x"] + [f"class {number}" for number in range(249)]), "a/b")
    assert r"250: \<b\>\|x, class 0" in text
    assert ", and 50 more." in text
