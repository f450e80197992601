"""The results of a run with measures under corruptions."""

from dataclasses import replace

from supcon.report import RunResults


def corrupted(run: RunResults, accuracy: float) -> RunResults:
    """A run that loses a tenth with every severity."""
    measures = dict(run.measures)
    for name in ("fog", "jpeg_compression"):
        for severity in (1, 3):
            measures[f"corruptions/{name}/{severity}/top1"] = accuracy - severity / 10
            measures[f"corruptions/{name}/{severity}/ece"] = severity / 10
    for severity in (1, 3):
        measures[f"corruptions/severity_{severity}/mean_top1"] = accuracy - severity / 10
        measures[f"corruptions/severity_{severity}/mean_ece"] = severity / 10
    return replace(run, measures=measures, remarks={"corruptions/set": "made <on> the fly"})
