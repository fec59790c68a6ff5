"""What was not looked at, counted and said: in a short table, however many files there are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from caveat.contracts.source import Reading, Unread, UnreadSort

MOST_ENDINGS = 12
"""Endings that are named, the most frequent ones; a folder of source code has as many, and nobody
reads on."""

UNREAD_EXAMPLES = 5  # names in an entry: enough to recognise what it is about


def merge_unread(unread: Iterable[Unread]) -> tuple[Unread, ...]:
    """Merge entries of one kind, the most frequent endings first."""
    groups: defaultdict[tuple[UnreadSort, str], list[Unread]] = defaultdict(list)
    for entry in unread:
        groups[entry.sort, entry.ending].append(entry)
    merged, order = map(_sum, groups.values()), list(UnreadSort)
    return tuple(sorted(merged, key=lambda e: (order.index(e.sort), -e.count, e.ending)))


def _sum(entries: Sequence[Unread]) -> Unread:
    first = entries[0]
    names = sorted(name for entry in entries for name in entry.examples)
    most = PARTS_NAMED if first.sort is UnreadSort.PART else UNREAD_EXAMPLES
    count = sum(entry.count for entry in entries)
    return first.model_copy(update={"count": count, "examples": tuple(names[:most])})


PARTS_NAMED = 50
"""Parts of documents in an entry: what is missing is said of each, as far as anybody reads on."""

_NOUNS = {
    UnreadSort.PART: ("document was not read as it is", "documents were not read as they are"),
    UnreadSort.FORMAT: ("", ""),
    UnreadSort.NO_ENDING: ("without an ending that is known", "without an ending that is known"),
    UnreadSort.HIDDEN_FILE: ("hidden file", "hidden files"),
    UnreadSort.HIDDEN_FOLDER: ("hidden folder", "hidden folders"),
    UnreadSort.IGNORED: ("that .gitignore leaves out", "that .gitignore leaves out"),
    UnreadSort.EXCLUDED: ("that caveat.toml excludes", "that caveat.toml excludes"),
    UnreadSort.BUILT: ("folder of installed or built files", "folders of installed or built files"),
    UnreadSort.SPECIAL: ("that is no file", "that are no files"),
    UnreadSort.OUTPUT: ("folder of Caveat's own output", "folders of Caveat's own output"),
    UnreadSort.OWN_REPORT: (
        "report of Caveat's own was set aside",
        "reports of Caveat's own were set aside",
    ),
}
_NAMED = frozenset(
    {
        *(UnreadSort.HIDDEN_FILE, UnreadSort.HIDDEN_FOLDER, UnreadSort.OUTPUT),
        *(UnreadSort.IGNORED, UnreadSort.EXCLUDED, UnreadSort.BUILT),
    }
)
"""Sorts of which the names say more than the number."""


def describe_unread(unread: Iterable[Unread]) -> str:
    """Describe what was not read, for example `12 .docx, 3 .csv, 1 hidden folder (.git)`."""
    entries = tuple(unread)
    rare = [entry for entry in entries if entry.sort is UnreadSort.FORMAT][MOST_ENDINGS:]
    others = f"{sum(each.count for each in rare):,} of {len(rare):,} other kinds"
    told = [_describe_entry(entry) for entry in entries if entry not in rare]
    return ", ".join([*told, *([others] if rare else [])])


def group_unread(
    unread: Iterable[Unread], most: int = PARTS_NAMED
) -> Iterator[tuple[UnreadSort, str, str]]:
    """Group what was not read: Caveat's own reports, parts of documents, and all other files.

    Yields:
        The sort, `FORMAT` for all other files; what is said of it; the first names, as many as
        `most`.
    """
    entries = [each.model_copy(update={"examples": each.examples[:most]}) for each in unread]
    apart = [each for each in entries if each.sort in {UnreadSort.OWN_REPORT, UnreadSort.PART}]
    for each in apart:
        yield each.sort, _describe_entry(each), _format_names(each)
    if others := [each for each in entries if each not in apart]:
        yield UnreadSort.FORMAT, describe_unread(others), ""


def list_unread_sentences(unread: Iterable[Unread]) -> tuple[str, ...]:
    """Describe what was set aside or not read, a sentence each; a report names it all."""
    return tuple(
        f"Not looked at: {phrase}." if sort is UnreadSort.FORMAT else f"{phrase}."
        for sort, phrase, _ in group_unread(unread, UNREAD_EXAMPLES)
    )


def list_missing_parts(unread: Iterable[Unread]) -> tuple[str, ...]:
    return tuple(
        f"{phrase}." for sort, phrase, _ in group_unread(unread) if sort is UnreadSort.PART
    )


def collect_missing_parts(readings: Iterable[Reading]) -> tuple[Unread, ...]:
    lacking = [
        f"{each.source.title} ({'; '.join(each.losses)})" for each in readings if each.losses
    ]
    part = Unread(sort=UnreadSort.PART, count=max(1, len(lacking)), examples=tuple(lacking))
    return (part,) if lacking else ()


def _format_names(entry: Unread) -> str:
    """Name the first files of an entry, and how many more there are."""
    more = entry.count - len(entry.examples)
    between = "; " if entry.sort is UnreadSort.PART else ", "
    return between.join(entry.examples) + (f" and {more:,} more" if more else "")


def _describe_entry(entry: Unread) -> str:
    count = f"{entry.count:,}"
    if entry.sort is UnreadSort.FORMAT:
        return f"{count} {entry.ending or 'others'}"
    words = f"{count} {_NOUNS[entry.sort][entry.count != 1]}"
    if entry.sort is UnreadSort.PART:
        return f"{words}: {_format_names(entry)}"
    return f"{words} ({_format_names(entry)})" if entry.sort in _NAMED else words
