"""A person's answer to a contradiction, in time or late, whoever passes it on."""

from dataclasses import dataclass

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.follow_ups import taken_up
from caveat.clients.problems import BadInput, OutOfReach
from caveat.clients.runs import Runs, RunStatus
from caveat.clients.standings import paused_words
from caveat.clients.typed import ruling_of
from caveat.contracts.contradiction import Contradiction, ContradictionState, LateRuling, Ruling
from caveat.contracts.plan import ResearchRequest
from caveat.rendering.commands import command
from caveat.rules.contradictions.choices import held
from caveat.workers.settings import Settings

REVISED = "Nobody waits for a ruling on it any more: a revision of the report begins with it."
"""Its time may be over, or its run was cancelled before anybody answered."""

_CUT_OFF = {RunStatus.TERMINATED, RunStatus.TIMED_OUT}
"""Ends of which a run learns nothing, so that it cannot keep its evidence."""


@dataclass(frozen=True)
class InTime:
    """A ruling that its arbitration has accepted.

    Attributes:
        contradiction: as it stands now.
    """

    contradiction: Contradiction


@dataclass(frozen=True)
class KeptForRevision:
    """A ruling that came too late, of a run that still goes on and revises itself.

    Attributes:
        sentence: what follows.
    """

    sentence: str


@dataclass(frozen=True)
class Reopening:
    """A ruling that came too late, of a run that has ended: a revision is to be started.

    Attributes:
        run_id: of the revision.
        request: of the revision.
        remark: who works on it, where that is not what a new run would have.
    """

    run_id: str
    request: ResearchRequest
    remark: str | None


@dataclass(frozen=True)
class Rulings:
    """Where rulings are given.

    Attributes:
        runs: of the server.
        settings: of this process.
    """

    runs: Runs
    settings: Settings

    async def rule(self, arbitration: str, ruling: Ruling) -> InTime | KeptForRevision | Reopening:
        """Answer an arbitration; after its deadline the ruling is kept for a revision.

        Raises:
            BadInput: somebody has answered already, or the answer is not accepted; the sentence
                says why.
        """
        run_id, _, contradiction_id = arbitration.rpartition("/")
        arbitrations = Arbitrations(self.runs.client, self.runs.signer)
        if await arbitrations.is_open(arbitration):
            try:
                return InTime(await arbitrations.rule(arbitration, ruling))
            except BadInput:
                if await arbitrations.is_open(arbitration):
                    await self._offered(arbitrations, arbitration, ruling)
                    raise
                # It ended between the two questions: somebody was first, or its time was over.
        ended = await arbitrations.outcome(arbitration)
        require_unsettled(ended)
        kept = await self._offered(arbitrations, arbitration, ruling)
        late = LateRuling(
            contradiction_id=contradiction_id, ruling=arbitrations.signed(arbitration, kept)
        )
        line = await self.runs.line(run_id)
        if line.paused:
            raise OutOfReach(paused_words(run_id))
        if line.status is RunStatus.RUNNING:
            return KeptForRevision(await arbitrations.rule_late(run_id, late))
        if line.status in _CUT_OFF:
            raise BadInput(
                f"{run_id} was ended from outside and kept nothing that a ruling could be on: "
                f"`{command('follow-up', run_id)}` lets it go on, and it asks again."
            )
        return await self._reopening(run_id, late)

    async def _offered(
        self, arbitrations: Arbitrations, arbitration: str, ruling: Ruling
    ) -> Ruling:
        """Read a ruling by how many values its arbitration has, as far as that can be asked.

        Raises:
            BadInput: it chooses none of them.
        """
        heard = await arbitrations.hearing(arbitration)
        known = len(heard.case.sides) if heard else None
        return ruling_of(ruling.ruling, ruling.reason, ruling.decided_by, known)

    async def _reopening(self, run_id: str, late: LateRuling) -> Reopening:
        request = (await self.runs.request(run_id)).model_copy(
            update={"follow_up_of": run_id, "rulings": (late,)}
        )
        return Reopening(*await taken_up(self.runs, self.settings, run_id, request))


def require_unsettled(found: Contradiction | None) -> None:
    """Refuse what somebody has answered already; what was ended from outside is unsettled."""
    if found is None or found.state is not ContradictionState.RESOLVED:
        return
    what = held(found.ruling, len(found.claims)) if found.ruling else "settled"
    when = f" on {found.decided:%Y-%m-%d %H:%M} UTC" if found.decided else ""
    raise BadInput(f"{found.id} was ruled on by {found.decided_by}{when}: {what}.")
