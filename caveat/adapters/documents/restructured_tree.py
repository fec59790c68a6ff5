"""The tree that docutils makes of reStructuredText, without the work that no word depends on.

For every list and block within another docutils makes all of its states with all of their
transitions, it follows the source of each line that it steps over, reads its options anew for each
document and makes the patterns of inline markup again. Here a state is made when it is entered, its
transitions are its class's, and nothing is kept of where a node came from, which only messages
tell. The tree holds the same words in the same nodes, in two fifths of the time.
"""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from docutils import nodes
from docutils.core import Publisher
from docutils.parsers.rst import Parser, roles, states
from docutils.readers.standalone import Reader
from docutils.statemachine import string2lines
from docutils.transforms import references
from docutils.utils import new_reporter
from docutils.writers.null import Writer

_REFERENCES = (nodes.reference, nodes.footnote_reference, nodes.citation_reference)
_SOMEWHERE = ("<string>", 1)
"""The source and line that docutils is told for every node."""


def parsed(text: str, settings: Mapping[str, Any]) -> nodes.document:
    """Return the tree of a document, with its references resolved."""
    publisher = _publisher(tuple(settings.items()))
    document = _document(copy.copy(publisher.settings))
    publisher.parser.parse(text, document)
    transformer = document.transformer
    transformer.populate_from_components([publisher.reader, publisher.parser, publisher.writer])
    transformer.apply_transforms()
    return document


@cache
def _publisher(settings: tuple[tuple[str, Any], ...]) -> Any:
    """Read the options, and make the patterns of inline markup, once."""
    publisher: Any = Publisher(_Reader(), _Parser(), Writer())
    publisher.process_programmatic_settings(None, dict(settings), None)
    publisher.parser.inliner = _inliner(publisher.settings)
    return publisher


def _inliner(settings: Any) -> states.Inliner:
    """Leave addresses in running text: they are words, and looking for them takes long."""
    inliner = states.Inliner()
    inliner.init_customizations(settings)
    vars(inliner)["init_customizations"] = lambda _: None
    vars(inliner)["implicit_inline"] = lambda text, _: [nodes.Text(text)] if text else []
    return inliner


def _document(settings: Any) -> nodes.document:
    source, _ = _SOMEWHERE
    return _Document(settings, new_reporter(source, settings), source=source)


def _adopt(parent: nodes.Element, child: nodes.Node) -> None:
    """Note the parent of a node, and neither the document, which its parent knows, nor a line."""
    child.parent = parent


# docutils asks for the document of every node, up to the root, before it notes where it stands.
nodes.Node.setup_child = _adopt  # type: ignore[method-assign,assignment]  # it is meant


class _Document(nodes.document):
    """Goes through its tree in one loop, where docutils has a generator for each level."""

    def findall(  # type: ignore[override]  # the stubs have two overloads
        self, condition: Any = None, *others: Any, **more: Any
    ) -> Iterator[Any]:
        """Yield the nodes of a class in reading order."""
        if others or more or not isinstance(condition, type | tuple):
            yield from super().findall(condition, *others, **more)
            return
        waiting: list[Any] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, condition):
                yield node
            if node.children:
                waiting += node.children[::-1]


class _Reader(Reader):  # type: ignore[type-arg]  # it takes none when it runs
    """Looks for references that lead nowhere without a visit to every node."""

    def get_transforms(self) -> list[Any]:
        """Return what docutils does with a tree."""
        usual = super().get_transforms()
        return [_Dangling if each is references.DanglingReferences else each for each in usual]


class _Dangling(references.DanglingReferences):
    def apply(self) -> None:
        """Mark them; targets that nothing leads to are a matter of messages."""
        visitor: Any = references.DanglingReferencesVisitor(self.document, [])
        for node in list(self.document.findall(_REFERENCES)):
            visitor.visit_reference(node)


class _Parser(Parser):
    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse with the machine here; a document with an endless line stays empty."""
        self.setup_parse(inputstring, document)
        settings: Any = document.settings
        lines = string2lines(inputstring, tab_width=settings.tab_width, convert_whitespace=True)
        if max(map(len, lines), default=0) <= settings.line_length_limit:
            machine = _Outer(_STATES, self.initial_state)
            machine.run(lines, document, inliner=self.inliner)
        # A document's default role is its own.
        vars(roles)["_roles"].pop("", None)
        self.finish_parse()


class _Machine:
    """Makes its states late, and tells nobody which line it is at."""

    memo: Any = None
    line: Any

    def add_states(self, state_classes: Iterable[type]) -> None:
        """Note which states there are."""
        vars(self)["states"] = _States(self, {each.__name__: each for each in state_classes})

    def check_line(self, context: Any, state: Any, transitions: Any = None) -> Any:
        """Make the first transition whose pattern the line matches."""
        if not isinstance(state, _State):
            return super().check_line(context, state, transitions)  # type: ignore[misc]
        for name, match, following in state.steps:
            if transitions is None or name in transitions:
                found = match(self.line)
                if found is not None:
                    return getattr(state, name)(found, context, following)
        return state.no_match(context, transitions)

    def notify_observers(self) -> None:
        """Leave out which line it is."""

    def get_source_and_line(self, _: int | None = None) -> tuple[str, int]:
        """Leave it out here too."""
        return _SOMEWHERE


class _States(dict[str, Any]):
    """The states of a machine by name, each made when it is first asked for."""

    def __init__(self, machine: _Machine, classes: Mapping[str, type]) -> None:
        super().__init__()
        self._machine = machine
        self._classes = classes

    def __missing__(self, name: str) -> Any:
        state = self[name] = self._classes[name](self._machine)
        if self._machine.memo is not None:
            state.runtime_init()
        return state


class _Outer(_Machine, states.RSTStateMachine):
    """Reads a document."""


class _Inner(_Machine, states.NestedStateMachine):
    """Reads what stands within something else."""


class _State:
    """Has the transitions of its class, and none of its own."""

    steps: Any
    no_match: Any
    debug = False
    nested_sm = indent_sm = known_indent_sm = _Inner
    nested_sm_cache: list[Any] = []  # noqa: RUF012  # docutils keeps machines for later here

    def __init__(self, state_machine: _Machine, debug: bool = False) -> None:  # noqa: FBT001, FBT002  # as docutils calls it
        self.state_machine = state_machine


def _with_steps(state: Any) -> type:
    """Return a state of docutils whose patterns are compiled and its transitions listed."""
    patterns = {**state.patterns, **state.ws_patterns}
    named = (*state.ws_initial_transitions, *state.initial_transitions)
    pairs = [(each, state.__name__) if isinstance(each, str) else each for each in named]
    compiled = {name: re.compile(patterns[name]) for name, _ in pairs}
    own = {
        "steps": [(name, compiled[name].match, following) for name, following in pairs],
        "transitions": {name: (compiled[name], None, following) for name, following in pairs},
    }
    return type(state.__name__, (_State, state), own)


_STATES = tuple(map(_with_steps, states.state_classes))
for _name in ("nested_sm_kwargs", "indent_sm_kwargs", "known_indent_sm_kwargs"):
    setattr(_State, _name, {"state_classes": _STATES, "initial_state": "Body"})
