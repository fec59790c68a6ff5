"""What names its neighbours: terms, options, parameters, heads of rows."""

from collections.abc import Callable

import pytest

from caveat.adapters.corpus.catalogue import split_passages
from caveat.adapters.documents.formats import DocumentFormat, read
from caveat.adapters.documents.html import load_html
from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.markdown import load_markdown

DEFINITIONS = """<h1>Options</h1><p>All of them.</p>
<dl><dt>-a</dt><dt><code>--all</code></dt><dd>Shows hidden files.
<dl><dt>when</dt><dd>Default: never.</dd></dl><p>Slow on large folders.</p></dd>
<dt><p>-b</p></dt><dd>Default: 2.</dd></dl>
<p>Behind the list.</p>
<table><tr><th>Setting</th><th>Value</th></tr><tr><td>ports</td><td>Default: 3.</td></tr>
<tr><td>5</td><td>Five.</td></tr></table><p>Behind the table.</p>
<ul><li><p><strong>port</strong> (<em>int</em>) – Default: 80.</p></li>
<li><b>Bold</b> words.</li></ul>"""

LISTED = """# Options

- **timeout** (int): Default: 4.
- `retries` – Default: 5.
- **Note:** Default: 6.
- `plain` words, Default: 7.

| Setting | Value |
|---------|-------|
| ports | Default: 8. |

Behind the table.
"""

WELL_FORMED = """# Options

**timeout**: Default: *4* & [more](a.html "5 > 4") of &lt;it&gt;.

Said *by `hand`*: nothing. `a` and `b`: names.

- first, **late**: Default: 6.

> Quoted.

    <x> &amp; code
"""


@pytest.mark.parametrize(
    ("load", "text", "words", "label"),
    [
        (load_html, DEFINITIONS, "All of them.", "Options"),
        (load_html, DEFINITIONS, "Shows hidden files.", "Options › -a, --all"),
        (load_html, DEFINITIONS, "Default: never.", "Options › -a, --all › when"),
        (load_html, DEFINITIONS, "Default: 2.", "Options › -b"),
        (load_html, DEFINITIONS, "Behind the list.", "Options"),
        (load_html, DEFINITIONS, "Setting\tValue", "Options"),
        (load_html, DEFINITIONS, "Default: 3.", "Options › ports, Value"),
        (load_html, DEFINITIONS, "Five.", "Options › Setting 5, Value"),
        (load_html, DEFINITIONS, "Default: 80.", "Options › port"),
        (load_html, "<dl><dt>One</dt><dd>1</dd></dl><p>Two.</p>", "Two.", None),
        (load_markdown, LISTED, "Default: 4.", "Options › timeout"),
        (load_markdown, LISTED, "Default: 5.", "Options › retries"),
        (load_markdown, LISTED, "Default: 6.", "Options"),
        (load_markdown, LISTED, "Default: 7.", "Options"),
        (load_markdown, LISTED, "Setting\tValue", "Options"),
        (load_markdown, LISTED, "Default: 8.", "Options › ports, Value"),
    ],
)
def test_what_is_said_is_found_under_what_it_is_said_of(
    load: Callable[[str], Loaded], text: str, words: str, label: str | None
) -> None:
    snapshot = load(text).snapshot
    assert snapshot.find_location(snapshot.text.index(words)) == label


NAMED_TWICE = "**Goal:** We save 5 euros. **Method:** We count *it*. Also **bold** words."


NAMED_IN_A_LINE = "**Goal:** save 5 **Method:** count *it* and more"


@pytest.mark.parametrize(
    "text",
    [
        *(NAMED_TWICE, f"- {NAMED_TWICE}", f"{NAMED_TWICE}\n\n<p></p>", NAMED_IN_A_LINE),
        *(NAMED_IN_A_LINE.replace(":**", "**:"), NAMED_TWICE.replace(":**", ".**")),
        NAMED_TWICE.replace("**Method:**", "*<b>Method:</b>*"),
        "<div><b>Goal:</b> We save 5<br><b>Method:</b> We count it</div>",
    ],
)
def test_each_name_within_a_paragraph_names_what_is_said_of_it(text: str) -> None:
    snapshot = load_markdown(f"{text}\n\nBehind.").snapshot
    places = [snapshot.find_location(snapshot.text.index(at)) for at in ("save", "it", "Behind")]
    assert places == ["Goal", "Method", None]


