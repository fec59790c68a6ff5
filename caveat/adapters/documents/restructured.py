"""reStructuredText by docutils, without the work that no word depends on.

What only Sphinx knows is read as the prose that it holds. For every list and block within another
docutils makes all of its states with all of their transitions, it follows the source of each line
that it steps over, reads its options anew for each document and makes the patterns of inline markup
again. Here a state is made when it is entered, its transitions are its class's, and nothing is kept
of where a node came from, which only messages tell. The tree holds the same words in the same
nodes, in two fifths of the time.
"""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import Publisher
from docutils.parsers.rst import Directive, Parser, directives, roles, states
from docutils.readers.standalone import Reader
from docutils.statemachine import string2lines
from docutils.transforms import references
from docutils.utils import new_reporter
from docutils.writers.null import Writer

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata
from caveat.adapters.documents.metadata import metadata_from, split_front_matter
from caveat.rules.sources import is_own_report

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
            return super().check_line(context, state, transitions)  # type: ignore[misc]  # untyped
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


_SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "docinfo_xform": False,
    "file_insertion_enabled": False,  # nothing else is opened, and nothing is run
    "raw_enabled": False,
    "report_level": 5,  # what it does not understand stays in the text
    "halt_level": 5,
    "warning_stream": False,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "doctitle_xform": False,
    "line_length_limit": 1_000_000,
}
_TARGET = re.compile(r"<[^<>]*>\Z")
_UNRESOLVED = re.compile(r"\A\s?(?:\[[^\]]*\]_|`([^`<]*?)(?:\s*<[^>]*>)?`_{0,2})\Z")
"""A reference that leads nowhere in this file, as most of those of Sphinx: its words are kept. One
without quotes may as well be a name that ends so."""
_LEFT_OUT = re.compile(r"(?<![ \n])[ \n]*+\x1f|\x1f")
_DOCINFO = re.compile(r"\A:([A-Za-z][\w -]{0,40}):\s+(.+)\Z")

_CODE = """
    code-block sourcecode literalinclude prompt console ipython productionlist highlight graphviz
    mermaid plantuml uml testcode testoutput testsetup doctest
"""
_CODE_DIRECTIVES = frozenset(_CODE.split())
_REMARKS = """
    seealso versionadded versionchanged versionremoved deprecated rubric centered hlist only
    tabularcolumns sidebar todo epigraph note tip warning admonition details dropdown tab-item
"""
_REMARK_DIRECTIVES = frozenset(_REMARKS.split())
"""Those whose argument is prose; that of the others names what their content is about."""
_LISTS = frozenset({"toctree", "index", "currentmodule", "py:currentmodule", "automodule"})
"""Those that hold names of files and entries of an index, and no words."""


class _AnyOption(dict[str, Any]):
    """Lets every option through unread."""

    def __missing__(self, name: str) -> Any:
        return directives.unchanged


class _Unknown(Directive):
    """A directive that docutils does not know, such as Sphinx's."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = _AnyOption(name=directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Return what it holds: code as code, remarks as prose, a description under its name."""
        argument = self.arguments[0] if self.arguments else ""
        if self.name in _LISTS:
            return []
        if self.name in _CODE_DIRECTIVES:
            code = "\n".join(self.content)
            return [nodes.literal_block(code, code)] if code else []
        inner = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, inner)
        if not argument:
            return [inner]
        words, _ = self.state.inline_text(argument, self.lineno)
        if self.name in _REMARK_DIRECTIVES or not self.content:
            return [nodes.paragraph("", "", *words), inner]
        terms = [nodes.term(each, each.strip()) for each in argument.split("\n")]
        item = nodes.definition_list_item("", *terms, nodes.definition("", inner))
        return [nodes.definition_list("", item)]


def _any_directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
    found = _known_directive(name, language, document) if name in _KNOWN else (None, [])
    return found if found[0] is not None else (_Unknown, [])


def _any_role(name: str, language: Any, line: int, reporter: Any) -> tuple[Any, list[Any]]:
    known = name.lower() in _KNOWN_ROLES
    return _known_role(name, language, line, reporter) if known else (_unknown_role, [])


