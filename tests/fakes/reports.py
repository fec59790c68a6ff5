"""A realistic report that passes its audit, and the snapshots that it rests on."""

import datetime as dt
import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from caveat.contracts.contradiction import Contradiction, ContradictionState, LadderStep, SettledBy
from caveat.contracts.envelope import AgentType
from caveat.contracts.plan import Depth, Format, QuorumPolicy, ReasonerCard
from caveat.contracts.report import (
    Basis,
    Effort,
    Gap,
    Metrics,
    Report,
    ReportedFailure,
    ReportedSource,
    ReportStatus,
    Section,
)
from caveat.contracts.source import Claim, Credibility, SourceKind, SourceRef
from caveat.contracts.synthesis import Challenge, Debate, Figure, Participant, Stance
from caveat.failures import PortFailure, invalid, timed_out
from caveat.rules.contradictions.contest import (
    assign_claim_states,
    index_contradictions,
    mark_contradictions,
)
from caveat.rules.report.assembly import UNKNOWN, derive_report
from caveat.rules.sources.credibility import score_credibility
from caveat.rules.text.citations import list_marked_ids
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute, sides_of


@dataclass(frozen=True)
class Note:
    title: str
    address: str
    published: dt.date
    kind: SourceKind
    citations: int | None
    text: str
    copies: tuple[str, ...] = ()

    @property
    def source(self) -> SourceRef:
        public = self.address.startswith("https://")
        return SourceRef(
            id=self.id,
            title=self.title,
            url=self.address if public else None,
            published=self.published,
            kind=self.kind,
            citations=self.citations,
            corpus=None if public else "/notes",
            path=None if public else self.address,
        )

    @property
    def appraised(self) -> Credibility:
        return score_credibility(self.source, CREATED.date())

    @property
    def id(self) -> str:
        return "s-" + hashlib.sha256(self.address.encode()).hexdigest()[:10]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


