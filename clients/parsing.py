"""What people type for runs, arbitrations, durations, formats and rulings, and who types it."""

import datetime as dt
import getpass
from collections.abc import Iterable, Sequence

from pydantic import TypeAdapter, ValidationError

from caveat.contracts.contradiction import REASON_LIMIT, Choice, Ruling, Withdrawal
from caveat.contracts.plan import TOPIC_LIMIT, Approval, Duration, Format, Formats
from caveat.problem import BadInput
from caveat.rendering.commands import quote_for_shell
from caveat.rendering.mistakes import describe_first_mistake, describe_mistakes
from caveat.rules.contradictions import choices
from caveat.rules.contradictions.choices import PAIR

LATEST = "latest"  # stands for the run that was started last


def parse_prefix(typed: str, what: str = "a run", command: str = "caveat runs") -> str:
    """Take the beginning of the id of a run, or of something else, from what was typed."""
    beginning = typed.strip("\r\n")
    if not beginning.strip():
        raise BadInput(
            f"Name {what}: its id or the beginning of it, as `{command}` lists it, or `{LATEST}`."
        )
    return beginning


_LISTED = 6
"""Candidates that are listed of an ambiguous beginning: what a person looks through at a glance."""


def require_one(beginning: str, names: Sequence[str], what: str) -> str:
    if len(names) == 1:
        return names[0]
    listed = ", ".join(map(quote_for_shell, names[:_LISTED]))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    raise BadInput(
        f"{quote_for_shell(beginning)} means {len(names)} {what}, name one: {listed}{more}."
    )


_DURATION: TypeAdapter[dt.timedelta] = TypeAdapter(Duration)
_FORMATS: TypeAdapter[tuple[Format, ...]] = TypeAdapter(Formats)
_CHOICE: TypeAdapter[str] = TypeAdapter(Choice)

_CONCEIVABLE = 700
"""Values that one or two letters can name: what is no answer to so many is none to fewer."""


# A run takes seconds to minutes: what is asked more often is no schedule.
_SHORTEST, _LONGEST = dt.timedelta(minutes=1), dt.timedelta(days=30)


def parse_interval(text: str) -> dt.timedelta:
    """Read how often a topic is researched, such as `90m`, `6h` or `1d`."""
    try:
        interval = _DURATION.validate_python(text)
    except ValidationError as error:
        raise BadInput(f"{describe_first_mistake(error, '--every')}.") from None
    if not _SHORTEST <= interval <= _LONGEST:
        raise BadInput(f"--every takes from 1m to 30d, and “{text}” is not in between.")
    return interval


def parse_formats(text: str) -> tuple[Format, ...]:
    """Read the names of formats, separated by commas, each once."""
    try:
        return _FORMATS.validate_python(text)
    except ValidationError as error:
        raise BadInput(f"{describe_first_mistake(error, name=lambda _: '--format')}.") from None


def join_words(words: Sequence[str]) -> str:
    """Join the words of a question, which may be typed without quotation marks."""
    first, *rest = words
    if rest and len(first.split()) > 1:
        raise BadInput(
            f"“{rest[0]}” stands beside the question: put the whole question between quotation "
            "marks, and leave out what is no value of an option."
        )
    return " ".join(words)


def parse_question(topic: object) -> str:
    # Nobody sees controls and formats.
    if not isinstance(topic, str) or not any(map(str.isprintable, "".join(topic.split()))):
        raise BadInput("The topic is empty: ask a question, in quotation marks.")
    question = " ".join(topic.split())
    if len(question) > TOPIC_LIMIT:
        raise BadInput(
            f"The topic has {len(question):,} characters and {TOPIC_LIMIT:,} is the most: ask a "
            "question, and give long texts as documents with --corpus."
        )
    try:
        question.encode("utf-8")
    except UnicodeEncodeError:  # undecodable bytes arrive as lone surrogates
        raise BadInput("The topic contains bytes that are not text: type it in UTF-8.") from None
    return question


def parse_approval(
    drop: Sequence[str],
    edit: Iterable[tuple[str, str]],
    add: Sequence[str],
    answers: Sequence[str],
    by: str,
) -> Approval:
    """Read a decision on a plan; an edit is an angle and its question."""
    edits = {angle.strip(): question for angle, question in edit}
    if wrong := next((angle for angle, question in edits.items() if not question.strip()), None):
        raise BadInput(f"“{wrong[:60]}” is no edit: write an angle and its question, a2=TEXT.")
    decision = {
        "drop": [angle.strip() for angle in drop],
        "edit": edits,
        "add": list(add),
        "answers": list(answers),
        "by": by,
    }
    try:
        return Approval.model_validate(decision)
    except ValidationError as error:
        raise BadInput(f"The decision is not valid: {describe_mistakes(error)}.") from None


def parse_ruling(choice: str, reason: str, decided_by: str, values: int | None = None) -> Ruling:
    """Validate a ruling on so many values; None where only the arbitration knows how many."""
    try:
        chosen = _CHOICE.validate_python(choice)
        if values is not None:
            chosen = choices.normalise_choice(chosen, values)
        elif chosen != "both":
            choices.parse_choice(chosen, _CONCEIVABLE)
    except (ValidationError, choices.NotOfferedError):
        offered = choices.format_options(PAIR if values is None else values)
        more = "" if values else "; of more than two values letters such as a,c, all or none"
        raise BadInput(
            f"There is no ruling “{choice.strip()[:40]}”: choose from {offered}{more}."
        ) from None
    signed = parse_withdrawal(reason, decided_by)
    return Ruling(ruling=chosen, **signed.model_dump())


def parse_answer(
    choice: str | None, reason: str, decided_by: str, values: int | None = None, *, withdraws: bool
) -> Withdrawal:
    if withdraws and choice:
        raise BadInput("Who withdraws a ruling chooses nothing: leave one of the two out.")
    if withdraws:
        return parse_withdrawal(reason, decided_by)
    if not choice:
        offered = choices.format_options(PAIR if values is None else values)
        raise BadInput(f"A ruling says which value holds: choose from {offered}.")
    return parse_ruling(choice, reason, decided_by, values)


def parse_withdrawal(reason: str, decided_by: str) -> Withdrawal:
    try:
        return Withdrawal(reason=reason, decided_by=decided_by)
    except ValidationError as error:
        field = error.errors(include_url=False, include_input=False)[0]["loc"][0]
        if field == "reason":
            raise BadInput(
                f"A ruling needs a reason of 1 to {REASON_LIMIT:,} characters: say why."
            ) from None
        raise BadInput("A name of 1 to 200 characters says who rules.") from None


def find_user() -> str | None:
    """Name the user, as the machine knows them; None of a user id without a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # as in many containers
        return None


def name_person() -> str:
    return find_user() or "somebody at the terminal"
