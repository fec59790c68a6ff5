"""A synthesis can be taken apart into its sentences, and put together again."""

from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.synthesis import SectionDraft, Synthesis, Weighing
from caveat.rules.report.statements import list_statements, rewrite_synthesis
from caveat.rules.text.citations import Piece
from tests.fakes.claims import a_claim

CLAIMS = {name: a_claim(name, f"The words of {name} are these.") for name in ("c1", "c2", "c3")}


def written(summary: str, *sections: str, weighing: str = "") -> Synthesis:
    weighings = [Weighing(contradiction_id="contradiction-1", side="a", text=weighing)]
    return Synthesis(
        summary=summary,
        sections=tuple(
            SectionDraft(assignment_id=f"a{number}", title="", summary=text)
            for number, text in enumerate(sections or ("",), start=1)
        ),
        weighings=tuple(weighings) if weighing else (),
    )


def test_every_sentence_has_a_name_and_a_place() -> None:
    given = written("One [c1]. Two [c2].", "- Three [c3].\n- Four [c1].", weighing="Five [c2].")
    named = [(each.name, each.where, each.sentence.text) for each in list_statements(given, CLAIMS)]
    assert named == [
        ("s1", "answer", "One."),
        ("s2", "answer", "Two."),
        ("s3", "a1", "Three."),
        ("s4", "a1", "Four."),
        ("s5", "contradiction-1 a", "Five."),
    ]


def test_what_is_left_out_leaves_no_gap() -> None:
    given = written("One [c1]. Two [c2].", "- Three [c3].\n- Four [c1].", weighing="Five [c2].")
    gone = {"Two.", "Three.", "Five."}
    left = rewrite_synthesis(
        given, CLAIMS, lambda each: None if each.sentence.text in gone else each.sentence.markdown
    )
    assert (left.summary, left.sections[0].summary) == ("One [c1].", "- Four [c1].")
    assert left.sections[0].claim_ids == ("c1",)
    assert left.weighings == ()


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.text("abc *_`[]\\#->1.,“”", min_size=1, max_size=20),
                st.sampled_from(["", " [c1]", " [c2][c3]"]),
            ),
            min_size=1,
            max_size=3,
        ),
        max_size=3,
    )
)
def test_a_rejoined_synthesis_says_the_same(blocks: list[list[tuple[str, str]]]) -> None:
    markdown = "\n\n".join(
        " ".join(f"Word {text} end{marks}." for text, marks in block) for block in blocks
    )

    def again(text: str) -> str:
        return rewrite_synthesis(written(text), CLAIMS, lambda each: each.sentence.markdown).summary

    once = again(markdown)
    said = [(each.text, each.cited) for each in Piece(markdown, CLAIMS).sentences]
    assert [(each.text, each.cited) for each in Piece(once, CLAIMS).sentences] == said
    assert again(once) == once
