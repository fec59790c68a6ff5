"""Forms as they are sent: from this page, by whoever was let in, within bounds."""

from starlette.datastructures import FormData
from starlette.requests import Request

from caveat.clients.problems import BadInput
from caveat.clients.web.access import Gate, visitor_of

FIELD = "form_token"
"""What a form carries beside what was typed."""

MOST_FILES = 200
MOST_FIELDS = 60
FIELD_BYTES = 64 * 1024
"""Of what is typed: a topic has 2,000 characters, a reason 1,000."""


class Forged(BadInput):
    """A form is not one of ours, or of another visit."""


async def sent(request: Request) -> FormData:
    """Read a form that this page gave to this visitor.

    Raises:
        Forged: it is another.
    """
    form = await request.form(
        max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=FIELD_BYTES
    )
    gate: Gate = request.app.state.gate
    if not gate.is_form_token(visitor_of(request), text(form, FIELD)):
        raise Forged(
            "This form is of an earlier visit: go back, reload the page, and send it again."
        )
    return form


def text(form: FormData, name: str) -> str:
    """Return what was typed into a field; nothing where it is missing or a file."""
    given = form.get(name)
    return given if isinstance(given, str) else ""


def texts(form: FormData, name: str) -> tuple[str, ...]:
    """Return every value of a field that may be chosen several times."""
    return tuple(each for each in form.getlist(name) if isinstance(each, str))
