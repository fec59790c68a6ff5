"""The page of a contradiction: what stands on it, and what a ruling from it becomes."""

import html
from typing import Any, cast

import httpx2
from starlette.routing import Route

from caveat.clients.run_description import Unsettled, Waiting
from caveat.clients.service import RulingOutcome, Service
from caveat.clients.web.access import Gate
from caveat.clients.web.serving import build_application
from caveat.contracts.contradiction import Hearing, Ruling, RulingRecord, Withdrawal
from caveat.problem import BadInput
from caveat.rules.contradictions.track_record import identify_speaker
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from tests.clients.web.conftest import ORIGIN, TOKEN, Browser
from tests.fakes.arbitrations import NOON, a_case_of, a_hearing

OWN = ({"planck", "act"}, {"shoes"})
PATH = "/runs/research-h0/contradictions/contradiction-1"


class Court(Service):
    """An service with one arbitration, and no server."""

    def __init__(self, settings: Settings, hearing: Hearing) -> None:
        super().__init__(cast("Connection", None), settings)
        self.heard = hearing
        self.given: list[Ruling] = []
        self.ruled_on: list[tuple[str, bool]] = []
        self.others: dict[str, tuple[set[str], ...]] = {}  # what other runs ask, by statement
        self.refuses = ""
        self.earlier: tuple[RulingRecord, ...] = ()
        own = vars(self)
        own["arbitrations"] = own["memory"] = self

    async def query_hearing(self, _arbitration: str) -> Hearing:
        return self.heard

    async def list_waiting(self) -> list[Waiting]:
        asked = {"topic": "H0", "about": "H0 differs.", "opened": NOON, "deadline": NOON}
        return [
            Waiting.model_validate({"arbitration": name, "statements": said, **asked})
            for name, said in (("research-h0/contradiction-1", OWN), *self.others.items())
        ]

    async def list_for_review(self) -> list[Unsettled]:
        return [Unsettled(arbitration="late/c-1", topic="Mars", about="The sky of Mars.")]

    async def find_report(self, _run_id: str) -> None:
        return None

    async def recall_rulings(self, _claimants: list[str]) -> tuple[RulingRecord, ...]:
        return self.earlier

    async def give_ruling(
        self, arbitration: str, answer: Withdrawal, *, replaces: bool, everywhere: bool = True
    ) -> RulingOutcome:
        ruling = cast("Ruling", answer)
        if self.refuses:
            raise BadInput(self.refuses)
        self.ruled_on.append((arbitration, everywhere))
        self.given.append(ruling)
        changes: dict[str, Any] = {"ruling": ruling.ruling, "decided_by": ruling.decided_by}
        ruled = self.heard.contradiction.model_copy(update=changes)
        return RulingOutcome("Accepted.", ruled)


def of(values: int) -> Hearing:
    case = a_case_of(values)
    return Hearing(case=case, contradiction=case.contradiction, deadline=NOON)


async def shown(browser: Browser, court: Court) -> tuple[httpx2.AsyncClient, str]:
    visitor = browser(service=court)
    await visitor.get("/", params={"token": TOKEN})
    return visitor, (await visitor.get(PATH)).text


async def ruled(browser: Browser, court: Court, **typed: Any) -> httpx2.Response:
    visitor, _ = await shown(browser, court)
    data = {"reason": "It is newer.", "name": "Ada", **typed}
    return await visitor.post(PATH, data=data, headers={"origin": ORIGIN})


async def test_of_many_values_some_are_ticked(browser: Browser, settings: Settings) -> None:
    court = Court(settings, of(4))
    _, page = await shown(browser, court)
    assert page.count('type="checkbox"') == 5
    answer = await ruled(browser, court, choice=["a", "c"])
    assert answer.status_code == 303, answer.text
    assert [(each.ruling, each.decided_by) for each in court.given] == [("a,c", "Ada")]


async def test_one_ruling_on_one_dispute_of_many_runs(browser: Browser, settings: Settings) -> None:
    """Where each side shares a statement, and whoever rules does not take the tick back."""
    court = Court(settings, a_hearing())
    court.others = {
        "again/c-1": ({"act"}, {"shoes", "h0licow"}),
        "elsewhere/c-1": ({"planck"}, {"desi"}),
        "swapped/c-1": ({"shoes"}, {"planck"}),
        "unknown/c-1": (),
    }
    visitor, page = await shown(browser, court)
    assert "Rule so in 1 other run that waits on these statements" in page
    inbox = html.unescape((await visitor.get("/inbox")).text)
    assert "4 questions wait" in inbox
    assert 'hx-get="/inbox/count"' in page  # every page shows how many wait
    assert (await visitor.get("/inbox/count")).text == '<span class="count">4</span>'
    assert inbox.count("2 reports:") == 1
    assert '"/runs/late/contradictions/c-1">The sky of Mars.' in inbox
    assert (await ruled(browser, court, choice="a", everywhere="yes")).status_code == 303
    assert (await ruled(browser, court, choice="a")).status_code == 303
    name = "research-h0/contradiction-1"
    assert court.ruled_on == [(name, True), (name, False)]


async def test_a_ruling_leads_to_other_questions(browser: Browser, settings: Settings) -> None:
    court = Court(settings, a_hearing())
    court.others = {"research-h0/contradiction-2": (), "elsewhere/contradiction-3": ()}
    given = {"choice": "a", "reason": "It is newer.", "decided_by": "Ada", "decided": NOON}
    court.earlier = tuple(
        RulingRecord.model_validate(
            {
                **given,
                "run_id": run,
                "contradiction_id": "contradiction-1",
                "claimants": [
                    identify_speaker(side.source, side.claim) for side in court.heard.case.sides
                ],
            }
        )
        for run in ("research-h0", "elsewhere")
    )
    ruling = {"state": "resolved", "settled_by": "human", "ruling": "a", "reason": given["reason"]}
    settled = court.heard.contradiction.model_copy(
        update={**ruling, "decided_by": "Ada", "decided": NOON}
    )
    court.heard = court.heard.model_copy(update={"contradiction": settled})
    _, page = await shown(browser, court)
    assert 'href="/runs/research-h0/contradictions/contradiction-2">Next: ' in page
    assert "contradiction-3" not in page
    assert "Earlier rulings" not in page  # the same act, given in both runs at once


def test_nothing_that_changes_anything_is_got(gate: Gate) -> None:
    routes = build_application(cast("Service", None), gate).routes
    changing = {"cancel", "delete", "follow_up", "approve", "ask_on", "sign_out"}
    found = {
        route.name: route.methods
        for route in routes
        if isinstance(route, Route) and route.name in changing
    }
    assert found == {name: {"POST"} for name in changing}
