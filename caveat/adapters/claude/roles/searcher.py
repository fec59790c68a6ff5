"""The searcher: words in, and no words of its own out; what the server finds for it counts."""

from caveat.adapters.claude.messages.question import Bounds
from caveat.adapters.claude.roles.role import SONNET, Role
from caveat.contracts.spending import Step

ROLE = Role(
    name="search",
    agent="searcher",
    model=SONNET,
    bounds=Bounds(deadline_s=45, room=1_000),  # a search and a word; results take no room
    step=Step.SEARCH,
    searches=1,
)
