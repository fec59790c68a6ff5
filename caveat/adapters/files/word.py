"""Reports as Word documents, on the layout that Markdown, HTML and PDF share."""

import io
from collections.abc import Iterable, Sequence
from datetime import UTC

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt
from docx.text.paragraph import Paragraph

from caveat.adapters.files.typst.compositor import draw_cells
from caveat.contracts.report import Report
from caveat.rendering import layout, words
from caveat.rendering.edition import Citation, Contest, Edition
from caveat.rendering.plot import Plot
from caveat.rendering.visible import sanitize_text
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_STYLES = {
    prose.BlockKind.ITEM.value: "List Bullet",
    prose.BlockKind.QUOTATION.value: "Quote",
    "subitem": "List Bullet 2",
}


def compose_word(report: Report) -> bytes:
    written = _Writer(Edition(report)).write_document()
    facts = written.core_properties
    facts.title, facts.author, facts.comments = sanitize_text(report.topic)[:255], "Caveat", ""
    facts.created = facts.modified = report.created.astimezone(UTC).replace(tzinfo=None)
    packed = io.BytesIO()
    written.save(packed)
    return packed.getvalue()


_LONGEST_CELL = 80  # characters that count for the width of a column: more fill several lines
_MARGINS = 8  # characters that the margins of a cell and a bold face need
_PLOT_CHARACTERS = 30  # that a column of pictures is as wide as
_CELL_MARGINS = Mm(4)


