"""Meaning, as far as words show it: what a sentence says that none of the quotes it cites does.

Each rule looks for one sort of word that changes what is said: a name, a unit, a cause, a verdict.
A rule that cannot tell lets a sentence pass; whether quotes carry it, the verifier judges.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain

from caveat.contracts.claim import Claim, ClaimState
from caveat.quantities.numerals import find_numbers
from caveat.quantities.reading import find_quantities
from caveat.quantities.units import Kind
from caveat.rules.sentences.grounds import CALENDAR, Grounds, blank_dates, find_names
from caveat.rules.sentences.lexicon import compile_pattern, list_phrases
from caveat.rules.text import (
    POLES,
    CitedSentence,
    collapse_spaces,
    split_sentences,
    strip_verb_ending,
)
from caveat.rules.text.words import (
    LANGUAGES,
    detect_foreign_language,
    detect_language,
    detect_sure_language,
)


def find_meaning_flaws(sentence: CitedSentence, grounds: Grounds) -> Iterator[str]:
    """Say what a sentence says that nothing it cites does."""
    cited = [grounds.claims[n] for n in dict.fromkeys(sentence.cited) if n in grounds.claims]
    if not cited:
        return
    text = sentence.text
    yield from _find_excluded_claims(text, cited, grounds)
    yield from _find_overruled_values(sentence, grounds)
    yield from _find_other_language(text, grounds)
    if any(collapse_spaces(text).strip(' “”".') in collapse_spaces(each.quote) for each in cited):
        yield from _find_instructions(text)
        return
    yield from find_unsupported_words(text, cited, grounds)
    near = _join_contexts(cited)
    if not _are_english(text, cited):
        return
    computed = grounds.find_computed_numbers(sentence.cited)
    known = " ".join([near, grounds.topic, *map(grounds.describe_origin, cited), *computed])
    yield from _find_unfounded_words(text, near, grounds.topic)
    yield from _find_reversals(text, cited)
    yield from _find_lost_doubts(text, cited)
    yield from _find_unattributed_speech(text, cited)
    yield from _find_words_behind_markers(sentence, known)
    yield from _find_misattributions(text, cited, grounds)
    yield from _find_other_numbers(sentence, cited, grounds)
    yield from _find_unknown_words(text, known)


def find_unsupported_words(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Say which units, judgements and names of a text are of no claim, and whom it speaks to."""
    near = _join_contexts(cited)
    yield from _find_instructions(text)
    yield from _find_direct_address(text)
    yield from _find_judgements(text, near, cited)
    if _are_english(text, cited):
        yield from _find_unsupported_names(text, cited, grounds)


def _find_other_language(text: str, grounds: Grounds) -> Iterator[str]:
    """What is in another language than the question, its quotations left out."""
    said = detect_sure_language(QUOTED_WORDS.sub(" ", text))
    if said and grounds.language and said != grounds.language:
        wanted = LANGUAGES.get(grounds.language, grounds.language)
        yield f"It is in {LANGUAGES[said]}, and the report is to be in {wanted}."


def _join_contexts(cited: Sequence[Claim]) -> str:
    return " ".join(f"{each.before} {each.quote} {each.after}" for each in cited)


def _are_english(text: str, cited: Sequence[Claim]) -> bool:
    """Whether English words are compared with English words."""
    is_foreign = any(detect_foreign_language(each.quote) for each in cited)
    return not is_foreign and {detect_language(text), detect_language(_join_contexts(cited))} == {
        "en"
    }


# Words, reduced to their beginnings so that "decided" and "decision" are one.

_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_KEY = 5  # letters of a word that are compared: its root, in most words of European languages

_EMPTY = frozenset(list_phrases("empty"))


def _build_key(word: str) -> str:
    plain = re.sub(r"['’]s$|['’]$", "", word.casefold())
    return strip_verb_ending(plain)[:_KEY]


@lru_cache(maxsize=1 << 12)
def _list_content_keys(text: str) -> tuple[str, ...]:
    """The words of a text that carry something, as they are compared."""
    return tuple(
        _build_key(part)
        for word in _WORD.findall(text)
        for part in re.split(r"[-–]", word)
        if len(part) > 2 and part.casefold() not in _EMPTY
    )