ODD = """##01 Costs
**[All] ** of it is `a ** b`.

<span class="summary">
[Links](x.html) *here*.
</span>

Figure 1: Costs {: .fig #one}

<table>
  <tr><th>Year</th><th>Tea</th></tr>

    <tr>
      <td>2021</td>
      <td>9</td>
    </tr>
</table>
{: .chart}

<tr><td>2022</td><td>7</td></tr>

```
##Code {: .x}
```
"""


def test_markdown_that_commonmark_does_not_know_is_read_as_it_is_meant() -> None:
    snapshot = load_markdown(ODD).snapshot
    assert snapshot.text.split("\n\n") == [
        "01 Costs",
        "[All] of it is a ** b.",
        "Links here.",
        "Figure 1: Costs",
        "Year\tTea",
        "2021\t9",
        "2022\t7",
        "##Code {: .x}",
    ]
    place = "01 Costs › Figure 1: Costs › Year 2021, Tea"
    assert snapshot.find_location(snapshot.text.index("9")) == place
    assert load_markdown("##Tag\n\n## Head").snapshot.text == "##Tag\n\nHead"


ROWS = """<table>
  <tr><th>Ware</th><th>2023</th></tr>

    <tr>
      <td>Tea</td>
      <td>5</td>
    </tr>

</table>"""


@pytest.mark.parametrize(
    "text",
    [
        *(ROWS, ROWS.upper().replace("TEA", "Tea"), f"<div align=center>{ROWS}</div>"),
        *("> " + ROWS.replace("\n", "\n> "), "- one\n\n  " + ROWS.replace("\n", "\n    ")),
        *(f"<center>\n    {ROWS}\n</center>", ROWS[ROWS.index("<tr>\n") :]),
    ],
)
def test_rows_of_html_within_markdown_are_rows(text: str) -> None:
    assert "Tea\t5" in load_markdown(f"{text}\n\nEnd.").snapshot.text
    assert "<table>\n<tr>" in load_markdown(f"    <table>\n    <tr>\n\n{text}").snapshot.text


def test_the_mark_of_a_footnote_is_no_text() -> None:
    loaded = read(DocumentFormat.MARKDOWN, b"Costs[^12]\n\n|A|B|\n|-|-|\n|Tea|5|\n\n[^12]: By us.")
    assert loaded.snapshot.text == "Costs\n\nA\tB\n\nTea\t5\n\nBy us."
    assert loaded.losses == ()


def test_definitions_are_passages_of_their_own_and_rows_stay_together() -> None:
    found = [(span.heading, span.text) for span in split_passages(load_html(DEFINITIONS).snapshot)]
    assert ("Options › -b", "Default: 2.") in found
    table = "Setting\tValue\n\nports\tDefault: 3.\n\n5\tFive.\n\nBehind the table."
    assert found[-1][0] == "Options"
    assert found[-1][1].startswith(f"Behind the list.\n\n{table}")


@pytest.mark.parametrize(("lines", "is_listed"), [(3, True), (30, False)])
def test_a_list_of_contents_is_the_smaller_part_of_a_document(lines: int, is_listed: bool) -> None:
    contents = "".join(f"{number}. Part {number}\n" for number in range(lines))
    text = f"# Manual\n\nA pack holds 52 items, whatever they weigh.\n\n# Contents\n\n{contents}"
    snapshot = load_markdown(text).snapshot
    assert snapshot.is_listing(snapshot.text.index("Part 2")) is is_listed


def test_a_word_behind_others_opens_no_sentence() -> None:
    text = "- `size` <number> Largest size, **Default**: 30\n- In seconds, `limit`: 4 in `a:` 5"
    assert load_markdown(text).snapshot.landmarks == ()
    (mark,) = load_markdown("**Goal:** add a `services:` key").snapshot.landmarks
    assert mark.label == "Goal"


def test_names_of_items_are_landmarks() -> None:
    loaded = load_markdown(WELL_FORMED)
    assert [mark.label for mark in loaded.snapshot.landmarks] == [
        *("Options", "Options › timeout", "Options", "Options › first, late", "Options")
    ]
