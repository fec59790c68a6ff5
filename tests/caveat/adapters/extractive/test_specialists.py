"""The investment team with the extractive reasoner, from its queries to quotes."""

from pathlib import Path

import pytest

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary, CorpusSearch
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.contracts.plan import Assignment
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import AnalysisTask, SearchTask
from caveat.roles.analyst import ANALYSE
from caveat.teams.team import TeamCatalogue, build_assignments

TOPIC = "Is Borealis Robotics a good investment?"
PAGES = {
    "report": "# Borealis Robotics annual report\n\n"
    "Borealis Robotics serves 410 customers in 22 countries. "
    "Revenue grew 24% to $1.92 billion and gross margin rose to 41.5%. "
    "Borealis held $880 million in cash and $350 million of debt. "
    "The moat rests on switching costs, and its competitors are Locus and Geek+.",
    "note": "# Borealis Robotics: initiating coverage\n\n"
    "At $52 the shares trade at 32 times earnings and 18 times EBITDA. "
    "We set a price target of $60 for Borealis Robotics.",
    "news": "# Borealis Robotics raises guidance\n\n"
    "Borealis Robotics raised its guidance for 2025 on Thursday. "
    "The company announced a contract for 4,000 robots.",
    "walk": "# A walk in the northern woods\n\n"
    "The aurora borealis was visible for three hours. "
    "The company of friends made it a good evening.",
}
EXPECTED = {
    "business": "410 customers",
    "financial": "Revenue grew 24%",
    "strategy": "switching costs",
    "valuation": "price target of $60",
    "news": "raised its guidance",
}


async def quotes(folder: Path, assignment: Assignment) -> list[str]:
    index = CorpusIndex(folder / "index")
    corpus = (str(folder / "corpus"),)
    library = CorpusLibrary(index, corpus, ())
    await library.take_stock(corpus)
    reasoner = ExtractiveReasoner(vocabulary=index)
    found: dict[str, SourceRef] = {}
    for query in assignment.queries:
        search = SearchTask(task_id="s", description="s", query=query, corpus=corpus, limit=8)
        results = await CorpusSearch(index).search(search)
        found |= {hit.source.id: hit.source for hit in results.hits}
    said: list[str] = []
    for source in found.values():
        task = AnalysisTask(
            task_id="t", description="t", topic=TOPIC, assignments=(assignment,), source=source,
            snapshot_sha256="0", corpus=corpus, wanted=4,
        )  # fmt: skip
        document = await library.read(source)
        answer = await reasoner.ask(ANALYSE, task, document.snapshot, lambda *_: None)
        said += [claim.quote for claim in answer.value.claims]
    return said


@pytest.mark.parametrize("name", EXPECTED)
async def test_each_specialist_quotes_what_an_analyst_looks_for(name: str, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for page, text in PAGES.items():
        (tmp_path / "corpus" / f"{page}.md").write_text(text, encoding="utf-8")
    team = TeamCatalogue().read_team("investment")
    names = [specialist.name for specialist in team.specialists]
    said = await quotes(tmp_path, build_assignments(team, TOPIC)[names.index(name)])
    assert any(EXPECTED[name] in quote for quote in said)
    assert not any("aurora" in quote or "friends" in quote for quote in said)