def list_added_words(text: str, known: str) -> list[str]:
    """The words of a text, as they are compared, that are not among the known ones."""
    return [each for each in _list_content_keys(text) if each not in _list_content_keys(known)]


def _measure_overlap(one: str, other: str) -> float:
    words = set(_list_content_keys(one))
    return len(words & set(_list_content_keys(other))) / len(words) if words else 0.0


_UNITS = (Kind.MEASURE, Kind.DURATION, Kind.SIZE, Kind.MONEY, Kind.PERCENT)


# Words of judgement.

_CERTAINTY, _VALUE, _VERDICT = map(compile_pattern, ("certainty", "value", "verdict"))


def _find_judgements(text: str, near: str, cited: Sequence[Claim]) -> Iterator[str]:
    said = near.casefold()
    patterns = [_CERTAINTY, _VALUE]
    if any(each.state is ClaimState.CONTESTED for each in cited):
        patterns.append(_VERDICT)
    for found in (match for each in patterns for match in each.finditer(text)):
        word = found[0].casefold()
        if (word[:6] if " " not in word else word) not in said:
            yield f"“{found[0]}” judges what no quote that it cites does."


# Who is spoken to.

QUOTED_WORDS = re.compile(r"“[^“”]*+”|„[^„“]*+“|«[^«»]*+»|\"[^\"]*+\"")
_INSTRUCTION, _PERSON = compile_pattern("instruction"), compile_pattern("person")


_ORDER = re.compile(
    r"\b(?:assistants?|chatbots?|AIs?|language models?|writers?|summar(?:ies|y))\b[^.!?]{0,60}?"
    r"\b(?:must|should|shall|have to|has to|are to|is to)\s+(?:\w+ly\s+|not\s+)?"
    r"(?:state|say|report|mention|write|conclude|repeat|cite|omit|claim)\b"
    r"|(?:^|[,:;]\s|please\s)(?:state|say|write|mention|include|repeat|report)\b[^.!?]{0,30}?"
    r"\b(?:every|any|all|each|your)\s+(?:summar|reports?\b|answers?\b|repl)"
    r"|\b(?:ignore|disregard|forget)\b[^.!?]{0,30}\binstructions\b|\bsystem prompt\b",
    re.IGNORECASE,
)


def is_instruction(words: str) -> bool:
    """Whether words tell whoever writes from them what to write; in quotation marks they may."""
    return bool(_ORDER.search(QUOTED_WORDS.sub(" ", words)))


def _find_instructions(text: str) -> Iterator[str]:
    """An instruction to whoever writes a report, though a source holds its very words."""
    said = QUOTED_WORDS.sub(" ", text)
    if found := _INSTRUCTION.search(said) or _ORDER.search(said):
        yield f"“{found[0]}” speaks to whoever writes: it is an instruction and no finding."


def _find_direct_address(text: str) -> Iterator[str]:
    if found := _PERSON.search(QUOTED_WORDS.sub(" ", text)):
        yield f"“{found[0]}” speaks for the writer or to the reader, outside of any quotation."


# Names.

# A name has a small letter within 60 characters: without the bound, "A’A’A’…" takes quadratic time.
_NAME = re.compile(r"(?<![\w.])[A-Z][\w’'&-]{0,60}?[a-z][\w’'&-]*|(?<!\w)[A-Z]{2}[A-Z\d]*(?!\w)")
_RUN = re.compile(r"[A-Z][\w’'&-]*(?: (?:of |& )?[A-Z][\w’'&-]*)*")
_NOT_NAMES = frozenset(list_phrases("no_names"))
_OPENING = re.compile(r"(?:^|[.:;!?]\s+|[“\"(*]+|\n|-\s)")


