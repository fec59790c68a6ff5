"""Of a model's sentences only those are published that code and the verifier let pass."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.contracts.contradiction import ContradictionState
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, ClaimState, SourceRef
from caveat.contracts.synthesis import (
    AngleEvidence,
    LeftOutSentence,
    MissingPart,
    Reader,
    ReadSentence,
    SectionDraft,
    Support,
    Synthesis,
    SynthesisInput,
    Verdict,
    Verification,
    Weighing,
)
from caveat.rules.contradictions.contest import assign_claim_states
from caveat.rules.report.publication import prepare_publication
from caveat.rules.text.citations import Piece
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute, sides_of

ANGLE = Assignment(id="a1", title="The roof", question="Was there asbestos?", queries=("roof",))


SAMPLES = "None of the six samples contained asbestos."
CLAIMS = (
    a_claim("c1", SAMPLES, "memo", start=20),
    a_claim("c2", "340 square metres of asbestos sheeting were removed.", "certificate"),
    a_claim("c3", f"Roof, summary memo. {SAMPLES} The gutters leak.", "memo"),
    a_claim("c4", "The gutters leak. The deck is sound.", "memo", start=64),
    a_claim("c5", "The work took five weeks.", "certificate", start=100),
)


def evidence(*claims: Claim, excluded: tuple[Claim, ...] = ()) -> SynthesisInput:
    return SynthesisInput(
        topic="Was there asbestos in the roof?",
        angles=(AngleEvidence(assignment=ANGLE, claims=claims),),
        sources=(
            SourceRef(id="memo", title="Memo of the engineer", published=dt.date(2023, 3, 1)),
            SourceRef(id="certificate", title="Clearance certificate"),
        ),
        excluded=excluded,
    )


def synthesis(text: str, *read: ReadSentence) -> Synthesis:
    return Synthesis(
        summary=text,
        verdict=Verdict.ANSWERED,
        sections=(SectionDraft(assignment_id="a1", title="The roof", summary=""),),
        verification=Verification(read=read) if read else None,
    )


FIVE = ReadSentence(text="It took five weeks.", claims=("c5",), support=Support.SUPPORTED)


def test_what_the_verifier_does_not_let_pass_is_left_out_and_said() -> None:
    wrong = ReadSentence(
        text="The work was fast.", claims=("c5",), support=Support.PARTLY, reason="Not said."
    )
    right = ReadSentence(
        text="The work took five weeks.", claims=("c5",), support=Support.SUPPORTED
    )
    made = prepare_publication(
        synthesis("The work took five weeks [c5]. The work was fast [c5].", wrong, right),
        evidence(CLAIMS[4]),
    )
    assert made.summary == "The work took five weeks [c5]."
    gone = LeftOutSentence(
        claims=("c5",), support=Support.PARTLY, by=Reader.VERIFIER, of_answer=True
    )
    assert made.verification is not None
    assert made.verification.left_out == (gone,)
    assert right in made.verification.read
    assert wrong not in made.verification.read


@pytest.mark.parametrize(
    ("other", "kept"), [("It took five weeks [c5].", 2), ("It took 6 [c5].", 0)]
)
def test_no_side_of_a_dispute_is_weighed_alone(other: str, kept: int) -> None:
    weighings = tuple(
        Weighing(contradiction_id="contradiction-1", side=side, text=text)
        for side, text in (("a", "The work took five weeks [c5]."), ("b", other))
    )
    given = synthesis("The work took five weeks [c5].", FIVE).model_copy(
        update={"weighings": weighings}
    )
    known = evidence(*CLAIMS).model_copy(update={"contradictions": (a_dispute(),)})
    assert len(prepare_publication(given, known).weighings) == kept


@pytest.mark.parametrize(
    ("said", "is_unread"), [("It took 6 crews [c5].", False), ("It took weeks [c5].", True)]
)
def test_what_nobody_has_read_is_left_out_and_said(said: str, is_unread: bool) -> None:
    made = prepare_publication(synthesis(said), evidence(*CLAIMS))
    assert said not in made.summary
    assert made.verification is not None
    (gone,) = made.verification.left_out
    assert (gone.by, gone.claims, gone.is_unread) == (Reader.CODE, ("c5",), is_unread)


def test_quotes_stand_for_an_answer_of_which_nothing_holds() -> None:
    sides = sides_of(("c1", "c2"), values=("None of the six samples", "340 square metres"))
    dispute = a_dispute(sides=sides)
    given = evidence(*assign_claim_states(CLAIMS, [dispute])).model_copy(
        update={"contradictions": (dispute,)}
    )
    made = prepare_publication(synthesis("The work took six weeks [c5]."), given)
    assert made.summary.startswith(f"- “{SAMPLES}” [c1]\n- “{CLAIMS[1].quote}” [c2]\n")
    assert made.verification is not None
    assert all(each.support is Support.SUPPORTED for each in made.verification.read)


ONE_SIDE = "None of the six samples contained asbestos [c1]."


@pytest.mark.parametrize(
    ("said", "behind"),
    [
        (ONE_SIDE, f"\n\n- “{CLAIMS[1].quote}” [c2]"),
        (f"{ONE_SIDE} 340 square metres of asbestos sheeting were removed [c2].", ""),
    ],
)
def test_an_answer_that_states_one_side_of_an_open_dispute_states_the_others(
    said: str, behind: str
) -> None:
    sides = sides_of(("c1", "c2"), values=("None of the six samples", "340 square metres"))
    dispute = a_dispute(sides=sides)
    given = evidence(*assign_claim_states(CLAIMS, [dispute])).model_copy(
        update={"contradictions": (dispute,)}
    )
    judged = [
        ReadSentence(text=each.text, claims=each.cited, support=Support.SUPPORTED)
        for each in Piece(said, {each.id: each for each in CLAIMS}).sentences
    ]
    made = prepare_publication(synthesis(said, *judged), given)
    assert made.summary == f"{said}{behind}"
    assert made.verification is not None
    assert {each.text for each in judged} <= {each.text for each in made.verification.read}


MEMO, CERTIFICATE = f"- “{SAMPLES}” [c1]", f"- “{CLAIMS[1].quote}” [c2]"


@pytest.mark.parametrize(
    ("changes", "behind"),
    [
        ({}, f"{MEMO}\n{CERTIFICATE}"),
        ({"state": ContradictionState.RESOLVED, "ruling": "b"}, CERTIFICATE),
    ],
)
def test_an_answer_that_loses_what_it_said_of_a_dispute_states_what_stands(
    changes: dict[str, object], behind: str
) -> None:
    sides = sides_of(("c1", "c2"), values=("None of the six samples", "340 square metres"))
    dispute = a_dispute(sides=sides, about="Asbestos in the roof").model_copy(update=changes)
    states = assign_claim_states(CLAIMS, [dispute], is_written=True)
    given = evidence(*(each for each in states if each.is_usable)).model_copy(
        update={"contradictions": (dispute,)}
    )
    said = "Samples had none [c1], and square metres were removed [c2]."
    lost = ReadSentence(
        text="Samples had none, and square metres were removed.",
        claims=("c1", "c2"),
        support=Support.PARTLY,
    )
    made = prepare_publication(synthesis(f"{said} It took five weeks [c5].", lost, FIVE), given)
    assert made.summary == f"It took five weeks [c5].\n\n{behind}"


def test_a_sentence_that_fell_for_its_form_leaves_what_it_cited() -> None:
    given = evidence(*CLAIMS)
    deck = ReadSentence(text="The deck is sound.", claims=("c4",), support=Support.SUPPORTED)
    draft = synthesis("The work took 5.5 weeks [c9][c5]. The deck is sound [c4].", deck)
    checks = Verification(read=(deck,), missing=("Was there asbestos in the roof?",))
    made = prepare_publication(draft.model_copy(update={"verification": checks}), given)
    assert made.summary == "The deck is sound [c4].\n\n- “The work took five weeks.” [c5]"
    assert not made.missing, "nobody has judged what quotes answer"
    assert made.verification is not None
    assert made.verification.is_answer_flawed
    assert "The work took five weeks." in {each.text.strip("“”") for each in made.verification.read}


def test_a_section_that_loses_every_sentence_keeps_quotes() -> None:
    wrong = "The work took six weeks [c5]."
    draft = synthesis("The work took five weeks [c5].")
    section = draft.sections[0].model_copy(update={"summary": wrong})
    made = prepare_publication(
        draft.model_copy(update={"sections": (section,)}), evidence(CLAIMS[4])
    )
    assert made.sections[0].summary == "- “The work took five weeks.” [c5]"
    assert made.verification is not None
    assert [each.of_answer for each in made.verification.left_out] == [False]


@settings(max_examples=60, deadline=None)
@given(
    ruling=st.sampled_from(["a", "b", "both", "neither", None]),
    said=st.lists(
        st.tuples(
            st.sampled_from([each.quote for each in CLAIMS] + ["Six samples had no asbestos."]),
            st.sets(st.sampled_from([each.id for each in CLAIMS]), min_size=1, max_size=2),
        ),
        max_size=6,
    ),
)
def test_no_overruled_statement_is_published(
    ruling: str | None, said: list[tuple[str, set[str]]]
) -> None:
    """Whatever is written of it: under its own marker, a longer quote's, or another one's."""
    contradiction = a_dispute(
        state=ContradictionState.RESOLVED if ruling else ContradictionState.PROVISIONAL,
        ruling=ruling,
        reason="It was looked at." if ruling else "",
    )
    every = assign_claim_states(CLAIMS, [contradiction])
    free = tuple(each for each in every if each.is_usable)
    gone = tuple(each for each in every if not each.is_usable)
    text = " ".join(
        f"{quote.rstrip('.')} {''.join(f'[{name}]' for name in sorted(names))}."
        for quote, names in said
    )
    made = prepare_publication(synthesis(text), evidence(*free, excluded=gone))
    claims = {each.id: each for each in every}
    for sentence in Piece(made.summary, claims).sentences:
        assert not {claims[name].state for name in sentence.cited} & {
            ClaimState.OVERRULED,
            ClaimState.UNCERTAIN,
        }
        if "c1" in {each.id for each in gone}:
            assert "samples contained asbestos" not in sentence.text
        if "c2" in {each.id for each in gone}:
            assert "sheeting were removed" not in sentence.text


@pytest.mark.parametrize(
    ("why", "printed"),
    [
        ("It took five weeks [c5].", "It took five weeks [c5]."),
        ("It took six weeks [c5].", ""),
        ("It took weeks [c5].", ""),
        ("The brigade was drunk.", ""),
    ],
)
def test_what_was_found_instead_is_held_like_any_sentence(why: str, printed: str) -> None:
    lack = MissingPart(part="Who took the asbestos out", why=why)
    given = synthesis(f"{SAMPLES} [c1]", FIVE).model_copy(update={"missing": (lack,)})
    (made,) = prepare_publication(given, evidence(*CLAIMS)).missing
    assert made == lack.model_copy(update={"why": printed})


@pytest.mark.parametrize(
    ("part", "printed"),
    [
        ("The names of the 14 firefighters", ()),
        ("Whether Castell Ltd found asbestos", ("Whether Castell Ltd found asbestos",)),
    ],
)
def test_what_is_missing_is_said_in_the_writer_s_words(part: str, printed: tuple[str, ...]) -> None:
    given = synthesis(f"{SAMPLES} [c1]").model_copy(update={"missing": (MissingPart(part=part),)})
    assert (
        tuple(each.part for each in prepare_publication(given, evidence(*CLAIMS)).missing)
        == printed
    )
