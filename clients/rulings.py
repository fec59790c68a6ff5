"""From what a person typed to a ruling, or one clear sentence why not."""

from pydantic import TypeAdapter, ValidationError

from caveat.contracts.contradiction import REASON_LIMIT, Choice, Ruling
from caveat.rules.choices import NotOffered, answerable, canonical, holding
from clients.problems import BadInput

_CONCEIVABLE = 700
"""Values that one or two letters can name: what is no answer to so many is none to fewer."""

_PAIR = 2

_CHOICE: TypeAdapter[str] = TypeAdapter(Choice)


def ruling_of(choice: str, reason: str, decided_by: str, values: int | None = None) -> Ruling:
    """Validate a ruling.

    Args:
        choice: letters of values with commas between them, or a word for all or none of them.
        reason: why.
        decided_by: who rules.
        values: how many there are to choose among; None where only the arbitration knows.

    Raises:
        BadInput: something in it cannot be; the sentence names the first thing.
    """
    try:
        kept = _choice(_CHOICE.validate_python(choice), values)
    except (ValidationError, NotOffered):
        raise _no_ruling(choice, values) from None
    try:
        return Ruling(ruling=kept, reason=reason, decided_by=decided_by)
    except ValidationError as error:
        field = error.errors(include_url=False, include_input=False)[0]["loc"][0]
        if field == "reason":
            raise BadInput(
                f"A ruling needs a reason of 1 to {REASON_LIMIT:,} characters: say why."
            ) from None
        raise BadInput("A name of 1 to 200 characters says who rules.") from None


def _choice(choice: str, values: int | None) -> str:
    if values is not None:
        return canonical(choice, values)
    if choice != "both":
        holding(choice, _CONCEIVABLE)
    return choice


def _no_ruling(choice: str, values: int | None) -> BadInput:
    offered = answerable(_PAIR if values is None else values)
    more = "" if values else "; of more than two values letters such as a,c, all or none"
    return BadInput(f"There is no ruling “{choice.strip()[:40]}”: {offered}{more}.")
