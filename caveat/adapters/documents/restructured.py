"""reStructuredText, written as HTML by docutils; what only Sphinx knows is read as prose."""

import re
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import Directive, directives, roles

from caveat.adapters.documents.accounting import list_losses
from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.metadata import parse_metadata, split_front_matter
from caveat.rules.lines import build_word_list

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
    "output_encoding": "unicode",
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "toc_backlinks": False,
    "math_output": "LaTeX",
    "line_length_limit": 1_000_000,
}
_TARGET = re.compile(r"<[^<>]*>\Z")
_UNRESOLVED = re.compile(r"\A\s?(?:\[[^\]]*\]_|`([^`<]*?)(?:\s*<[^>]*>)?`_{0,2})\Z")
"""A reference that leads nowhere in this file, as most of those of Sphinx: its words are kept. One
without quotes may as well be a name that ends so."""
_UNSHOWN = (
    *(nodes.comment, nodes.substitution_definition, nodes.system_message, nodes.label, nodes.meta),
)
_NOTHING = "\x1f"
_LEFT_OUT = re.compile(r"(?<![ \n])[ \n]*+\x1f|\x1f")
_DIRECTIVE = re.compile(r"^[ \t]*(?:\.\. )+(?:\|[^|\n]+\| )?([\w:.+-]+?)::(?=\s)", re.MULTILINE)
_INCLUDED = re.compile(r"^[ \t]*\.\. (?:literal)?include:: *(\S+)", re.MULTILINE)
_ELSEWHERE = re.compile(r"\s*\.\. (?:\|[^|\n]+\| )?(?:include|raw)::")
_ROLE = re.compile(r"(?<![\w:.+-]):([\w:.+-]{1,60}):`|`:([\w:.+-]{1,60}):")
_DOCINFO = re.compile(r"\A:([A-Za-z][\w -]{0,40}):\s+(.+)\Z")

_CODE_DIRECTIVES = build_word_list(
    "code-block sourcecode literalinclude prompt console ipython productionlist highlight graphviz",
    "mermaid plantuml uml testcode testoutput testsetup doctest",
)
_REMARK_DIRECTIVES = build_word_list(
    "seealso versionadded versionchanged versionremoved deprecated rubric centered hlist only",
    "tabularcolumns sidebar todo epigraph note tip warning admonition details dropdown tab-item",
)
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
            caption = self.options.get("caption", "")
            above = [nodes.paragraph("", "", *self.state.inline_text(caption, self.lineno)[0])]
            block = [nodes.literal_block(code, code)] if code else []
            return [*(above if caption else []), *block]
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


def _render_unknown_role(*given: Any, **_: Any) -> tuple[list[nodes.Node], list[Any]]:
    """Return the words of a role that docutils does not know, without the target behind them."""
    _, raw, text = given[:3]
    words = nodes.unescape(text)
    shown = _TARGET.sub("", words).rstrip() or words
    return [nodes.inline(raw, shown.lstrip("~!"))], []


_KNOWN = frozenset(getattr(directives, "_directive_registry", {})) - {*_CODE_DIRECTIVES}
_KNOWN_ROLES = frozenset(getattr(roles, "_role_registry", {}))


def load_restructured(composer: Composer, text: str) -> Metadata:
    """Read reStructuredText; nothing that it refers to is opened."""
    metadata, fields, body = split_front_matter(text)
    # What docutils does not know is read rather than dropped.
    for name in set(_DIRECTIVE.findall(body)) - _KNOWN:
        directives.register_directive(name, _Unknown)
    for name in {one or other for one, other in _ROLE.findall(body)} - _KNOWN_ROLES:
        roles.register_canonical_role(name.lower(), cast("Any", _render_unknown_role))
    tree = publish_doctree(body, settings_overrides=_SETTINGS)
    for node in list(tree.findall((nodes.problematic, nodes.footnote_reference))):
        unresolved = _UNRESOLVED.match(node.astext())
        words = (unresolved.group(1) if unresolved else node.astext()) or _NOTHING
        is_note = isinstance(node, nodes.footnote_reference)
        node.parent.replace(node, nodes.Text(_NOTHING if is_note else words))
    for message in list(tree.findall(nodes.system_message)):  # holds the lines that it is about
        blocks = [each for each in message.children if isinstance(each, nodes.literal_block)]
        own = [each for each in blocks if not _ELSEWHERE.match(each.astext())]
        message.parent.replace(message, own)
    markup = publish_from_doctree(tree, writer="html5", settings_overrides=_SETTINGS)
    # Else a term and what classifies it are one word.
    markup = _LEFT_OUT.sub("", markup.replace('<span class="classifier">', " <span>"))
    composer.add_fields(fields)
    add_fragment(composer, markup)
    # `:Date: ...` among the first lines is reStructuredText's own front matter.
    lines = map(_DOCINFO.match, map(str.strip, body.split("\n", 40)[:40]))
    docinfo = {m[1].lower().replace(" ", "_"): m[2] for m in lines if m is not None}
    for each in list(tree.findall(nodes.Element)):
        is_address = isinstance(each, nodes.target) and "refuri" in each
        if is_address or isinstance(each, _UNSHOWN) or "contents" in each.get("classes", ()):
            each.parent.remove(each)
    composer.losses += list_losses([("", tree.astext())], composer.finish().text)
    if re.search(r"^\s*\.\. raw::", body, re.MULTILINE):
        composer.losses.append("what its raw directives hold, which is of another format")
    included = _INCLUDED.findall(body)
    composer.losses += [f"the file {name}, which it includes" for name in included]
    return metadata if metadata != Metadata() else parse_metadata(docinfo)
