"""reStructuredText by docutils; what only Sphinx knows is read as the prose that it holds."""

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata
from caveat.adapters.documents.metadata import metadata_from, split_front_matter
from caveat.adapters.documents.restructured_tree import parsed
from caveat.rules.sources import is_own_report

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
