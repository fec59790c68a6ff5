from caveat.adapters.documents.markdown import load_markdown
from caveat.adapters.documents.plain import load_table
from caveat.adapters.extractive.windows import select_best_windows
from caveat.adapters.text.question import parse_question
from caveat.contracts.source import Landmark, Snapshot
from caveat.rules.sources.credibility import RELEVANT

ASKED = parse_question(
    "Which tag version is written to files?", {"tag": 2, "version": 2, "file": 2}, 20
)


SAID = "The tag version 2.4 is written to all the files that there are."


def relevance(text: str) -> float:
    snapshot = Snapshot(text=text, landmarks=(Landmark(offset=0, label="Notes"),))
    return select_best_windows(snapshot, ASKED, 1)[0].relevance


def test_what_a_passage_speaks_of_again_it_is_about() -> None:
    once = f"{SAID} It is an old one, which says nothing."
    assert relevance(f"{SAID} The version of a tag is an old one.") > relevance(once)


def test_a_passage_with_two_of_five_words_once_is_relevant_and_one_is_not() -> None:
    named = ("tag", "version", "file", "cover", "genre")
    asked = parse_question(
        " ".join(named), dict.fromkeys(("tag", "version", "file", "cover", "genr"), 2), 20
    )
    filler = "It is an old one. " * 20
    for said, relevant in (("tag", False), ("tag version", True)):
        (best,) = select_best_windows(Snapshot(text=f"The {said}. {filler}"), asked, 1)
        assert (best.relevance >= RELEVANT) is relevant


def test_of_a_passage_the_sentence_is_quoted_that_says_most() -> None:
    (best,) = select_best_windows(Snapshot(text=f"Files are old. {SAID}"), ASKED, 5)
    assert (best.start, best.end) == (15, 15 + len(SAID))


def test_a_passage_that_means_what_was_asked_needs_none_of_its_words() -> None:
    other = "Metadata goes by the fourth edition of the standard."
    snapshot = Snapshot(text=other, landmarks=())
    (unplaced,) = select_best_windows(snapshot, ASKED, 1)
    assert unplaced.relevance < 0.3
    (found,) = select_best_windows(snapshot, ASKED, 1, {other: 0.7})
    assert snapshot.text[found.start : found.end] == other
    assert found.relevance >= 0.6


def test_a_cell_is_found_by_the_name_of_its_row() -> None:
    asked = parse_question(
        "What does pallet storage cost?", {"pallet": 2, "storag": 2, "cost": 1}, 20
    )
    rates = load_table("item,rate\nPallet storage,€2.10 per week\nHandling,€4.00\n").snapshot
    best = select_best_windows(rates, asked, 5)[0]
    assert rates.text[best.start : best.end] == "€2.10 per week"


def test_a_cell_is_found_by_its_column_with_the_unit_that_stands_there() -> None:
    asked = parse_question("How much does the PX-300 cost?", {"px": 2, "300": 2, "price": 1}, 20)
    pumps = load_table("model,head (m),price (EUR)\nPX-200,18,495\nPX-300,25,870\n").snapshot
    best, *others = select_best_windows(pumps, asked, 5)
    assert pumps.text[best.start : best.end] == "870"
    assert best.relevance > 0.7 > others[0].relevance
    assert "price (EUR)" not in {pumps.text[each.start : each.end] for each in others}


def test_the_whole_row_is_quoted_where_no_column_is_asked_for() -> None:
    asked = parse_question("How much did the bridge cost?", {"bridg": 2, "cost": 1}, 20)
    works = load_table("project,budget,outturn\nBridge,3.9,4.7\nWeir,1.0,1.1\n").snapshot
    best, *_ = select_best_windows(works, asked, 5)
    assert works.text[best.start : best.end] == "Bridge\t3.9\t4.7"
    long = load_table(f"project,budget,about\nBridge,3.9,{'A long story. ' * 90}\n").snapshot
    best, *_ = select_best_windows(long, asked, 5)
    assert best.end - best.start < 20


def test_the_name_of_a_column_is_words() -> None:
    asked = parse_question("What was the second round of Soria?", {"second": 2, "soria": 2}, 20)
    table = "town,total_first_round,total_second_round\nSoria,707,720\n"
    rounds = load_table(table).snapshot
    best, *_ = select_best_windows(rounds, asked, 5)
    assert rounds.text[best.start : best.end] == "720"


def test_a_row_of_heads_is_no_answer_whatever_stands_in_them() -> None:
    asked = parse_question("What does entry to the pool cost?", {"entri": 2, "pool": 2}, 20)
    table = "| Pool | Entry, EUR | Lanes |\n|---|---|---|\n| Orlen | 6.50 | 6 |\n"
    pools = load_markdown(table).snapshot
    quoted = [pools.text[one.start : one.end] for one in select_best_windows(pools, asked, 5)]
    assert quoted == ["6.50"]


def test_an_item_is_found_by_what_it_says_behind_its_name() -> None:
    asked = parse_question("Which port does the server listen on?", {"port": 1, "listen": 1}, 20)
    options = load_markdown("# Options\n\n- `listen_port`: port on which it listens.\n").snapshot
    (best,) = select_best_windows(options, asked, 1)
    assert options.text[best.start : best.end] == "listen_port: port on which it listens."


def test_what_only_lists_others_is_no_answer() -> None:
    marks = (Landmark(offset=0, label="p. 9", is_listing=True),)
    assert not select_best_windows(Snapshot(text=SAID, landmarks=marks), ASKED, 1)
