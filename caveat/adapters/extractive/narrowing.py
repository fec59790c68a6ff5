"""Narrowing: words that tell one kind, part, time or party of a thing from another."""

from caveat.adapters.text.words import listing

NARROWING = frozenset(
    listing(
        "fast slow small large big short old new young net gross draft final amended amendment",
        "amendments planned actual forecast estimated early late modern ancient former previous",
        "current currently today nowadays now original originally first second third fourth fifth",
        "last next primary secondary main inner outer upper lower northern southern eastern",
        "western summer winter spring autumn day night weekday weekdays weekend weekends sunday",
        "sundays monday tuesday wednesday thursday friday saturday saturdays adult adults child",
        "children newborn newborns student students senior seniors junior juniors men women male",
        "female away abroad domestic foreign public private indoor outdoor wet dry raw cooked",
        "empty full half double complete summary abridged hardback paperback print online digital",
        "standard premium basic deluxe free paid average mean median peak record initial partial",
        "again another other different additional extra further already still temporary permanent",
        "regency client server edition vintage cabin hold checked commercial residential personal",
        "business maximum minimum once twice vat tenant tenants landlord landlords buyer buyers",
        "seller sellers employer employers employee employees lender borrower guest guests host",
        "hosts owner owners member members resident residents applicant applicants",
    )
)
"""What a value of another kind of thing, or of another time, is told by."""
