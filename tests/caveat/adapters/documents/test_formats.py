# ruff: noqa: E501  # XML is written as it stands in files
"""What people have in their folders: each format is read whole, and in its own words."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from caveat.adapters.documents.loaders import load
from caveat.adapters.documents.restructured import load_restructured
from caveat.failures import PortFailure

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OPS/book.opf"/></rootfiles></container>"""
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>The Book</dc:title><dc:date>2019-04-05</dc:date></metadata>
<manifest><item id="b" href="two.xhtml"/><item id="a" href="text/one%20.xhtml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
WORD = """<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Depths</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">The wreck lies </w:t></w:r><w:r><w:t>30 metres deep.</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>hull</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12 m</w:t></w:r></w:p></w:tc>
</w:tr></w:tbl></w:body></w:document>"""
STYLES = """<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>"""
CORE = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
<dc:title>On depths</dc:title><dcterms:created>2020-02-03T04:05:06Z</dcterms:created></cp:coreProperties>"""
OPEN = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0">
<office:body><office:text><text:h text:outline-level="1">Depths</text:h>
<text:p>The wreck lies<text:s/><text:span>30 metres</text:span> deep.</text:p>
<text:list><text:list-item><text:p>An item.</text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>hull</text:p></table:table-cell>
<table:table-cell><text:p>12 m</text:p></table:table-cell></table:table-row></table:table>
</office:text></office:body></office:document-content>"""
META = """<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>On depths</dc:title>
<dc:date>2020-02-03T04:05:06</dc:date></office:meta></office:document-meta>"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Depths\n", "\n", "The wreck lies *deep*."]},
        {
            "cell_type": "code",
            "source": "depth = 30",
            "outputs": [
                {"output_type": "stream", "text": ["30 metres\n"]},
                {
                    "output_type": "execute_result",
                    "data": {"text/plain": ["'deep'"], "image/png": "iVBO"},
                },
            ],
        },
    ],
    "metadata": {"title": "On depths"},
    "nbformat": 4,
}


def zipped(**members: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


FILES: dict[str, tuple[bytes, list[str], list[str], str | None]] = {
    "depths.docx": (
        zipped(**{"word/document.xml": WORD, "word/styles.xml": STYLES, "docProps/core.xml": CORE,
                  "[Content_Types].xml": "<Types/>"}),
        ["Depths", "The wreck lies 30 metres deep.", "hull\t12 m"],
        ["Depths", "Depths › hull"],
        "On depths",
    ),
    "depths.odt": (
        zipped(**{"content.xml": OPEN, "meta.xml": META}),
        ["Depths", "The wreck lies 30 metres deep.", "An item.", "hull\t12 m"],
        ["Depths", "Depths › hull"],
        "On depths",
    ),
    "book.epub": (
        zipped(**{"META-INF/container.xml": CONTAINER, "OPS/book.opf": PACKAGE,
                  "OPS/text/one .xhtml": "<?xml version='1.0'?><html><body><h1>One</h1><p>First.</p></body></html>",
                  "OPS/two.xhtml": "<html><body><h1>Two</h1><p>Second.</p></body></html>"}),
        ["One", "First.", "Two", "Second."],
        ["One", "Two"],
        "The Book",
    ),
    "depths.ipynb": (
        json.dumps(NOTEBOOK).encode(),
        ["Depths", "The wreck lies deep.", "depth = 30", "30 metres", "'deep'"],
        ["Depths"],
        "On depths",
    ),
    "depths.csv": (
        b'wreck;depth\n"Vasa; the first";30\nWasa;32\n',
        ["wreck\tdepth", "Vasa; the first\t30", "Wasa\t32"],
        ["Vasa; the first", "B2 › Vasa; the first, depth", "Wasa", "B3 › Wasa, depth"],
        None,
    ),
    "depths.tsv": (b"wreck\tdepth\nVasa\t30\n", ["wreck\tdepth", "Vasa\t30"], ["Vasa", "B2 › Vasa, depth"], None),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_each_is_read_in_its_own_words(name: str, tmp_path: Path) -> None:
    data, paragraphs, labels, title = FILES[name]
    (tmp_path / name).write_bytes(data)
    loaded = load(tmp_path / name)
    assert loaded.snapshot.text.split("\n\n") == paragraphs
    assert [mark.label for mark in loaded.snapshot.landmarks] == labels
    assert loaded.metadata.title == title


@pytest.mark.parametrize("name", ["a.docx", "a.odt", "a.epub", "a.ipynb"])
@pytest.mark.parametrize(
    "data",
    [b"words", b"PK\x03\x04 and then nothing", zipped(a="b"), b"[1]"],
    ids=["words", "half", "zip", "list"],  # by themselves they name the second the zip was made in
)
def test_what_is_no_such_document_says_so(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(PortFailure, match=r"damaged, or not what its ending says|encoding"):
        load(tmp_path / name)


def test_an_archive_is_unpacked_within_bounds(tmp_path: Path) -> None:
    (tmp_path / "a.odt").write_bytes(zipped(**{"content.xml": "<a>" + " " * 150_000_000}))
    with pytest.raises(PortFailure, match="unpacks to more"):
        load(tmp_path / "a.odt")


def test_entities_of_xml_are_not_unfolded(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("planted")
    content = OPEN.replace("An item.", "&it;")
    declared = f"<!DOCTYPE a [<!ENTITY it SYSTEM 'file://{secret}'>]>{content}"
    (tmp_path / "a.odt").write_bytes(zipped(**{"content.xml": declared}))
    assert "planted" not in load(tmp_path / "a.odt").snapshot.text


SPHINX = """
Title
=====

