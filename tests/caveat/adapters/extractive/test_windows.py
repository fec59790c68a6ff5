from caveat.adapters.extractive.windows import best_windows
from caveat.adapters.text.question import question
from caveat.contracts.source import Landmark, Snapshot

ASKED = question("Which tag version is written to files?", {"tag": 2, "version": 2, "file": 2}, 20)


def relevance(heading: str, text: str) -> float:
    snapshot = Snapshot(text=text, landmarks=(Landmark(offset=0, label=heading),))
    return best_windows(snapshot, "Manual", ASKED, 1)[0].relevance


def test_a_list_of_changes_says_less_than_a_description() -> None:
    said = "The tag version 2.4 is written to all the files that there are."
    assert relevance("Tagging", said) > relevance("Changes in 1.2", said)


def test_what_a_passage_speaks_of_again_it_is_about() -> None:
    said = "The tag version 2.4 is written to all the files that there are."
    once = f"{said} It is an old one."
    assert relevance("Notes", f"{said} The version of a tag is old.") > relevance("Notes", once)