def _unknown_role(*given: Any, **_: Any) -> tuple[list[nodes.Node], list[Any]]:
    """Return the words of a role that docutils does not know, without the target behind them."""
    _, raw, text = given[:3]
    words = nodes.unescape(text)
    shown = _TARGET.sub("", words).rstrip() or words
    return [nodes.inline(raw, shown.lstrip("~!"))], []


_KNOWN = frozenset(getattr(directives, "_directive_registry", {})) - _CODE_DIRECTIVES
_KNOWN_ROLES = frozenset(getattr(roles, "_role_registry", {}))
_known_directive, _known_role = directives.directive, roles.role
# docutils asks these two for every directive and role, and leaves out those that they do not know.
directives.directive = _any_directive  # type: ignore[assignment]  # the stubs know no unknown one
roles.role = _any_role  # type: ignore[assignment]  # nor do they know an unknown role


def load_restructured(text: str) -> Loaded:
    """Read reStructuredText; nothing that it refers to is opened."""
    metadata, body = split_front_matter(text)
    tree = parsed(body.replace("\x1f", ""), _SETTINGS)
    composer = Composer()
    _TreeReader(composer).read(tree)
    stated = metadata if metadata != Metadata() else _docinfo(body.split("\n", 40)[:40])
    return Loaded(composer.finish(), stated, is_own_report(text))


class _TreeReader:
    """Turns the tree of a document into blocks."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._sections = 0
        self._lists = 0

    def read(self, node: nodes.Node) -> None:
        """Add everything below a node."""
        for child in node.children:
            self._add(child)

    def _add(self, node: nodes.Node) -> None:
        match node:
            case nodes.section():
                self._sections += 1
                self.read(node)
                self._sections -= 1
            case nodes.title() | nodes.subtitle() if isinstance(node.parent, nodes.section):
                self._composer.heading(self._sections, _words(node))
            case nodes.definition_list() | nodes.option_list() | nodes.field_list():
                self._add_terms(node)
            case nodes.row():
                self._add_row(node)
            case nodes.literal_block() | nodes.doctest_block() | nodes.math_block():
                self._composer.verbatim(node.astext())
            case nodes.Invisible() | nodes.system_message() | nodes.raw() | nodes.label():
                pass
            case nodes.TextElement():
                self._composer.item(_lead(node), _words(node))
            case _:
                self.read(node)

    def _add_terms(self, node: nodes.Node) -> None:
        depth = self._lists
        self._lists += 1
        for item in node.children:
            for part in item.children:
                if isinstance(part, nodes.term | nodes.option_group | nodes.field_name):
                    self._composer.term(_words(part), depth)
                elif not isinstance(part, nodes.classifier):
                    self.read(part)
        self._lists -= 1
        self._composer.end_terms(depth)

    def _add_row(self, row: nodes.row) -> None:
        in_head = isinstance(row.parent, nodes.thead)
        self._composer.row((_words(cell) for cell in row.children), is_named=not in_head)


def _words(node: nodes.Node) -> str:
    """Return the text of a node without the marks of footnotes; blocks are parted by spaces."""
    return _LEFT_OUT.sub("", "".join(_pieces(node)))


def _pieces(node: nodes.Node) -> Iterator[str]:
    for child in node.children:
        match child:
            case nodes.Text():
                yield str(child)
            case nodes.problematic():
                yield _resolved(child.astext())
            case nodes.footnote_reference() | nodes.system_message() | nodes.image():
                yield "\x1f"
            case nodes.Inline():
                yield from _pieces(child)
            case _:
                yield " "
                yield from _pieces(child)


def _resolved(reference: str) -> str:
    found = _UNRESOLVED.match(reference)
    return reference if found is None else (found.group(1) or "\x1f")


def _lead(paragraph: nodes.Node) -> str:
    first = paragraph.children[0] if paragraph.children else None
    return _words(first) if isinstance(first, nodes.strong | nodes.literal) else ""


def _docinfo(lines: list[str]) -> Metadata:
    """Read `:Date: ...` fields among the first lines, reStructuredText's own front matter."""
    fields = (_DOCINFO.match(line.strip()) for line in lines)
    return metadata_from(
        {m.group(1).lower().replace(" ", "_"): m.group(2) for m in fields if m is not None}
    )
