"""Amounts of money as people read them."""

_CENT = 0.01


def money(dollars: float) -> str:
    """Write US dollars as `$2.76`; what is less than a cent is never written as nothing."""
    if 0 < dollars < _CENT:
        return f"less than ${_CENT:.2f}"
    return f"${dollars:,.2f}"
