"""What was not looked at, counted and said: in a short table, however many files there are."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

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
    UnreadSort.OWN_REPORT: ("report of Caveat's own", "reports of Caveat's own"),
}
_NAMED = frozenset(
    {
        *(UnreadSort.HIDDEN_FILE, UnreadSort.HIDDEN_FOLDER, UnreadSort.OUTPUT),
        *(UnreadSort.IGNORED, UnreadSort.EXCLUDED, UnreadSort.BUILT),
    }
)
"""Sorts of which the names say more than the number."""
_SAID_APART = frozenset({UnreadSort.OWN_REPORT, UnreadSort.PART})


def describe_unread(unread: Iterable[Unread]) -> str:
    """Describe what was not read, for example `12 .docx, 3 .csv, 1 hidden folder (.git)`."""
    entries = tuple(unread)
    rare = [entry for entry in entries if entry.sort is UnreadSort.FORMAT][MOST_ENDINGS:]
    others = f"{sum(each.count for each in rare):,} of {len(rare):,} other kinds"
    told = [_describe_entry(entry) for entry in entries if entry not in rare]
    return ", ".join([*told, *([others] if rare else [])])


def list_unread_sentences(unread: Iterable[Unread]) -> tuple[str, ...]:
    """Describe what was set aside or not read, a sentence each; a report names it all."""
    entries = tuple(unread)
    others = [entry for entry in entries if entry.sort not in _SAID_APART]
    shortened = (
        entry.model_copy(update={"examples": entry.examples[:UNREAD_EXAMPLES]}) for entry in entries
    )
    return (
        *(f"{describe_set_aside(each)}." for each in entries if each.sort is UnreadSort.OWN_REPORT),
        *list_missing_parts(shortened),
        *([f"Not looked at: {describe_unread(others)}."] if others else []),
    )


def describe_set_aside(own: Unread) -> str:
    """Count set-aside reports, for example `1 report of Caveat's own was set aside`."""
    verb = "was" if own.count == 1 else "were"
    return f"{own.count:,} {_NOUNS[own.sort][own.count != 1]} {verb} set aside"


def list_missing_parts(unread: Iterable[Unread]) -> tuple[str, ...]:
    return tuple(
        f"{describe_missing_parts(each)}." for each in unread if each.sort is UnreadSort.PART
    )


def collect_missing_parts(readings: Iterable[Reading]) -> tuple[Unread, ...]:
    lacking = [
        f"{each.source.title} ({'; '.join(each.losses)})" for each in readings if each.losses
    ]
    part = Unread(sort=UnreadSort.PART, count=max(1, len(lacking)), examples=tuple(lacking))
    return (part,) if lacking else ()


def describe_missing_parts(parts: Unread) -> str:
    """Count the documents that were not read whole, with what they lack."""
    return f"{parts.count:,} {_NOUNS[parts.sort][parts.count != 1]}: {format_unread_names(parts)}"


def format_unread_names(entry: Unread) -> str:
    """Name the first files of an entry, and how many more there are."""
    more = entry.count - len(entry.examples)
    between = "; " if entry.sort is UnreadSort.PART else ", "
    return between.join(entry.examples) + (f" and {more:,} more" if more else "")


def _describe_entry(entry: Unread) -> str:
    count = f"{entry.count:,}"
    if entry.sort is UnreadSort.FORMAT:
        return f"{count} {entry.ending or 'others'}"
    words = f"{count} {_NOUNS[entry.sort][entry.count != 1]}"
    return f"{words} ({format_unread_names(entry)})" if entry.sort in _NAMED else words
