"""The commands that begin a run, `caveat research` and `demo`, and what schedules share with them.

Until everything that was asked is settled, nothing of Temporal is loaded: the embedded server is
launched then, and starts while that is.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caveat.clients import requests
from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.options import build_fields
from caveat.clients.parsing import join_words
from caveat.clients.publishing import choose_report_folder
from caveat.clients.run_description import create_run_id
from caveat.contracts.plan import ResearchRequest
from caveat.problem import BadInput, ExitCode
from caveat.workers.settings import Settings, load

if TYPE_CHECKING:
    from caveat.clients.cli.order import RunOrder
    from caveat.clients.service import Service


def research(
    topic: Sequence[str] | None,
    *,
    request: str | None = None,
    out: str | None = None,
    estimate: bool = False,
    wait: bool = False,
    detach: bool = False,
    as_json: bool = False,
    **options: Any,
) -> int:
    fields = read_fields(topic, request, options)
    settings = load()
    if estimate:
        expected = requests.estimate_run(fields, settings)
        if as_json:
            print_json(expected)
        else:
            say(get_stdout(), expected["sentence"])
        return ExitCode.DONE
    if detach and wait:
        raise BadInput("--detach does not follow the run: leave out --wait.")
    # Everything is settled before a server is needed: what is asked, the run's id, and where to.
    wanted = prepare_aloud(fields, settings)
    run_id = create_run_id(wanted.topic)
    folder = choose_report_folder(out, run_id)
    from caveat.clients.cli.order import RunOrder, carry_out, start_detached  # noqa: PLC0415  # runs alone need it

    order = RunOrder(run_id, wanted, folder, waits=wait)
    if detach:
        return start_detached(order, settings, as_json=as_json)

    async def prepare_order(_: "Service") -> "RunOrder":
        return order

    return carry_out(prepare_order, settings, as_json=as_json)


def demo(*, out: str | None, as_json: bool) -> int:
    corpus = [str(requests.EXAMPLE_FOLDER)]
    return research([requests.EXAMPLE_TOPIC], out=out, as_json=as_json, corpus=corpus)


def read_fields(
    topic: Sequence[str] | None, request: str | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Write what was typed as the fields of a request; options go before its file."""
    base = requests.read_request_file(request) if request is not None else {}
    return build_fields({"topic": join_words(topic) if topic else None, **options}, base)


def prepare_aloud(fields: Mapping[str, Any], settings: Settings) -> ResearchRequest:
    """Prepare a request, and say what it is expected to cost, or what its bound made of it."""
    request, sentence = requests.prepare_request(fields, settings)
    if sentence:
        say(get_stderr(), sentence)
    return request
