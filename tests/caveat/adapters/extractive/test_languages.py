"""Notes in eight languages, asked in their own: the passage that says it comes first."""

from pathlib import Path

import pytest

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.documents.loaders import load
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.contracts.plan import Depth
from caveat.contracts.tasks import AnalysisTask, PlanningTask
from caveat.roles.analyst import ANALYSE
from caveat.roles.planner import PLAN

NOTES = {
    "zh": ("图书馆周一闭馆。\n\n逾期每天罚款五角。", "白石桥建于1932年，由林守仁设计。"),
    "ja": (
        "図書館は月曜日に休館します。\n\n延滞料は一日五円です。",
        "白石橋の設計者は林守仁です。",
    ),
    "ko": ("도서관은 월요일에 휴관합니다.\n\n연체료는 하루에 50원입니다.", "백석교는 낡았습니다."),
    "de": ("Montags geschlossen.\n\nDie Säumnisgebühren sind 20 Cent.", "Die Brücke ist alt."),
    "fr": ("Fermé le lundi.\n\nLes pénalités de retard sont de 20 centimes.", "Le pont est vieux."),
    "es": (
        "Cierra los lunes.\n\nLas multas por retraso son de 20 céntimos.",
        "El puente es viejo.",
    ),
    "ru": ("Закрыто по понедельникам.\n\nШтраф за просрочку пять рублей.", "Мост был стар."),
    "ar": ("المكتبة مغلقة يوم الاثنين.\n\nغرامة التأخير خمسة قروش.", "الجسر قديم."),
}


@pytest.mark.parametrize(
    ("language", "question", "said"),
    [
        ("zh", "逾期罚款是多少？", "五角"),
        ("zh", "白石桥是谁设计的？", "林守仁"),
        ("ja", "延滞料はいくらですか", "五円"),
        ("ko", "도서관 연체료는 얼마입니까?", "50원"),
        ("de", "Wie hoch ist die Säumnisgebühr?", "20 Cent"),
        ("fr", "Quelle est la pénalité de retard ?", "20 centimes"),
        ("es", "¿Cuánto es la multa por retraso?", "20 céntimos"),
        ("ru", "Каковы штрафы за просрочку?", "пять рублей"),
        ("ar", "كم تبلغ غرامة التأخير؟", "خمسة قروش"),
    ],
)
async def test_what_is_asked_in_a_language_is_found_in_it(
    tmp_path: Path, language: str, question: str, said: str
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, text in enumerate(NOTES[language]):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    index = CorpusIndex(tmp_path / "cache")
    reasoner = ExtractiveReasoner(index)
    corpus = (str(folder),)
    planning = PlanningTask(
        task_id="p", description="Plan", topic=question, corpus=corpus, depth=Depth.DEEP,
        team="general", wanted=5,
    )  # fmt: skip
    plan = (await reasoner.ask(PLAN, planning)).value
    first, *_ = await index.search(corpus, question, 5)
    task = AnalysisTask(
        task_id="a", description="Read", topic=question, assignments=plan, source=first.source,
        corpus=corpus, snapshot_sha256="0" * 64, wanted=5,
    )  # fmt: skip
    snapshot = load(folder / (first.source.path or "")).snapshot
    found = (await reasoner.ask(ANALYSE, task, snapshot, lambda analysis, share: None)).value
    assert said in found.claims[0].quote
