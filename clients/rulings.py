"""From what a person typed to a ruling, or one clear sentence why not."""

from pydantic import ValidationError

from caveat.contracts.contradiction import REASON_LIMIT, Ruling, RulingChoice
from clients.problems import BadInput


def ruling_of(choice: str, reason: str, decided_by: str) -> Ruling:
    """Validate a ruling.

    Args:
        choice: `a`, `b`, `both` or `neither`.
        reason: why.
        decided_by: who rules.

    Raises:
        BadInput: something in it cannot be; the sentence names the first thing.
    """
    known = [each.value for each in RulingChoice]
    if choice not in known:
        raise BadInput(f"There is no ruling “{choice}”: choose from {', '.join(known)}.")
    try:
        return Ruling(ruling=RulingChoice(choice), reason=reason, decided_by=decided_by)
    except ValidationError as error:
        field = error.errors(include_url=False, include_input=False)[0]["loc"][0]
        if field == "reason":
            raise BadInput(
                f"A ruling needs a reason of 1 to {REASON_LIMIT:,} characters: say why."
            ) from None
        raise BadInput("A name of 1 to 200 characters says who rules.") from None
