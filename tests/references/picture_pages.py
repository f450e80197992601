"""The pages of an audit and of a search with one entry of every kind, made of four names."""

from collections.abc import Sequence

from supcon.report import (
    AuditPage,
    DuplicatePair,
    FoundImage,
    HardPair,
    SearchPage,
    SuspectLabel,
    build_audit_page,
    build_search_page,
)

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


def audit_page(names: Sequence[str]) -> str:
    a, b, c, d = names
    suspect = SuspectLabel(
        name=a, split=b, picture=PIXEL, label=c, suggested=d, probability=0.9, label_probabilities={"neighbours": 0.1}
    )
    pair = HardPair(names=[a, b], labels=[c, d], pictures=[PIXEL] * 2, similarity=0.5, times_mean=2.0)
    copies = DuplicatePair(names=[a, b], splits=[c, d], labels=[a, b], pictures=[PIXEL] * 2, similarity=1.0)
    page = AuditPage(
        run=a,
        data=b,
        images=4,
        doubtful=1,
        suspects=[suspect],
        hard={"positives": [pair], "negatives": []},
        duplicates=1,
        across=1,
        pairs=[copies],
        overlaps=[(a, b, 0.5)],
    )
    return build_audit_page(page)


def search_page(names: Sequence[str]) -> str:
    a, b, c, d = names
    found = FoundImage(name=a, label=b, picture=PIXEL, similarity=0.5)
    return build_search_page(SearchPage(run=c, gallery=d, images=4, answers=[(found, [found])]))
