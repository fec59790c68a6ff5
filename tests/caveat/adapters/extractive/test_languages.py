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
    "zh": (
        "图书馆周一闭馆。\n\n逾期每天罚款五角。\n\n借书证免费。",
        "白石桥建于1932年，由林守仁设计。\n\n桥长四十米。",
    ),
    "ja": (
        "図書館は月曜日に休館します。\n\n延滞料は一日五円です。\n\n入館は無料です。",
        "白石橋の設計者は林守仁です。\n\n橋の長さは四十メートルです。",
    ),
    "ko": (
        "도서관은 월요일에 휴관합니다.\n\n연체료는 하루에 50원입니다.\n\n입장은 무료입니다.",
        "백석교의 설계자는 임수인입니다.\n\n다리의 길이는 40미터입니다.",
    ),
    "de": (
        "Montags bleibt die Bücherei zu.\n\nDie Säumnisgebühren sind 20 Cent.\n\nKarten sind frei.",
        "Die Weißbrücke entwarf Anna Lind.\n\nDie Brücken am Fluss sind 40 Meter lang.",
    ),
    "fr": (
        "La bibliothèque ferme le lundi.\n\nLes pénalités de retard sont de 20 centimes.",
        "Le pont blanc fut dessiné par Anne Lind.\n\nLe tunnel a une longueur de 40 mètres.",
    ),
    "es": (
        "La biblioteca cierra los lunes.\n\nLas multas por retraso son de 20 céntimos.",
        "El puente blanco fue diseñado por Ana Lind.\n\nEl túnel tiene una longitud de 40 metros.",
    ),
    "ru": (
        "Библиотека закрыта по понедельникам.\n\nШтраф за просрочку пять рублей.",
        "Белый мост спроектировала Анна Линд.\n\nДлина тоннеля сорок метров.",
    ),
    "ar": (
        "المكتبة مغلقة يوم الاثنين.\n\nغرامة التأخير خمسة قروش.",
        "صمم الجسر الأبيض أحمد لطفي.\n\nطول النفق أربعون مترا.",
    ),
}


@pytest.mark.parametrize(
    ("language", "question", "said"),
    [
        ("zh", "逾期罚款是多少？", "五角"),
        ("zh", "白石桥是谁设计的？", "林守仁"),
        ("zh", "图书馆哪天闭馆？", "周一"),
        ("ja", "延滞料はいくらですか", "五円"),
        ("ja", "図書館はいつ休館しますか", "月曜日"),
        ("ja", "白石橋の設計者は誰ですか", "林守仁"),
        ("ko", "연체료는 얼마입니까?", "50원"),
        ("ko", "도서관은 언제 휴관합니까?", "월요일"),
        ("ko", "백석교의 설계자는 누구입니까?", "임수인"),
        ("de", "Wie hoch ist die Säumnisgebühr?", "20 Cent"),
        ("de", "Wann ist die Bücherei zu?", "Montags"),
        ("de", "Wie lang ist die Brücke am Fluss?", "40 Meter"),
        ("fr", "Quelle est la pénalité de retard ?", "20 centimes"),
        ("fr", "Quand ferment les bibliothèques ?", "lundi"),
        ("fr", "Qui a dessiné le pont blanc ?", "Anne Lind"),
        ("es", "¿Cuánto es la multa por retraso?", "20 céntimos"),
        ("es", "¿Cuándo cierran las bibliotecas?", "lunes"),
        ("es", "¿Quién diseñó el puente blanco?", "Ana Lind"),
        ("ru", "Каковы штрафы за просрочку?", "пять рублей"),
        ("ru", "Когда закрыты библиотеки?", "понедельникам"),
        ("ru", "Какова длина тоннеля?", "сорок"),
        ("ar", "كم تبلغ غرامة التأخير؟", "خمسة قروش"),
        ("ar", "متى تغلق المكتبة؟", "الاثنين"),
        ("ar", "من صمم الجسر الأبيض؟", "أحمد لطفي"),
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