CREATED = dt.datetime(2026, 3, 14, 9, 26, 53, tzinfo=dt.UTC)
PEER = SourceKind.PEER_REVIEWED
NOTES = (
    Note(
        "Planck 2018 results. VI. Cosmological parameters",
        "https://doi.org/10.1051/0004-6361/201833910",
        dt.date(2020, 9, 11),
        PEER,
        9_000,
        "Abstract\n\nAssuming the base ΛCDM cosmology, the Hubble constant inferred from Planck "
        "is H0 = 67.4 ± 0.5 km/s/Mpc. The matter density parameter comes out at 0.315 ± 0.007. "
        "The result rests on a model of the early universe and on no distance ladder.",
        copies=("https://arxiv.org/abs/1807.06209",),
    ),
    Note(
        "A Comprehensive Measurement of the Local Value of the Hubble Constant with "
        "1 km/s/Mpc Uncertainty from the Hubble Space Telescope and the SH0ES Team",
        "https://doi.org/10.3847/2041-8213/ac5c5b",
        dt.date(2022, 7, 20),
        PEER,
        None,
        "Cepheids in the hosts of 42 type Ia supernovae calibrate the supernova distance scale. "
        "The baseline result of the SH0ES analysis is 73.04 ± 1.04 km/s/Mpc, systematic "
        "uncertainties included. It differs from the Planck prediction by 5 standard deviations.",
    ),
    Note(
        "The Carnegie-Chicago Hubble Program. VIII. An Independent Determination of the Hubble "
        "Constant Based on the Tip of the Red Giant Branch",
        "https://doi.org/10.3847/1538-4357/ab2f73",
        dt.date(2019, 9, 1),
        PEER,
        900,
        "Stars at the tip of the red giant branch give 69.8 ± 0.8 km/s/Mpc, statistical "
        "uncertainty only. The calibration uses 18 supernovae in 14 galaxies. The value sits "
        "midway between the ladder of Cepheids and the microwave background.",
    ),
    Note(
        "H0LiCOW – XIII. A 2.4 per cent measurement of H0 from lensed quasars",
        "https://doi.org/10.1093/mnras/stz3094",
        dt.date(2020, 10, 1),
        PEER,
        600,
        "Six lensed quasars with measured time delays give 73.3 +1.7/−1.8 km/s/Mpc in flat ΛCDM. "
        "The precision of the joint measurement is 2.4 per cent.",
    ),
    Note(
        "TDCOSMO IV: Hierarchical time-delay cosmography",
        "https://doi.org/10.1051/0004-6361/202038861",
        dt.date(2020, 11, 1),
        PEER,
        None,
        "Relaxing the assumptions on the mass profiles and adding SLACS lenses gives "
        "67.4 +4.1/−3.2 km/s/Mpc. The uncertainty grows because the profile is no longer assumed.",
    ),
    Note(
        "The Megamaser Cosmology Project. XIII. Combined Hubble Constant Constraints",
        "https://doi.org/10.3847/2041-8213/ab75f0",
        dt.date(2020, 3, 1),
        PEER,
        None,
        "Water masers in six galaxies give 73.9 ± 3.0 km/s/Mpc without any distance ladder.",
    ),
    Note(
        "A gravitational-wave standard siren measurement of the Hubble constant",
        "https://doi.org/10.1038/nature24471",
        dt.date(2017, 11, 2),
        PEER,
        900,
        "The merger GW170817 and its host galaxy give 70.0 +12.0/−8.0 km/s/Mpc. About 50 such "
        "events would narrow the uncertainty to 2 per cent.",
    ),
    Note(
        "The Atacama Cosmology Telescope: DR4 Maps and Cosmological Parameters",
        "https://doi.org/10.1088/1475-7516/2020/12/047",
        dt.date(2020, 12, 30),
        PEER,
        600,
        "ACT alone gives 67.9 ± 1.5 km/s/Mpc, in agreement with the satellite. ACT observes "
        "from the ground and at other angular scales than the satellite.",
    ),
    Note(
        "New Parallaxes of Galactic Cepheids: a lecture note <draft> | with # signs & $math$",
        "notes/cepheids/parallaxes.md",
        dt.date(2021, 5, 4),
        SourceKind.DOCUMENTATION,
        None,
        "Parallaxes\n\nThe zero point of the parallaxes was the largest open question of the "
        "Cepheid ladder. Crowding was another one, and JWST images have since removed most of it.",
    ),
    Note(
        "Why the tension will not go away",
        "https://blog.example.org/h0-tension",
        dt.date(2023, 2, 11),
        SourceKind.BLOG,
        None,
        "Early dark energy raises the inferred value at the price of a worse fit to the "
        "clustering of galaxies. No proposed extension of the model is favoured by all data sets.",
    ),
)
UNCITED = (
    Note(
        "DESI 2024 VI: Cosmological Constraints from Baryon Acoustic Oscillations",
        "https://arxiv.org/abs/2404.03002",
        dt.date(2024, 4, 3),
        SourceKind.PREPRINT,
        None,
        "Baryon acoustic oscillations constrain the product of the sound horizon and the constant.",
    ),
)
SET_ASIDE = (
    Note(
        "Ten facts about the Hubble constant that astronomers do not want you to know",
        "https://clicks.example.com/hubble?utm_source=feed",
        dt.date(2018, 1, 9),
        SourceKind.ADVERTISING,
        None,
        "",
    ),
)

QUOTES: tuple[tuple[int, str, str, str | None], ...] = (
    # the note, its angle, the beginning of the sentence, and where it stands
    (0, "a1", "Assuming the base", "Abstract"),
    (0, "a1", "The result rests on a model", "Abstract"),
    (7, "a1", "ACT alone gives", "page 3"),
    (7, "a1", "ACT observes", "page 4"),
    (1, "a2", "Cepheids in the hosts", "page 1"),
    (1, "a2", "The baseline result", "page 1"),
    (1, "a2", "It differs from", "page 2"),
    (2, "a3", "Stars at the tip", None),
    (2, "a3", "The calibration uses", None),
    (2, "a3", "The value sits midway", None),
    (3, "a4", "Six lensed quasars", "7 Results and discussion of the systematic error budget"),
    (3, "a4", "The precision of", "7 Results and discussion of the systematic error budget"),
    (4, "a4", "Relaxing the assumptions", "Abstract"),
    (4, "a4", "The uncertainty grows", "Abstract"),
    (5, "a5", "Water masers", "page 1"),
    (6, "a5", "The merger GW170817", "page 85"),
    (6, "a5", "About 50 such events", "page 88"),
    (8, "a6", "The zero point", "Parallaxes"),
    (8, "a6", "Crowding was another", "Parallaxes"),
    (9, "a6", "Early dark energy", None),
    (9, "a6", "No proposed extension", None),
)