.. module:: asyncio
   :synopsis: Left out.

.. function:: run(coro, *, debug=None)

   Execute the :term:`coroutine` *coro*, see :func:`~asyncio.run` and :ref:`this <label>`.

   :param bool debug: Turns the debug mode on. Default: 3.

   .. versionchanged:: 3.12
      The *loop_factory* parameter is used.

.. confval:: max_depth

   Default: 4.

.. option:: -v, --verbose

   Says more.

.. unheard-of:: Its argument
   :option: left out

   Its content.

+-------+-----------+
| Name  | Default   |
+=======+===========+
| ports | 5         |
+-------+-----------+

.. toctree::

   one
   two

.. raw:: html

   <b>not read</b>

.. include:: /etc/passwd
"""


def test_what_only_sphinx_knows_is_read_as_prose() -> None:
    snapshot = load_restructured(SPHINX).snapshot
    text = snapshot.text

    def place(words: str) -> str | None:
        return snapshot.find_location(text.index(words))

    assert "Execute the coroutine coro, see asyncio.run and this." in text
    assert place("Execute") == "Title › run(coro, *, debug=None)"
    assert (place("Default: 3") or "").endswith("› param bool debug")
    assert "The loop_factory parameter is used." in text
    assert place("Default: 4.") == "Title › max_depth"
    assert place("Says more.") == "Title › -v, --verbose"
    assert "Its content." in text
    assert place("ports\t5") == "Title › ports"
    assert "root:" not in text
    assert "not read" not in text
    assert "Left out" not in text


@pytest.mark.parametrize(
    ("table", "label"),
    [
        (b"model,price (EUR)\nPX-100,310\n", "B2 › PX-100, price (EUR)"),
        (b"day,pH\n2023-05-01,310\n", "B2 › day 2023-05-01, pH"),
        (b"town,2019,2020\nHull,290,310\n", "C2 › Hull, 2020"),
        (b"PX-200,295\nPX-100,310\n", "PX-100"),  # no names of columns
        (b"town,trade,price\nHull,310\n", "Hull"),  # whose column it is nobody knows
    ],
)
def test_a_cell_is_named_by_row_and_column(table: bytes, label: str, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(table)
    snapshot = load(tmp_path / "table.csv").snapshot
    assert snapshot.find_location(snapshot.text.rindex("310")) == label
