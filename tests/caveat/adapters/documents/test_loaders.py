import datetime as dt
import os
from pathlib import Path

import pytest

from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.loaders import SIZE_LIMIT, load, submit_document
from caveat.contracts.failure import FailureCategory, FailureType
from caveat.contracts.source import SourceKind
from caveat.failures import PortFailure

LINKED_DATA = '<script type="application/ld+json">{}</script>'
SPANISH = (
    "La investigación científica señala que los niños pequeños aprenden más rápido. También se "
    "observó que el año pasado hubo una disminución."
)
FRENCH = "Les élèves ont étudié à la bibliothèque. "


def written(folder: Path, name: str, content: str | bytes) -> Loaded:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return load(path)


def paragraphs(loaded: Loaded) -> list[str]:
    return loaded.snapshot.text.split("\n\n")


def labels(loaded: Loaded) -> list[str]:
    return [mark.label for mark in loaded.snapshot.landmarks]


def failure_of(folder: Path, name: str, content: bytes) -> tuple[FailureCategory, FailureType, str]:
    with pytest.raises(PortFailure) as caught:
        written(folder, name, content)
    failure = caught.value.failure
    assert failure.resource == str(folder / name)
    return failure.category, failure.failure_type, failure.message


def test_a_plain_text_with_directives_is_restructured_text(tmp_path: Path) -> None:
    badges = (
        ".. |wheel| image:: https://example.org/wheel.svg\n   :alt: Can be installed.\n\n"
        ".. |license| image:: https://example.org/license.svg\n   :alt: BSD License\n\n"
        "Celery needs Python 3.9.\n"
    )
    assert paragraphs(written(tmp_path, "intro.txt", badges)) == ["Celery needs Python 3.9."]
    once = ".. note:: is how a directive begins.\n\nIt needs Python 3.9.\n"
    assert len(paragraphs(written(tmp_path, "about.txt", once))) == 2


MARKDOWN = """---
title: "A note: on things"
doi: 10.3847/2041-8213/AC5C5B
date: 2022-07-18
kind: journal-article
citations: 1,024
---

# Results

The **Hubble constant** is `73.04` ± 1.04 km/s/Mpc,
measured with [Cepheids](https://example.org) and *supernovae*.

- First item,
  wrapped.
- Second item.

| team | value |
|------|-------|
| SH0ES | 73.04 |

## Method <!-- hidden -->

```python
x = 1

y = 2
```

<div>Inline <b>HTML</b> stays.</div>
"""


def test_markdown_reads_as_prose(tmp_path: Path) -> None:
    loaded = written(tmp_path, "a.md", MARKDOWN)
    assert paragraphs(loaded) == [
        "Results",
        "The Hubble constant is 73.04 ± 1.04 km/s/Mpc, measured with Cepheids and supernovae.",
        "First item, wrapped.",
        "Second item.",
        "team\tvalue",
        "SH0ES\t73.04",
        "Method",
        "x = 1\ny = 2",
        "Inline HTML stays.",
    ]
    assert labels(loaded) == [
        "Results",
        "Results › SH0ES",
        "Results › SH0ES, value",
        "Results › Method",
    ]
    text, marks = loaded.snapshot.text, loaded.snapshot.landmarks
    assert [text[mark.offset :].split()[0] for mark in marks] == [
        "Results",
        "SH0ES",
        "73.04",
        "Method",
    ]


def test_front_matter_becomes_metadata(tmp_path: Path) -> None:
    facts = written(tmp_path, "a.md", MARKDOWN).metadata
    assert facts.title == "A note: on things"
    assert facts.url == "https://doi.org/10.3847/2041-8213/ac5c5b"
    assert facts.published == dt.date(2022, 7, 18)
    assert facts.kind is SourceKind.PEER_REVIEWED
    assert facts.citations == 1024


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("title: Planck 2018: the results\nkind: paper", "Planck 2018: the results"),
        ("title: Good\ndate: 2024-99-99\nkind: gossip\ncitations: many", "Good"),
        ("title: [a, list]\nkind: {}", "a; list"),
    ],
)
def test_bad_metadata_is_ignored_and_the_text_kept(
    tmp_path: Path, front: str, expected: str | None
) -> None:
    loaded = written(tmp_path, "a.md", f"---\n{front}\n---\n\nThe text is kept.\n")
    assert loaded.metadata.title == expected
    assert loaded.metadata.published is None
    assert "The text is kept." in loaded.snapshot.text