def _claim(number: int, note: Note, angle: str, opening: str, location: str | None) -> Claim:
    start = note.text.index(opening)
    stops = [at for at in (note.text.find(". ", start), len(note.text) - 1) if at != -1]
    end = min(stops) + 1
    facts = {"location": location, "credibility": note.appraised.score, "start": start}
    return a_claim(f"c{number}", note.text[start:end], note.id, assignment_id=angle, **facts)


CLAIMS = tuple(
    _claim(number, NOTES[note], angle, opening, location)
    for number, (note, angle, opening, location) in enumerate(QUOTES, start=1)
)

SUMMARY = (
    "The lower value is of the base model, with which Planck infers "
    "67.4 ± 0.5 km/s/Mpc [c1]. The local ladder gives the higher one, 73.04 ± 1.04 km/s/Mpc "
    "[c6], and the two differ by 5 standard deviations [c7].\n\n"
    "- Stars at the tip of the red giant branch stand between them, at 69.8 ± 0.8 km/s/Mpc [c8].\n"
    "- **Lensed quasars** follow their assumptions: 73.3 +1.7/−1.8 km/s/Mpc with an assumed mass "
    "profile [c11], 67.4 +4.1/−3.2 km/s/Mpc without one [c13].\n"
    "- The difference stays open: no proposed extension of the model is favoured by all data "
    "sets [c21]."
)

ANGLES: tuple[tuple[str, str, str, str, tuple[tuple[str, str, float, str], ...]], ...] = (
    (
        "a1",
        "The early universe: what the microwave background says",
        "Which value of the Hubble constant follows from the cosmic microwave background?",
        (
            "Assuming the base ΛCDM cosmology, the Hubble constant inferred from Planck is H0 = "
            "67.4 ± 0.5 km/s/Mpc. [c1] “ACT alone gives 67.9 ± 1.5 km/s/Mpc, in agreement with the "
            "satellite.” [c3]\n\nThe first rests on a model of the early universe [c2]; the second "
            "looks from the ground, at other angular scales [c4]."
        ),
        (
            ("Planck satellite", "67.4 ± 0.5 km/s/Mpc", 67.4, "c1"),
            ("Atacama Cosmology Telescope", "67.9 ± 1.5 km/s/Mpc", 67.9, "c3"),
        ),
    ),
    (
        "a2",
        "Cepheids and supernovae",
        "What does the distance ladder of Cepheids and type Ia supernovae give?",
        (
            "Cepheids in the hosts of 42 type Ia supernovae calibrate the supernova distance "
            "scale. [c5]\n\nThe baseline result of the SH0ES analysis is 73.04 ± 1.04 km/s/Mpc, "
            "systematic uncertainties included. [c6] It differs from the Planck prediction by 5 "
            "standard deviations. [c7]"
        ),
        (),
    ),
    (
        "a3",
        (
            "The tip of the red giant branch as an independent rung of the distance ladder, "
            "and what it is calibrated on"
        ),
        "Does a ladder without Cepheids confirm the high value?",
        (
            "Stars at the tip of the red giant branch give 69.8 ± 0.8 km/s/Mpc, statistical "
            "uncertainty only [c8]. The calibration uses 18 supernovae in 14 galaxies. [c9] The "
            "value sits midway between the ladder of Cepheids and the microwave background. [c10]"
        ),
        (("Tip of the red giant branch", "69.8 ± 0.8 km/s/Mpc", 69.8, "c8"),),
    ),
    (
        "a4",
        "Strong lensing",
        "What do the time delays of lensed quasars give, and what do they assume?",
        (
            "- Six lensed quasars with measured time delays give 73.3 +1.7/−1.8 km/s/Mpc in flat "
            "ΛCDM. [c11]\n- The precision of the joint measurement is 2.4 per cent. [c12]\n"
            "- Relaxing the assumptions on the mass profiles and adding SLACS lenses gives "
            "67.4 +4.1/−3.2 km/s/Mpc. [c13]\n- The uncertainty grows because the profile is no "
            "longer assumed. [c14]"
        ),
        (
            ("Lenses, profile not assumed", "67.4 +4.1/−3.2 km/s/Mpc", 67.4, "c13"),
            ("Lensed quasars, profile assumed", "73.3 +1.7/−1.8 km/s/Mpc", 73.3, "c11"),
        ),
    ),
    (
        "a5",
        "Methods without a ladder",
        "What do masers and gravitational waves give?",
        (
            "Water masers in six galaxies give 73.9 ± 3.0 km/s/Mpc without any distance ladder. "
            "[c15] The merger GW170817 and its host galaxy give 70.0 +12.0/−8.0 km/s/Mpc. [c16] "
            "About 50 such events would narrow the uncertainty to 2 per cent. [c17]\n\nFor "
            "comparison, the ladder gives 73.04 ± 1.04 km/s/Mpc [c6] and the satellite 67.4 ± 0.5 "
            "km/s/Mpc [c1]."
        ),
        (
            ("Planck satellite", "67.4 ± 0.5 km/s/Mpc", 67.4, "c1"),
            ("Standard siren GW170817", "70.0 +12.0/−8.0 km/s/Mpc", 70.0, "c16"),
            ("Cepheids and supernovae (SH0ES)", "73.04 ± 1.04 km/s/Mpc", 73.04, "c6"),
            ("Water masers in six galaxies", "73.9 ± 3.0 km/s/Mpc", 73.9, "c15"),
        ),
    ),
    (
        "a6",
        "Explanations",
        "Which systematic errors or new physics could explain the difference?",
        (
            "The zero point of the parallaxes was the largest open question of the Cepheid ladder. "
            "[c18] Crowding was another one, and JWST images have since removed most of it. "
            "[c19]\n\n> Early dark energy raises the inferred value at the price of a worse fit to "
            "the clustering of galaxies. [c20]\n\nNo proposed extension of the model is favoured "
            "by all data sets. [c21]"
        ),
        (),
    ),
)


