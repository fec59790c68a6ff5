"""A team's specialists in a whole run: their figures are named, and a critical seat needs one."""

from collections import defaultdict

from caveat.contracts.claim import FigureKind
from caveat.rendering.markdown import render
from caveat.rules.audit import audit
from caveat.teams.catalogue import TeamCatalogue
from caveat.teams.team import assigned
from standins.ports import Page, World
from tests.fakes.runs import Start, report_of, texts

TOPIC = "Is Acme worth its price?"


def page_text(title: str, number: int) -> str:
    filler = " ".join(f"{title.split(maxsplit=1)[0]}{number}w{word}" for word in range(40))
    return f"{title} number {number}: revenue was ${number} billion. The rest is about {filler}"


def staffed(world: World) -> None:
    """Give each specialist of the team three sources, each with a figure."""
    world.pages = []
    world.answers = {}
    for each in assigned(TeamCatalogue().team("investment"), TOPIC):
        names = tuple(f"{each.title} {number}" for number in range(1, 4))
        world.pages += [
            Page(name, page_text(each.title, number)) for number, name in enumerate(names, 1)
        ]
        world.answers |= dict.fromkeys(each.queries, names)


async def test_findings_say_which_figures_they_state(start: Start, world: World) -> None:
    staffed(world)
    report = await report_of(await start(topic=TOPIC, team="investment"))
    titles = {section.assignment_id: section.title for section in report.sections}
    named: dict[str, set[FigureKind]] = defaultdict(set)
    for claim in report.claims:
        named[titles[claim.assignment_id]].update(each.kind for each in claim.figures)
    assert named["Financial results"] == {FigureKind.REVENUE}
    assert named["Recent news and guidance"] == set(), "revenue is none of its kinds"
    assert audit(report, texts(world)).passed
    assert r"| revenue | \$1 billion |" in render(report)
