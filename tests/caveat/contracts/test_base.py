from caveat.contracts.base import Contract


class Pair(Contract):
    left: int = 0
    right: int = 0


def test_contracts_share_the_names_of_what_was_set() -> None:
    one, other = Pair(left=1), Pair.model_validate_json('{"left": 2}')
    copied = Pair(left=1, right=1).model_copy(update={"left": 3})
    assert one.model_fields_set is other.model_fields_set
    assert copied.model_fields_set is Pair(left=1, right=1).model_fields_set


def test_a_copy_changes_nothing_of_the_names_that_others_share() -> None:
    one = Pair(left=1)
    copied = one.model_copy(update={"right": 2})
    assert copied.model_dump(exclude_unset=True) == {"left": 1, "right": 2}
    assert one.model_dump(exclude_unset=True) == {"left": 1}