def _section(angle: str, title: str, question: str, summary: str) -> Section:
    cited = tuple(dict.fromkeys(list_marked_ids(summary)))
    found = [claim for claim in CLAIMS if claim.assignment_id == angle]
    return Section(
        assignment_id=angle,
        title=title,
        question=question,
        summary=summary,
        confidence=UNKNOWN,
        claims=cited,
        effort=Effort(
            attempted=7,
            unfinished=("a5-read-3",) if angle == "a5" else (),
            found=len(found) + 1,
            sources=len({claim.source_id for claim in found}),
            rejected_quotes=int(angle == "a3"),
        ),
    )


def _source(note: Note, number: int | None, *, admitted: bool = True) -> ReportedSource:
    made = note.appraised
    return ReportedSource(
        id=note.id,
        number=number,
        title=note.title,
        url=note.source.url,
        path=note.source.path,
        published=note.published,
        kind=note.kind,
        snapshot_sha256=note.sha256 if admitted else None,
        credibility=made.score,
        factors=made.factors,
        admitted=admitted,
        reason="above the bar of 0.30" if admitted else "below the bar of 0.30",
        copies=note.copies,
    )


def _sources() -> tuple[ReportedSource, ...]:
    prose = (SUMMARY, *(angle[3] for angle in ANGLES))
    owners = {claim.id: claim.source_id for claim in CLAIMS}
    order = list(dict.fromkeys(owners[name] for text in prose for name in list_marked_ids(text)))
    cited = [_source(note, order.index(note.id) + 1) for note in NOTES]
    return (
        *sorted(cited, key=lambda source: source.number or 0),
        *(_source(note, None) for note in UNCITED),
        *(_source(note, None, admitted=False) for note in SET_ASIDE),
    )


def reported(
    error: PortFailure, agent: AgentType = AgentType.READER, **changes: Any
) -> ReportedFailure:
    """Make the failure of a reading, or of a task of another role."""
    facts = {
        "task_id": "read-1",
        "agent_type": agent,
        "task_description": "Read page",
        "attempts": 4,
        "failure": error.failure,
    }
    return ReportedFailure.model_validate(facts | changes)