@pytest.mark.parametrize(
    ("front", "authors", "published"),
    [
        ("% Annual report\n% Ada Lovelace, Grace Hopper\n% 16 May 2018\n", 2, dt.date(2018, 5, 16)),
        ("% Annual report\n% Ada Lovelace\n  Grace Hopper\n", 2, None),
        ("% Annual\n  report\n%\n% May 2018\n", 0, dt.date(2018, 5, 1)),
        ("% Annual report\n%\n% Ada Lovelace, Grace Hopper\n", 2, None),
    ],
)
def test_a_title_block_becomes_metadata(
    tmp_path: Path, front: str, authors: int, published: dt.date | None
) -> None:
    loaded = written(tmp_path, "a.md", f"{front}\n# Introduction\n\nThe text is kept.\n")
    facts = loaded.metadata
    assert (facts.title, len(facts.authors)) == ("Annual report", authors)
    assert facts.published == published
    assert loaded.snapshot.text == "Introduction\n\nThe text is kept."


@pytest.mark.parametrize(
    "front", ["[" * 5000, "a: &x [*x, *x]\n  b: ]", "Prose between rules is no front matter."]
)
def test_what_is_no_front_matter_stays_text(tmp_path: Path, front: str) -> None:
    loaded = written(tmp_path, "a.txt", f"---\n{front}\n---\nThe text is kept.\n")
    assert "The text is kept." in loaded.snapshot.text


HTML = """<!doctype html><html><head><title>  Site |
 Page </title><meta name="citation_title" content="The real title">
<link rel="canonical" href="https://example.org/page">
<meta property="article:published_time" content="2021-05-06T07:08:09Z">
<script type="application/ld+json">{"@graph": [{"@type": "NewsArticle"}]}</script>
<style>p {color: red}</style></head><body><nav>Home About</nav><header>Banner</header>
<main><h1>Top<a class="headerlink">¶</a></h1><p>One sentence
  over <em>two</em>&nbsp;lines.<script>alert(1)</script></p>
<p>First line<br>second line<br><br>new paragraph</p>
<ul><li>An item</li><li><p>Another</p></li></ul>
<h2>Data</h2><table><tr><th>Name</th><th>Value</th></tr><tr><td><p>H0</p></td><td>73</td></tr></table>
<pre>line 1
  line 2</pre></main><aside>Related</aside><footer>Contact</footer></body></html>"""


def test_html_without_navigation(tmp_path: Path) -> None:
    loaded = written(tmp_path, "a.html", HTML)
    assert paragraphs(loaded) == [
        "Banner",
        "Top",
        "One sentence over two lines.",
        "First line second line",
        "new paragraph",
        "An item",
        "Another",
        "Data",
        "Name\tValue",
        "H0\t73",
        "line 1\n  line 2",
        "Related",
        "Contact",
    ]
    assert labels(loaded) == [
        "Top",
        "Top › Data",
        "Top › Data › H0",
        "Top › Data › H0, Value",
        "Top › Data",
        "",
    ]


def test_html_metadata(tmp_path: Path) -> None:
    facts = written(tmp_path, "a.htm", HTML).metadata
    assert facts.title == "The real title"
    assert facts.url == "https://example.org/page"
    assert facts.published == dt.date(2021, 5, 6)
    assert facts.kind is SourceKind.NEWS