class _Writer:
    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._word: WordDocument = Document()
        self._marks = 0

    def write_document(self) -> WordDocument:
        report = self._edition.report
        page = self._word.sections[0]
        page.page_width, page.page_height = Mm(210), Mm(297)
        page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Mm(20)
        field = OxmlElement("w:fldSimple")
        field.set(qn("w:instr"), "PAGE")
        foot = page.footer.paragraphs[0]
        foot.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        foot._p.append(field)  # noqa: SLF001  # the library has no fields
        self._word.add_heading(sanitize_text(report.topic), level=0)
        self._add_paragraph(
            [
                prose.TextRun(
                    f"{words.describe_status(report)} · {words.format_datetime(report.created)}"
                )
            ]
        )
        self._add_blocks(layout.build_opening(self._edition))
        self._add_paragraph(
            [prose.TextRun(own_reports.write_mark(report.run_id), prose.Style.EMPHASIS)]
        )
        for part in layout.build_parts(self._edition):
            self._add_anchor(
                self._word.add_heading(sanitize_text(part.title), level=1), part.anchor
            )
            self._add_blocks(part.blocks)
        return self._word

    def _add_blocks(self, blocks: Iterable[layout.Block]) -> None:
        for block in blocks:
            match block:
                case layout.Line():
                    self._set(block)
                case layout.Grid():
                    self._add_table(block.head, block.rows)
                case Plot():
                    self._add_figures(block)
                case layout.Dispute():
                    title = self._add_paragraph([prose.TextRun(block.title, prose.Style.STRONG)])
                    self._add_anchor(title, block.id)
                    for side in block.sides:
                        self._add_paragraph(side.runs, "List Bullet")
                    self._add_blocks(block.below)
                case layout.Shelf():
                    for source in block.sources:
                        self._add_source(source)
                case layout.Fold():  # there is nothing to fold away on paper
                    self._word.add_heading(sanitize_text(block.name), level=2)
                    self._add_blocks(block.blocks)

    def _set(self, line: layout.Line) -> None:
        if line.kind == prose.BlockKind.HEADING:
            self._add_runs(self._word.add_heading(level=2), line.runs)
            return
        paragraph = self._add_paragraph(line.runs, _STYLES.get(line.kind))
        if line.kind == "aside":
            for run in paragraph.runs:
                run.italic = True

    def _add_paragraph(self, runs: Iterable[layout.Run], style: str | None = None) -> Paragraph:
        return self._add_runs(self._word.add_paragraph(style=style), runs)

    def _add_runs(self, paragraph: Paragraph, runs: Iterable[layout.Run]) -> Paragraph:
        behind_citation = False
        for run in runs:
            if isinstance(run, Citation) and behind_citation:
                paragraph.add_run(", ")
            self._add_run(paragraph, run)
            behind_citation = isinstance(run, (Citation, Contest))
        return paragraph

    def _add_run(self, paragraph: Paragraph, run: layout.Run) -> None:
        match run:
            case Citation():
                _add_link(paragraph, f"[{run.label}]", f"source-{run.number}")
            case Contest():
                for label, name in run.links:
                    paragraph.add_run(" ")
                    _add_link(paragraph, f"({label})", name)
            case layout.Link():
                _add_link(paragraph, run.text, run.anchor)
            case prose.TextRun():
                added = paragraph.add_run(sanitize_text(run.text))
                added.bold = run.style is prose.Style.STRONG or None
                added.italic = run.style is prose.Style.EMPHASIS or None

    def _add_table(
        self, head: Sequence[str], rows: Iterable[Sequence[Iterable[layout.Run]]]
    ) -> None:
        table = self._word.add_table(rows=1, cols=len(head), style="Light Grid Accent 1")
        for cell, name in zip(table.rows[0].cells, head, strict=True):
            cell.text = sanitize_text(name)
        for row in rows:
            added = table.add_row()
            added._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))  # noqa: SLF001  # as below
            for cell, runs in zip(added.cells, row, strict=True):
                self._add_runs(cell.paragraphs[0], runs)
        # LibreOffice keeps columns as they are made: each as wide as what it says is long.
        page = self._word.sections[0]
        room = (page.page_width or 0) - (page.left_margin or 0) - (page.right_margin or 0)
        widths = [max(len(cell.text) for cell in column.cells) for column in table.columns]
        longest = [min(length or _PLOT_CHARACTERS, _LONGEST_CELL) + _MARGINS for length in widths]
        for column, length in zip(table.columns, longest, strict=True):
            column.width = room * length // sum(longest)
            for cell in column.cells:
                cell.width = column.width
        self._word.styles["Light Grid Accent 1"].font.size = Pt(9)
        head_row = table.rows[0]._tr.get_or_add_trPr()  # noqa: SLF001  # the library repeats no head
        head_row.append(OxmlElement("w:tblHeader"))
        self._word.add_paragraph()

    def _add_figures(self, figures: Plot) -> None:
        rows: list[Sequence[Iterable[layout.Run]]] = []
        for each in figures.points:
            label, side = prose.TextRun(f"{each.label} "), prose.TextRun(each.side or "–")
            rows.append(((label, *each.cited), (prose.TextRun(each.value),), (), (side,)))
        stated, known, letter = words.FIGURES
        self._add_table((stated, known, "", letter), rows)
        for row, drawn in zip(self._word.tables[-1].rows, draw_cells(figures), strict=True):
            cell = row.cells[2]
            width = (cell.width or 0) - _CELL_MARGINS
            shape = cell.paragraphs[0].add_run().add_picture(io.BytesIO(drawn), width=width)
            shape._inline.docPr.set("descr", "Plot")  # noqa: SLF001  # the library has no alternative texts

    def _add_source(self, source: layout.Listed) -> None:
        number = f"{source.number}. " if source.number else ""
        lines = filter(None, (f"{source.name}{source.facts}", source.address, *source.notes))
        paragraph = self._add_paragraph([prose.TextRun(f"{number}{' '.join(lines)}")])
        if source.number:
            self._add_anchor(paragraph, f"source-{source.number}")

    def _add_anchor(self, paragraph: Paragraph, name: str) -> None:
        self._marks += 1
        for kind in ("bookmarkStart", "bookmarkEnd"):
            mark = OxmlElement(f"w:{kind}")
            mark.set(qn("w:id"), str(self._marks))
            if kind == "bookmarkStart":
                mark.set(qn("w:name"), name)
            paragraph._p.append(mark)  # noqa: SLF001  # the library's only way to a bookmark


def _add_link(paragraph: Paragraph, text: str, name: str) -> None:
    link = OxmlElement("w:hyperlink")
    link.set(qn("w:anchor"), name)
    link.append(paragraph.add_run(sanitize_text(text))._r)  # noqa: SLF001  # the library has no links inside a document
    paragraph._p.append(link)  # noqa: SLF001  # the library has no links inside a document