FAILURES = (
    reported(
        invalid(
            "The PDF is damaged: its cross-reference table cannot be read.",
            resource="reviews/verde-2019.pdf",
        ),
        AgentType.LIBRARIAN,
        task_id="stock-broken-1",
        task_description="index reviews/verde-2019.pdf",
        attempts=1,
    ),
    reported(
        timed_out("The page did not arrive within 60 seconds.", resource="sirens/o4-preview.html"),
        task_id="a5-read-3",
        task_description="read sirens/o4-preview.html",
    ),
)
NOBODY_MISSING = Debate(present=tuple(Participant))


def a_report(**changes: object) -> Report:
    """Make a report of six sections and twelve sources that passes its audit, then change it."""
    return Report.model_validate({**dict(_derived()), **changes})


@cache
def _derived() -> Report:
    return derive_report(_draft())


FIGURES = tuple(
    Figure(label=label, value=value, number=number, unit="km/s/Mpc", claim_id=claim_id)
    for *_, figures in ANGLES
    for label, value, number, claim_id in figures
)
"""Values that its sources state."""


def _draft(**changes: object) -> Report:
    """Make it without what follows from the rest of it."""
    report = Report(
        run_id="research-hubble-constant-3f9a1c",
        topic="Why do measurements of the Hubble constant disagree, and by how much?",
        created=CREATED,
        depth=Depth.DEEP,
        status=ReportStatus.FINAL,
        reasoner=ReasonerCard(
            name="scripted",
            disclosure="Scripted by the tests, as a language model might: it joins what the "
            "sources say in its own words.",
            uses_language_model=True,
        ),
        formats=(Format.MARKDOWN, Format.PDF, Format.JSON),
        summary=SUMMARY,
        confidence=UNKNOWN,
        sections=tuple(_section(*angle[:4]) for angle in ANGLES),
        claims=CLAIMS,
        sources=_sources(),
        debate=NOBODY_MISSING,
        gaps=(
            Gap(
                area="Methods without a ladder",
                reason="No passage was found about fast radio bursts as distance indicators.",
            ),
            Gap(area="Explanations", reason="A second search for local voids found no new source."),
        ),
        failures=FAILURES,
        metrics=Metrics(
            citation_coverage=0,
            sources_per_angle=0,
            sources_found=0,
            sources_read=0,
            pipeline_seconds=12.4,
        ),
        basis=Basis(
            planned=tuple(angle[0] for angle in ANGLES),
            quorum=QuorumPolicy(minimum_share=0.5, penalty=0.1),
            documents=13,
            tasks=60,
        ),
    )
    return report.model_copy(update=changes)


FEWER_EVENTS = Note(
    "Standard sirens: what the next observing run will bring",
    "https://arxiv.org/abs/1802.00000",
    dt.date(2018, 2, 20),
    SourceKind.PREPRINT,
    None,
    "Forecasts of the merger rate differ. Some 15 events with a host galaxy would suffice for an "
    "uncertainty of 2 per cent.",
)
"""What disagrees with the claim `c17` about the events that are needed."""

ASKED = dt.datetime(2026, 3, 14, 9, 20, tzinfo=dt.UTC)
RUN = "research-hubble-constant-3f9a1c"


def _step(rung: SettledBy, reason: str, *, settled: bool = False) -> LadderStep:
    return LadderStep(rung=rung, settled=settled, reason=reason)


