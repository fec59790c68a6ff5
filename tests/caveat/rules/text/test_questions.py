"""What a question asks for, part by part."""

import pytest

from caveat.rules.text.questions import split_question

BOTH = ("What does it cost", "who decides on it")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What does it cost, and who decides on it?", BOTH),
        ("What does it cost, and who decides on it", BOTH),  # typed without quotation marks
        (
            "What did it cost, who stopped it and when, did anyone fall ill?",
            ("What did it cost", "who stopped it", "who stopped it, when", "did anyone fall ill"),
        ),
        (
            "Wann brach das Rohr, und was kostete der Schaden und wird die Stadt klagen?",
            ("Wann brach das Rohr", "was kostete der Schaden", "wird die Stadt klagen"),
        ),
        (
            "Combien a coûté le pont, et qui l'a construit ?",
            ("Combien a coûté le pont", "qui l'a construit"),
        ),
        (
            "How many came, on what day did it open and was it full?",
            ("How many came", "on what day did it open", "was it full"),
        ),
        (
            "What did it cost, by how much was that more than estimated?",
            ("What did it cost", "by how much was that more than estimated"),
        ),
        (
            "Wie viel braucht ein Bus, um wie viel sind die Kosten gesunken?",
            ("Wie viel braucht ein Bus", "um wie viel sind die Kosten gesunken"),
        ),
        ("Who built it and was paid for it?", ("Who built it and was paid for it?",)),
        ("A transfer broke off, can I go on?", ("A transfer broke off, can I go on?",)),
        ("It hangs; which option helps?", ("It hangs; which option helps?",)),
        ("costs of bridges, and who decides", ("costs of bridges, and who decides",)),
    ],
)
def test_a_question_has_parts_without_its_mark(question: str, asked: tuple[str, ...]) -> None:
    assert split_question(question) == asked
