"""The page of an experiment."""

from supcon.report import Chart, ChartPoint, ChartSeries, ExperimentPage, build_experiment_page


def test_the_page_holds_claim_verdict_table_and_plot_and_escapes_them() -> None:
    point = ChartPoint(at=0.1, mean=0.5, deviation=0.01, published=0.787)
    chart = Chart(
        kind="lines", title="Fig. 4", x_title="temperature", y_title="accuracy", percent=True,
        series=[ChartSeries(name="SupCon", points=[point])],
    )  # fmt: skip
    page = build_experiment_page(
        ExperimentPage(
            name="temperature", where="Fig. 4 (d)", claim="0.1 is best <b>", verdict="The claim held.",
            parts=[("held", "0.1 is above 1.")], besides=[("did not hold", "0.05 is above 0.5.")],
            headings=("setting", "ours"), rows=[("temperature 0.1", "50.00 % ± 1.00"), ("temperature 1", "−")],
            charts=[chart], differs="Smaller.", circumstances=["1 cell"], method="A t-test.",
            command="supcon reproduce temperature",
        )
    )  # fmt: skip
    assert page.startswith("<!doctype html>")
    for text in ("The claim held.", "temperature 0.1", "A t-test.", "supcon reproduce temperature", "Fig. 4 (d)"):
        assert text in page
    assert "No part of the claim: 0.05 is above 0.5." in page
    assert 'data-value="50.0">50.00 % ± 1.00' in page, "columns of numbers are sorted as numbers"
    assert "0.1 is best &lt;b&gt;" in page
    assert "0.1 is best <b>" not in page