_NO_RECORD = _step(SettledBy.TRACK_RECORD, "people have ruled on too few claims of either source")
AWAITED = a_dispute(
    sides=sides_of(("c1", "c6"), (("c3",), ())),
    about="The Hubble constant is 67.4 ± 0.5 or 73.04 ± 1.04 km/s/Mpc.",
    steps=(
        _step(
            SettledBy.EVIDENCE, "credibility is 0.85 against 0.80, and 2 sources against 1 state it"
        ),
        _NO_RECORD,
    ),
    arbitration=f"{RUN}/contradiction-1",
    deadline=ASKED + dt.timedelta(hours=6),
)
BOTH_HOLD = a_dispute(
    *("c11", "c13", 2),
    about="Time delays of lensed quasars give 73.3 +1.7/−1.8 or 67.4 +4.1/−3.2 km/s/Mpc.",
    state=ContradictionState.RESOLVED,
    settled_by=SettledBy.PERSON,
    ruling="both",
    reason="The second drops the assumption on the mass profile that the first makes.",
    decided_by="Vera Cepheid",
    decided=ASKED + dt.timedelta(minutes=4),
    confidence=0.95,
    steps=(
        _step(
            SettledBy.EVIDENCE, "credibility is 0.85 against 0.75, and 1 source against 1 states it"
        ),
        _NO_RECORD,
        _step(
            SettledBy.PERSON,
            "Vera Cepheid ruled “both”: The second drops the assumption on the mass "
            "profile that the first makes.",
            settled=True,
        ),
    ),
    arbitration=f"{RUN}/contradiction-2",
    deadline=ASKED + dt.timedelta(hours=6),
)
NOBODY_CAME = a_dispute(
    *("c17", "c22", 3),
    about="About 50 or some 15 standard sirens are needed for an uncertainty of 2 per cent.",
    state=ContradictionState.PROVISIONAL,
    settled_by=SettledBy.PROVISIONAL_UNCERTAINTY,
    reason="nobody ruled before 2026-03-14 09:25 UTC",
    decided=ASKED + dt.timedelta(minutes=5),
    confidence=0.50,
    requires_human_review=True,
    steps=(
        _step(
            SettledBy.EVIDENCE, "credibility is 0.85 against 0.45, and 1 source against 1 states it"
        ),
        _step(SettledBy.PERSON, "nobody ruled before 2026-03-14 09:25 UTC"),
        _step(
            SettledBy.PROVISIONAL_UNCERTAINTY,
            "both claims are uncertain and neither is used",
            settled=True,
        ),
    ),
    arbitration=f"{RUN}/contradiction-3",
    deadline=ASKED + dt.timedelta(minutes=5),
)


ADVOCATE, SCEPTIC, METHODOLOGIST = Participant


def _remark(claim: str, by: Participant, stance: Stance, text: str, *evidence: str) -> Challenge:
    return Challenge(claim_id=claim, raised_by=by, stance=stance, text=text, evidence=evidence)


DEBATE = Debate(
    present=(ADVOCATE, SCEPTIC),
    missing=(METHODOLOGIST,),
    challenges=(
        _remark("c1", ADVOCATE, Stance.SUPPORTS, "One independent source says the same.", "c3"),
        _remark(
            "c1",
            SCEPTIC,
            Stance.CHALLENGES,
            "Another source states another value, and is newer.",
            "c6",
        ),
        _remark("c20", SCEPTIC, Stance.CHALLENGES, "No other source says this."),
        _remark(
            "c15",
            ADVOCATE,
            Stance.SUPPORTS,
            "It needs no distance ladder, as one other method does not.",
            "c16",
        ),
    ),
)


def a_disputed_report(
    *contradictions: Contradiction, status: ReportStatus = ReportStatus.PROVISIONAL
) -> Report:
    """Make a report with contradictions that passes its audit.

    Without any given, one awaits a person, one was settled as `both`, and one by nobody.
    """
    contradictions = contradictions or (AWAITED, BOTH_HOLD, NOBODY_CAME)
    report = a_report()
    extra = _claim(22, FEWER_EVENTS, "a5", "Some 15 events", "page 2")
    claims = assign_claim_states((*CLAIMS, extra), contradictions)
    of = index_contradictions(claims, contradictions)
    uncertain = "About 50 such events would narrow the uncertainty to 2 per cent. [c17]"
    sections = tuple(
        _section(angle, title, question, mark_contradictions(text.replace(uncertain, ""), of))
        for angle, title, question, text, _ in ANGLES
    )
    sources = list(report.sources)
    sources.insert(len(NOTES), _source(FEWER_EVENTS, len(NOTES) + 1))
    made = derive_report(
        _draft(
            summary=mark_contradictions(SUMMARY, of),
            sections=sections,
            claims=claims,
            sources=tuple(sources),
            contradictions=contradictions,
            debate=DEBATE,
        )
    )
    return Report.model_validate({**dict(made), "status": status})


def texts_of(report: Report) -> dict[str, str | None]:
    """Return the snapshots of a report made here by their SHA-256, None for one it never had."""
    kept = {note.sha256: note.text for note in (*NOTES, *UNCITED, FEWER_EVENTS)}
    addresses = (source.snapshot_sha256 for source in report.sources)
    return {address: kept.get(address) for address in addresses if address is not None}


def written(report: Report) -> Report:
    """A report as it is read from its file, where every field stands."""
    return Report.model_validate_json(report.model_dump_json())