@pytest.mark.parametrize(
    ("head", "kind", "published"),
    [
        ('<meta name="generator" content="Docutils 0.19">', SourceKind.DOCUMENTATION, None),
        ('<meta name="citation_journal_title" content="ApJ">', SourceKind.PEER_REVIEWED, None),
        ('<meta name="citation_arxiv_id" content="2112.1">', SourceKind.PREPRINT, None),
        (
            LINKED_DATA.format('{"@type": "Article", "datePublished": "2019"}'),
            SourceKind.UNKNOWN,
            dt.date(2019, 1, 1),
        ),
        ('<script type="application/ld+json">{broken</script>', SourceKind.UNKNOWN, None),
        ('<link rel="canonical" href="javascript:alert(1)">', SourceKind.UNKNOWN, None),
    ],
)
def test_kinds_and_dates_of_pages(
    tmp_path: Path, head: str, kind: SourceKind, published: dt.date | None
) -> None:
    page = f"<html><head>{head}</head><body><p>Text.</p></body></html>"
    facts = written(tmp_path, "a.html", page).metadata
    assert (facts.kind, facts.published, facts.url) == (kind, published, None)


def test_layout_tables_keep_their_paragraphs(tmp_path: Path) -> None:
    page = "<table><tr><td><h1>Head</h1><p>One.</p><p>Two.</p></td></tr></table>"
    loaded = written(tmp_path, "a.html", page)
    assert paragraphs(loaded) == ["Head", "One.", "Two."]


RST = """=====
Title
=====

:Date: 2020-01-02

Intro with *emphasis*, **strength**, ``code``, :ref:`a label <target>`,
and `a link <https://example.org>`_ [1]_.

.. note:: Notes are prose
   on two lines.

.. code-block:: python
   :linenos:

   x = 1

.. image:: picture.png
   :alt: nothing

.. _anchor:

Section
-------

An example::

    $ run me

After it.
"""


def test_restructured_text_without_markup(tmp_path: Path) -> None:
    loaded = written(tmp_path, "a.rst", RST)
    text = paragraphs(loaded)
    assert text[0] == "Title"
    assert "Intro with emphasis, strength, code, a label, and a link." in text
    assert "Notes are prose on two lines." in text
    assert "x = 1" in text
    assert text[-4:] == ["Section", "An example:", "$ run me", "After it."]
    assert not [p for p in text if "picture" in p or "anchor" in p or "::" in p]
    assert labels(loaded) == ["Title", "Title › Date", "Title", "Title › Section"]
    assert loaded.metadata.published == dt.date(2020, 1, 2)


def test_plain_text_joins_wraps_and_keeps_columns(tmp_path: Path) -> None:
    prose = "Heading\n=======\n\nA sentence that\nis wrapped.\r\n\r\n"
    content = f"{prose}a    1\nb    2\n\n- one\n  more\n- two\n"
    loaded = written(tmp_path, "a.txt", content)
    assert paragraphs(loaded) == [
        "Heading",
        "A sentence that is wrapped.",
        "a    1\nb    2",
        "one more",
        "two",
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + (FRENCH * 4).encode(),
        (FRENCH * 4).encode("utf-16"),
        b"\xfe\xff" + (FRENCH * 4).encode("utf-16-be"),
    ],
)
def test_encodings_with_a_mark(tmp_path: Path, data: bytes) -> None:
    assert written(tmp_path, "a.txt", data).snapshot.text == (FRENCH * 4).strip()


