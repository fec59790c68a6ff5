"""Worlds that several tests start from, and what may disagree in them."""

from functools import cache

from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.contracts.tasks import DetectionTask
from tests.fakes.disputes import sides_of
from tests.fakes.ports import Page, World

ALPHA = "Alpha is {0} units wide."
BETA = "Beta holds in case {0}."


@cache
def page_text(number: int, says: str = f"{ALPHA} {BETA}") -> str:
    filler = " ".join(f"w{number}x{word}" for word in range(60))
    return f"{says.format(number)} The rest is about {filler}"


def one_sided(number: int) -> str:
    """A page on alpha alone, the later ones on beta: each is analysed for both angles."""
    return page_text(number, ALPHA if number <= 6 else BETA)


def a_world() -> World:
    """Twelve pages, two angles that find six each."""
    return World(
        pages=[Page(f"page {number}", one_sided(number)) for number in range(1, 13)],
        angles={"Alpha width": ("alpha",), "Beta cases": ("beta",)},
        answers={
            "alpha": ("page 1", "page 2", "page 3", "page 4", "page 5", "page 6"),
            "beta": ("page 7", "page 8", "page 9", "page 10", "page 11", "page 12"),
        },
    )  # fmt: skip


def with_spares(world: World, count: int) -> None:
    """Let the search for alpha find so many pages more, the first of them page 13."""
    more = [Page(f"page {number}", page_text(number, ALPHA)) for number in range(13, 13 + count)]
    world.pages += more
    world.answers["alpha"] += tuple(page.name for page in more)


def disagreeing(world: World, *pairs: tuple[int, int], affects_answer: bool = True) -> None:
    """Let the claims of these pages disagree with each other."""

    def found(task: DetectionTask) -> tuple[Disagreement, ...]:
        titles = {source.id: source.title for source in task.sources}
        by_page = {titles[claim.source_id]: claim for claim in reversed(task.claims)}
        return tuple(
            Disagreement(
                kind=ContradictionKind.NUMERIC,
                sides=sides_of((by_page[f"page {a}"].id, by_page[f"page {b}"].id)),
                about=f"Width: {a} units in one, {b} units in the other.",
                affects_answer=affects_answer,
            )
            for a, b in pairs
        )

    world.disagreements = found
