import pytest

from caveat.adapters.documents.markdown import load_markdown
from caveat.adapters.documents.plain import load_table
from caveat.adapters.extractive.windows import select_best_windows
from caveat.adapters.text.question import parse_question
from caveat.contracts.source import Landmark, Snapshot
from caveat.rules.sources import RELEVANT

ASKED = parse_question(
    "Which tag version is written to files?", {"tag": 2, "version": 2, "file": 2}, 20
)


SAID = "The tag version 2.4 is written to all the files that there are."


def relevance(text: str) -> float:
    snapshot = Snapshot(text=text, landmarks=(Landmark(offset=0, label="Notes"),))
    return select_best_windows(snapshot, "Manual", ASKED, 1)[0].relevance


def test_what_a_passage_speaks_of_again_it_is_about() -> None:
    once = f"{SAID} It is an old one, which says nothing."
    assert relevance(f"{SAID} The version of a tag is an old one.") > relevance(once)


def test_a_passage_that_says_two_of_five_words_once_is_relevant_and_one_that_says_one_is_not() -> (
    None
):
    named = ("tag", "version", "file", "cover", "genre")
    asked = parse_question(
        " ".join(named), dict.fromkeys(("tag", "version", "file", "cover", "genr"), 2), 20
    )
    filler = "It is an old one. " * 20
    for said, relevant in (("tag", False), ("tag version", True)):
        (best,) = select_best_windows(Snapshot(text=f"The {said}. {filler}"), "Manual", asked, 1)
        assert (best.relevance >= RELEVANT) is relevant


def test_of_a_passage_the_sentence_is_quoted_that_says_most() -> None:
    (best,) = select_best_windows(Snapshot(text=f"Files are old. {SAID}"), "Manual", ASKED, 5)
    assert (best.start, best.end) == (15, 15 + len(SAID))


def test_a_passage_that_means_what_was_asked_needs_none_of_its_words() -> None:
    other = "Metadata goes by the fourth edition of the standard."
    snapshot = Snapshot(text=other, landmarks=())
    (unplaced,) = select_best_windows(snapshot, "Manual", ASKED, 1)
    assert unplaced.relevance < 0.25
    (found,) = select_best_windows(snapshot, "Manual", ASKED, 1, {other: 0.7})
    assert snapshot.text[found.start : found.end] == other
    assert found.relevance >= 0.6


def test_a_cell_is_found_by_the_name_of_its_row() -> None:
    asked = parse_question(
        "What does pallet storage cost?", {"pallet": 2, "storag": 2, "cost": 1}, 20
    )
    rates = load_table("item,rate\nPallet storage,€2.10 per week\nHandling,€4.00\n").snapshot
    best = select_best_windows(rates, "rates.csv", asked, 5)[0]
    assert rates.text[best.start : best.end] == "€2.10 per week"


def test_a_cell_is_found_by_its_column_with_the_unit_that_stands_there() -> None:
    asked = parse_question("How much does the PX-300 cost?", {"px": 2, "300": 2, "price": 1}, 20)
    pumps = load_table("model,head (m),price (EUR)\nPX-200,18,495\nPX-300,25,870\n").snapshot
    best, *others = select_best_windows(pumps, "pumps.csv", asked, 5)
    assert pumps.text[best.start : best.end] == "870"
    assert best.relevance > 0.7 > others[0].relevance
    assert "price (EUR)" not in {pumps.text[each.start : each.end] for each in others}


def test_an_item_is_found_by_what_it_says_behind_its_name() -> None:
    asked = parse_question("Which port does the server listen on?", {"port": 1, "listen": 1}, 20)
    options = load_markdown("# Options\n\n- `listen_port`: port on which it listens.\n").snapshot
    (best,) = select_best_windows(options, "Options", asked, 1)
    assert options.text[best.start : best.end] == "listen_port: port on which it listens."


def test_the_sentence_that_states_the_price_is_quoted_and_not_the_one_beside_it() -> None:
    asked = parse_question("How much will the Skell Point farm cost?", {"skell": 2, "farm": 3}, 20)
    stated = "It will be built by 2024 and cost $3.1 billion."
    text = f"The Skell Point farm will have 84 turbines. {stated}"
    (best, *_) = select_best_windows(Snapshot(text=text), "Press release", asked, 5)
    assert text[best.start : best.end] == stated


def test_an_amount_beside_it_of_something_else_is_not_quoted_in_its_place() -> None:
    asked = parse_question("What did the posters cost?", {"poster": 1, "cost": 1}, 20)
    row = "200 posters 1.35 270.00."
    (best, *_) = select_best_windows(
        Snapshot(text=f"{row} Total due £447.00."), "Invoice", asked, 5
    )
    assert best.end == len(row)


def test_who_asks_for_the_size_of_a_thing_is_shown_its_value() -> None:
    asked = parse_question("How large is the Hubble constant?", {"hubbl": 9, "constant": 9}, 20)
    stated = "The Hubble constant is 70.4 km/s/Mpc."
    text = f"Errors of the Hubble constant are large errors. {stated}"
    (best, *_) = select_best_windows(Snapshot(text=text), "A survey", asked, 5)
    assert text[best.start : best.end] == stated


COSTS = parse_question("How much did the telescope cost?", {"telescop": 3, "price": 1}, 20)


@pytest.mark.parametrize(
    "price", ["€ 12 million", "12,50 €", "28p", "USD 12", "ten million dollars"]
)
def test_a_price_is_one_however_its_currency_is_written(price: str) -> None:
    text = f"The telescope cost a lot. For the telescope {price} were paid."
    (best, *_) = select_best_windows(Snapshot(text=text), "Telescope", COSTS, 5)
    assert best.relevance > 0.45


def test_a_column_may_say_what_a_figure_without_a_currency_is() -> None:
    sold = load_table("item,price\ntelescope,12500\nfilter,40\n").snapshot
    (best, *_) = select_best_windows(sold, "sold.csv", COSTS, 5)
    assert sold.text[best.start : best.end] == "12500"
    assert best.relevance > 0.45


def test_how_much_there_is_is_told_by_a_number() -> None:
    asked = parse_question("How much gas is used?", {"ga": 3}, 20)
    text = "The tenant pays for gas and water.\n\nThe boiler burns 14 units of gas in a winter."
    lease = Snapshot(
        text=text,
        landmarks=(
            Landmark(offset=0, label="1 Lease"),
            Landmark(offset=text.index("The boiler"), label="2 Heating"),
        ),
    )
    best, other = select_best_windows(lease, "Lease", asked, 2)
    assert lease.text[best.start : best.end] == "The boiler burns 14 units of gas in a winter."
    assert other.relevance < best.relevance - 0.05


def test_what_only_lists_others_is_no_answer() -> None:
    marks = (Landmark(offset=0, label="p. 9", is_listing=True),)
    assert not select_best_windows(Snapshot(text=SAID, landmarks=marks), "Manual", ASKED, 1)
