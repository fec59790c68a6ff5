"""What of documents was not read is said by document and part."""

from caveat.contracts.source import Reading, SourceRef, Unread, UnreadSort
from caveat.rules.report.limitations import not_looked_at
from caveat.rules.sources import read_in_part, read_without, tallied, unread_sentences

SCAN = "page 2: a picture, perhaps a scan, whose text is not read"


def reading(title: str, *losses: str) -> Reading:
    source = SourceRef(id=f"s-{title}", title=title)
    return Reading(
        source=source, snapshot_sha256="a" * 64, characters=10, shingles=1, losses=losses
    )


def test_parts_are_named_in_limitations_and_where_nothing_was_found() -> None:
    web = read_without([reading("Whole"), reading("Fees", SCAN)])
    corpus = Unread(sort=UnreadSort.PART, count=1, examples=("a.pdf (page 3: damaged)",))
    other = Unread(sort=UnreadSort.FORMAT, ending=".dwg", count=2)
    unread = tallied([corpus, other, *web])
    (said,) = read_in_part(unread)
    assert said.startswith("2 documents were not read as they are: ")
    assert f"Fees ({SCAN})" in said
    assert "a.pdf (page 3: damaged)" in said
    assert unread_sentences(unread) == (said, "Not looked at: 2 .dwg.")
    first, second = not_looked_at(unread)
    assert (first.area, first.why) == ("Documents that were not read whole", said)
    assert second.area == "Files that were not looked at"
    assert read_without([reading("Whole")]) == ()