def test_declared_encodings(tmp_path: Path) -> None:
    page = f'<meta charset="iso-8859-1"><p>“{FRENCH}”'.encode("cp1252")
    assert FRENCH.strip() in written(tmp_path, "a.html", page).snapshot.text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SPANISH, "cp1252"),
        ("Le château coûte 5 euros par personne et il est fermé à midi.", "mac_roman"),
        ("Le château coûte 5 euros par personne et il est fermé à midi.", "cp1252"),
        ("Это русский текст, который нужно определить, иначе цитаты неверны.", "cp1251"),
        ("Gerät;Länge (m)\nSäge;12,5\n", "utf-16-le"),
        ("Gerät;Länge (m)\nSäge;12,5\n", "utf-16-be"),
        ("品名;価格\nポンプ;1200円\nバルブは青い。\n", "cp932"),
        ("Ort;Fläche\nMünchen;310,7\nKöln;405,0\n", "cp1252"),  # ¸ stands in no word
        ("\n".join(["weir"] * 20_000 + ["Gerät;Länge", "Säge;Fräse"]), "mac_roman"),
        ("堰の高さは十二メートルです。花崗岩で作られています。", "cp932"),
        ("这座堰高十二米，用花岗岩建造。当地的渔民每年春天都要修理它。", "gb18030"),
        ("堰の高さは十二メートルです。", "iso2022_jp"),
        ("The weir is twelve metres high.", "utf-32"),
        ("강 위의 다리는 시월에 개통되었다. 길이는 십이 미터이다.", "euc_kr"),
        ("Irmağın üzerindeki köprü ekim ayında açıldı. Uzunluğu on iki metre.", "cp1254"),
        ("城市;价格\n北京;12\n上海的水泵\n", "gb18030"),
        ("Łódź;żółty;12\nGdańsk;ćma;3\n", "cp1250"),
        ("Город;Цена\nМосква;12\nТула;Привет\n", "koi8_r"),
    ],
)
def test_bytes_that_allow_one_reading_are_read(tmp_path: Path, text: str, encoding: str) -> None:
    shown = written(tmp_path, "a.txt", text.encode(encoding)).snapshot.text
    assert shown.split() == text.split()


def test_colours_of_a_terminal_are_no_text(tmp_path: Path) -> None:
    shown = written(tmp_path, "a.txt", b"\x1b[31;1mThe weir\x1b[0m stands.").snapshot.text
    assert shown == "The weir stands."


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("random.txt", bytes(range(128, 256)) * 20, "encoding"),
        ("ambiguous.txt", "Vil;\u00c9t\u00e8\n".encode("cp1252"), "it may be cp1252"),
        ("nul.md", b"text\x00more", "encoding"),
        ("nul.txt", b"The weir\x00 stands", "encoding"),
        ("bogus.html", b'<meta charset="no-such"><p>V \xe8', "encoding"),
        ("empty.md", b"", "empty"),
        ("blank.md", b" \n\n ", "no text"),
        ("only-script.html", b"<script>x</script>", "no text"),
        ("broken.pdf", b"%PDF-1.7 and then nothing", "damaged"),
        ("large.txt", b"x" * (SIZE_LIMIT + 1), "20 MB"),
    ],
)
def test_broken_documents_have_names(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    category, kind, message = failure_of(tmp_path, name, data)
    assert (category, kind) == (FailureCategory.VALIDATION, FailureType.PERMANENT)
    assert says in message
    assert message.endswith(".")


def test_gone_and_forbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PortFailure) as gone:
        load(tmp_path / "gone.md")
    assert gone.value.failure.failure_type is FailureType.NOT_FOUND

    (tmp_path / "a.md").write_text("text")
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(PortFailure) as caught:
        load(tmp_path / "a.md")
    assert caught.value.failure.failure_type is FailureType.AUTH_ERROR
    assert caught.value.failure.category is FailureCategory.PERMISSION


def refused(*_: object, **__: object) -> int:
    raise PermissionError(13, "no")


@pytest.mark.parametrize(
    "unseen",
    [
        "<DIV CLASS = 'toc'>Sedge</DIV>",
        "<div role=navigation>Sedge</div>",
        "<p hidden>Sedge</p>",
        "<p>Weir<a href = '#sedge'><sup>Sedge</sup></a></p>",
        "<NAV>Sedge</NAV>",
        "<footer><a href='/'>Sedge</a></footer>",
        "<button>Sedge</button>",
    ],
)
def test_what_a_page_does_not_show_is_left_out_however_it_is_written(unseen: str) -> None:
    loaded = submit_document("a.md", f"The weir holds.\n\n{unseen}".encode()).result()
    assert loaded.snapshot.text.startswith("The weir holds.")
    assert "Sedge" not in loaded.snapshot.text
