"""What of documents was not read is said by document and part."""

from caveat.contracts.source import Reading, SourceRef, Unread, UnreadSort
from caveat.rules.report.limitations import describe_unread_files
from caveat.rules.sources import (
    collect_missing_parts,
    list_missing_parts,
    list_unread_sentences,
    merge_unread,
)

SCAN = "page 2: a picture, perhaps a scan, whose text is not read"


def reading(title: str, *losses: str) -> Reading:
    source = SourceRef(id=f"s-{title}", title=title)
    return Reading(
        source=source, snapshot_sha256="a" * 64, characters=10, shingles=1, losses=losses
    )


def test_parts_are_named_in_limitations_and_where_nothing_was_found() -> None:
    web = collect_missing_parts([reading("Whole"), reading("Fees", SCAN)])
    corpus = Unread(sort=UnreadSort.PART, count=1, examples=("a.pdf (page 3: damaged)",))
    other = Unread(sort=UnreadSort.FORMAT, ending=".dwg", count=2)
    unread = merge_unread([corpus, other, *web])
    (said,) = list_missing_parts(unread)
    assert said.startswith("2 documents were not read as they are: ")
    assert f"Fees ({SCAN})" in said
    assert "a.pdf (page 3: damaged)" in said
    assert list_unread_sentences(unread) == (said, "Not looked at: 2 .dwg.")
    many = collect_missing_parts([reading(f"Fees {number}", SCAN) for number in range(7)])
    assert list_unread_sentences(many)[0].endswith("and 2 more.")
    assert "Fees 6" in list_missing_parts(many)[0]
    first, second = describe_unread_files(unread)
    assert (first.area, first.why) == ("Documents that were not read whole", said)
    assert second.area == "Files that were not looked at"
    assert collect_missing_parts([reading("Whole")]) == ()
