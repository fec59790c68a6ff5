"""The searcher: words in, and no words of its own out; what the server finds for it counts."""

from caveat.contracts.spending import Step
from caveat.roles.role import SONNET, Bounds, ModelSettings

SETTINGS = ModelSettings(
    name="search",
    agent="searcher",
    model=SONNET,
    bounds=Bounds(deadline_s=45, room=1_000),  # a search and a word; results take no room
    step=Step.SEARCH,
    searches=1,
)