def _find_unsupported_names(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Names that stand in no quote, in the sentence around none, and are of no source."""
    # The first word of a sentence is a name where the quotes write it so within theirs, or where it
    # stands in the place of one. What stands around a quote may name whoever is named in it too,
    # and none of them exchanged for another.
    text = blank_dates(text, map(grounds.add_years, cited))
    quoted = " ".join(f"{_find_whole_sentences(each)} {each.text}" for each in cited)
    near = " ".join([quoted, grounds.topic, *map(grounds.describe_origin, cited)])
    around = " ".join(f"{each.before} {each.after}" for each in cited)
    known = {name for each in cited for name in find_names(each.quote)}
    if known <= _casefold_words(text):
        near = f"{near} {around if known else ' '.join(map(_find_sentence_before, cited))}"
    said = _build_keys(near)
    opening = {match.end() for match in _OPENING.finditer(text)} | {0}
    for run in _RUN.finditer(text):
        is_name = run.start() not in opening or _is_exchanged(run[0], grounds)
        names = [
            found
            for found in _NAME.finditer(text, *run.span())
            if found[0].casefold() not in _NOT_NAMES
            and (
                is_name or found.start() != run.start() or _strip_possessive(found) in grounds.names
            )
        ]
        strange = [each for each in names if not _is_said(each, said, near)]
        # "Thornwick Leisure Trust" is who the quote calls "the Trust".
        is_longer = run[0].removeprefix("The ") in grounds.said and any(
            each not in strange and each[0] in quoted for each in names
        )
        for found in () if is_longer else strange:
            yield f"“{_strip_possessive(found, fold=False)}” is a name that nothing it cites has."


def _is_exchanged(run: str, grounds: Grounds) -> bool:
    """Whether sources name something by the rest of a name behind another name."""
    _, _, rest = run.partition(" ")
    known = f"{grounds.said} {grounds.topic}"
    if not rest or f" {rest}" not in known:
        return False
    own = grounds.names | find_names(grounds.topic)
    before = (
        found[0].removesuffix(rest).split()
        for found in _RUN.finditer(known)
        if found[0].endswith(f" {rest}")
    )
    return any(words[-1].casefold() in own for words in before)


def _strip_possessive(found: re.Match[str], *, fold: bool = True) -> str:
    name = re.sub(r"['’]s$", "", found[0])
    return name.casefold() if fold else name


def _is_said(found: re.Match[str], keys: Collection[str], text: str) -> bool:
    name = _strip_possessive(found, fold=False)
    if name.casefold() in CALENDAR:  # "Mon 3 June" is a Monday
        return bool(re.search(rf"\b{name[:3]}(?:{name[3:4]}|{name[3:]})?\b", text))
    parts = [part for part in re.split(r"[-–]", name) if len(part) > 1]
    said = text.casefold()
    return name.casefold() in said or all(_build_key(part) in keys for part in parts)


@lru_cache(maxsize=1 << 12)
def _build_keys(text: str) -> frozenset[str]:
    return frozenset(map(_build_key, _WORD.findall(text)))


def _casefold_words(text: str) -> frozenset[str]:
    return frozenset(map(str.casefold, _WORD.findall(text)))


@lru_cache(maxsize=1 << 12)
def _find_whole_sentences(claim: Claim) -> str:
    """The sentences that a quote is of: who is meant by its words stands there."""
    text = f"{claim.before}{claim.quote}{claim.after}"
    start, end = len(claim.before), len(claim.before) + len(claim.quote)
    own = (
        text[at.start : at.end] for at in split_sentences(text) if at.start < end and start < at.end
    )
    return " ".join(own)


@lru_cache(maxsize=1 << 12)
def _find_sentence_before(claim: Claim) -> str:
    """The sentence before a quote, which names who is meant where the quote itself names nobody."""
    found = [claim.before[at.start : at.end] for at in split_sentences(claim.before)]
    return found[-1] if found else ""


# Causes, comparisons, totals.

_SORTS = {"a cause": "cause", "a comparison": "comparison", "a whole": "whole"}
_SAID = {name: compile_pattern(name) for name in _SORTS.values()}
_QUOTED = {name: compile_pattern(name, f"{name}_quoted") for name in _SORTS.values()}
_PARTIAL = compile_pattern("part")


def _find_unfounded_words(text: str, near: str, topic: str) -> Iterator[str]:
    if _SAID["whole"].search(text) and _PARTIAL.search(near) and not _SAID["whole"].search(near):
        yield "It says of all what its quotes say of some."
    for sort, name in _SORTS.items():
        for found in _SAID[name].finditer(text):
            begin = found[0].casefold()[:_KEY]
            known = begin in near.casefold() or begin in topic.casefold()
            if not known and not _QUOTED[name].search(near):
                yield f"“{found[0]}” says {sort}, and no quote that it cites does."


# Denials and opposites.

_ABOUT = 0.4  # share of a sentence's words from which a quote is about the same

_NO = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|den(?:y|ies|ied))\b|n['’]t\b",
    re.IGNORECASE,
)
_SCOPE = re.compile(r"[,;:.]\s|\b(?:because|since|after|before|when|while|until|though|but)\b")
_REACH = 3  # words behind a negation that it may be about, of those that carry something
_ASKED = re.compile(
    r"\b(?:whether|disagree|open|disputed|contested|unclear|unknown|undecided|still to|yet to)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 12)
def _find_denied_words(text: str) -> frozenset[str]:
    """The words that stand directly behind a negation."""
    found: set[str] = set()
    for match in _NO.finditer(text):
        found.update(_list_content_keys(_SCOPE.split(text[match.end() :], maxsplit=1)[0])[:_REACH])
    return frozenset(found)


def _find_reversals(text: str, cited: Sequence[Claim]) -> Iterator[str]:
    """What is denied in one and affirmed in the other; an opposite of what is quoted."""
    quotes = [each.quote for each in cited]
    denied, denials = (
        _find_denied_words(text),
        frozenset[str]().union(*map(_find_denied_words, quotes)),
    )
    if (denied and denials) or _ASKED.search(text):
        return  # where each denies something, words alone cannot tell what
    if not any(_measure_overlap(text, quote) >= _ABOUT for quote in quotes):
        return
    affirmed = set().union(
        *(set(_list_content_keys(quote)) - _find_denied_words(quote) for quote in quotes)
    )
    if turned := [each for each in _list_content_keys(text) if each in denied & affirmed]:
        yield f"It denies what it cites affirms: “{_find_word(turned[0], text)}”."
    if turned := [each for each in _list_content_keys(text) if each in denials - affirmed]:
        yield f"It affirms what it cites denies: “{_find_word(turned[0], text)}”."
    if not denied and not denials and _is_opposite(text, " ".join(quotes)):
        yield "It says the opposite of a word in what it cites."


def _find_word(key: str, text: str) -> str:
    """The first word of a text that is compared by a key."""
    parts = (part for word in _WORD.findall(text) for part in re.split(r"[-–]", word))
    return next(part for part in parts if _build_key(part) == key)


def _is_opposite(text: str, quoted: str) -> bool:
    known = set(_find_poles(quoted))
    return any(
        (axis, -pole) in known and (axis, pole) not in known for axis, pole in _find_poles(text)
    )


def _find_poles(text: str) -> Iterator[tuple[str, int]]:
    for word in _WORD.finditer(text):
        found = POLES.get(strip_verb_ending(word[0]))
        if found is not None and not _LABEL.match(text, word.end()):
            yield found


_LABEL = re.compile(r" (?:[A-Z]|\d+)\b(?! \w+ing)")
"""What a noun is told apart by: "block C" blocks nothing."""

_DOUBT, _TOLD = compile_pattern("doubt"), compile_pattern("doubt", "told", "reported")
_REPORTED = compile_pattern("reported")


_IF = "if|unless|provided|assuming|subject to"
_LIMITS = re.compile(rf"\b(?:{_IF}|only|except|but not|not for)\b", re.IGNORECASE)


def takes_back(before: str, behind: str) -> bool:
    """Whether what was cut off a sentence denies, doubts, limits or reports what was left of it."""
    is_told = _OPENS.search(before) and _REPORTED.search(before)
    return bool(_NO.search(before) or _expresses_doubt(before) or is_told or _LIMITS.search(behind))


_OPENS = re.compile(r"(?:\bthat|[,:])\s*[“\"]?\s*$")
"""What stands directly before the words that somebody is said to have said."""


_MONTH = re.compile(r"(?<=[\w,] )May\b")


def _expresses_doubt(words: str) -> bool:
    return bool(_DOUBT.search(_MONTH.sub(" ", words)))


_CONDITION = re.compile(rf"\s*(?:only )?(?:{_IF})\b", re.IGNORECASE)


def _doubts_statement(quote: str, text: str) -> bool:
    """Whether a quote doubts what a text says: in the clause that says it, or by a condition."""
    clauses = _CLAUSE.split(quote)
    best = max(_measure_overlap(text, each) for each in clauses)
    return _measure_overlap(text, quote) >= _ABOUT and any(
        _expresses_doubt(each) and (_CONDITION.match(each) or _measure_overlap(text, each) == best)
        for each in clauses
    )


def _find_lost_doubts(text: str, cited: Sequence[Claim]) -> Iterator[str]:
    if _TOLD.search(text):
        return
    if all(_doubts_statement(each.quote, text) for each in cited):
        yield "What it cites says this with a doubt or a condition, and it does not."


def _find_unattributed_speech(text: str, cited: Sequence[Claim]) -> Iterator[str]:
    """What a source says that somebody said, as if it were the source's own."""
    if _TOLD.search(text) or QUOTED_WORDS.search(text):
        return
    nearest = [
        max(
            (each.quote[slice(*at)] for at in split_sentences(each.quote)),
            key=partial(_measure_overlap, text),
        )
        for each in cited
    ]
    told = (" ".join(QUOTED_WORDS.findall(each)) or each for each in nearest)
    said = set(_list_content_keys(text))
    are_untold = all(
        speakers and said.isdisjoint(_list_content_keys(" ".join(filter(None, chain(*speakers)))))
        for speakers in map(_SPEAKER.findall, nearest)
    )
    if are_untold and all(_measure_overlap(text, each) >= _ABOUT for each in told):
        yield "What it cites says who says this, and it does not."


_SPEAKER = re.compile(
    r"(?<![\w.’'-])((?:[\w.’'-]+,?\s){1,4})(?:say|says|said|told|stated|reported|claimed)\b"
    r"|\b(?:according to|in the (?:view|opinion) of)\s((?:[\w.’'-]+\s){0,3}[\w.’'-]+)",
    re.IGNORECASE,
)
"""The words that name who is said to say something."""


def _find_words_behind_markers(sentence: CitedSentence, known: str) -> Iterator[str]:
    """What stands behind the last marker and is in nothing that is cited."""
    last = max(mark.offset for mark in sentence.marks) - sentence.start
    words = set(_list_content_keys(sentence.text[last:]))
    if words and not words & set(_list_content_keys(known)):
        yield f"Nothing that it cites says “{sentence.text[last:].strip(' ,.')[:80]}”."


# Who says it.

_SAYER = re.compile(
    r"\b(?:[Aa]ccording to|[Ii]n the (?:view|words|opinion) of|[Aa]s (?:stated|reported) by)\s+"
    r"(?:the |a |an |its |their )?([^,.;:()]{3,80}?)"
    r"(?=[,.;:()]|\s+(?:that|the|a|an|in|on|of|it|this|was|were|is|are|has|had|which|who)\s|$)"
)


def _find_misattributions(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """What is put into the mouth of somebody who is not known to have said it."""
    own = {each.source_id for each in cited}
    # A source without a claim is not known where sentences are written, but to an audit.
    others = {each.source_id for each in grounds.claims.values()} - own
    titles = [title for name, title in grounds.titles.items() if name in others]
    for found in _SAYER.finditer(text):
        words = set(_list_content_keys(found[1]))
        mine = max(
            (_measure_overlap(found[1], grounds.describe_origin(each)) for each in cited),
            default=0.0,
        )
        said = " ".join(_find_speakers(each.quote) for each in cited)
        if words & set(_list_content_keys(said)):
            continue
        if max((_measure_overlap(found[1], title) for title in titles), default=0.0) > mine:
            yield f"“{found[1]}” is another source than the one that it cites."
        elif not mine and words & set(_list_content_keys(" ".join(each.quote for each in cited))):
            yield f"“{found[1]}” says nothing in what it cites, others say it."


def is_reported(quote: str) -> bool:
    """Whether words report what somebody says, and so are that one's and not their source's."""
    # In languages whose words of saying nobody knows here, always: an echo must settle nothing.
    return detect_language(quote) != "en" or bool(_REPORTED.search(quote))


def _find_speakers(quote: str) -> str:
    """The words of a quote that name who speaks; all of it where none do."""
    clauses = _CLAUSE.split(quote)
    found = [
        # "Its chairman, Tom Oduya, said": who speaks stands in the clauses before
        " ".join(clauses[max(0, at - 2) : at + 1]) if _TOLD.match(clause.lstrip()) else clause
        for at, clause in enumerate(clauses)
        if _TOLD.search(clause)
    ]
    return " ".join(found) or quote


# The other claims.

_ALIKE = 0.7  # share of a sentence's words from which another claim is about the same


def _find_other_numbers(
    sentence: CitedSentence, cited: Sequence[Claim], grounds: Grounds
) -> Iterator[str]:
    """The same words with another number, in a claim that it does not cite."""
    text = sentence.text
    mine = _read_quantities(text)
    if not mine:
        return
    own = {name for each in cited for name in (each.id, *each.contested_by)}
    for claim in grounds.claims.values():
        if claim.id in own or claim.source_id in {each.source_id for each in cited}:
            continue
        theirs = _read_quantities(claim.quote)
        differs = {unit for unit, _ in theirs} & {unit for unit, _ in mine} and not mine & theirs
        if differs and _measure_overlap(text, claim.quote) >= _ALIKE:
            yield f"{claim.id} says the same with another number: name both, or neither."


@lru_cache(maxsize=1 << 12)
def _read_quantities(text: str) -> frozenset[tuple[str, float]]:
    return frozenset(
        (q.unit, q.number) for q in find_quantities(text) if q.unit and q.kind in _UNITS
    )


def _find_overruled_values(sentence: CitedSentence, grounds: Grounds) -> Iterator[str]:
    """A value that was overruled, of a claim that is used for what else it says."""
    said = {*_list_content_keys(sentence.text), *find_numbers(sentence.text)}
    for side in grounds.overruled:
        words = {*_list_content_keys(side.value), *find_numbers(side.value)}
        if words and words <= said and not set(side.claims).isdisjoint(sentence.cited):
            yield f"It states “{side.value[:80]}”, which is overruled."


def _find_excluded_claims(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """What a claim says that was overruled, or that nobody could decide on."""
    quoted = " ".join(each.quote for each in cited)
    named = " ".join(
        map(grounds.find_source_title, cited)
    )  # "A pool for the next fifty years" computes nothing
    computed = _read_quantities(text) - _read_quantities(quoted) - _read_quantities(named)
    for claim in grounds.claims.values():
        if claim.state not in (ClaimState.OVERRULED, ClaimState.UNCERTAIN):
            continue
        if computed & _read_quantities(claim.quote):
            yield f"It comes to a value of {claim.id}, which is {claim.state}."
            continue
        # Naming who says it repeats nothing of it.
        said = set(_list_content_keys(text)) - set(
            _list_content_keys(grounds.describe_origin(claim))
        )
        for words in dict.fromkeys((claim.quote, claim.text)):
            again = len(said & set(_list_content_keys(words))) >= _REPEATED * len(said) > 0
            is_said_again = again and not set(find_numbers(text)) - set(find_numbers(words))
            if is_said_again and _measure_overlap(words, quoted) < _COVERED:
                yield f"It states {claim.id}, which is {claim.state}."
                break


_REPEATED, _COVERED = 0.75, 0.6
"""Share of a sentence's words that an excluded claim has for it to state that claim, and share of
that claim's words that its own quotes have for it not to."""

_CLAUSE = re.compile(r"[;:—]|,?\s(?:and|but|while|whereas|which|who|so)\s|,\s|\s–\s")
_CLAUSE_WORDS = 3
"""Words of a clause from which it says something of its own; fewer may join others."""
_HEARD = 0.34  # share of a sentence's words that what it cites must have


def _find_unknown_words(text: str, known: str) -> Iterator[str]:
    said = set(_list_content_keys(known))
    text = _SAYER.sub(" ", text)
    for clause in _CLAUSE.split(text):
        words = set(_list_content_keys(clause))
        if len(words) >= _CLAUSE_WORDS and not words & said:
            yield f"Nothing that it cites says “{clause.strip()[:80]}”."
            return
    words = {*_list_content_keys(text), *find_numbers(text)}
    heard = words & {*said, *find_numbers(known)}
    if words and len(heard) < _HEARD * len(words) and (len(words) >= _CLAUSE_WORDS or not heard):
        yield "It shares too few words with what it cites."
