"""Opposites: words that say the contrary of one another, and which side each is on.

Words on one side of an axis ("reduces", "lowers") mean the same turn of things; one of each side
cannot both be true of one thing.
"""

from caveat.rules.text.wording import base

AXES: dict[str, tuple[str, str]] = {
    "amount": (
        "increase raise rise rose grow grew elevate boost enhance higher greater larger bigger",
        "decrease reduce lower fall fell decline diminish shrink drop lessen smaller",
    ),
    "level": ("more high large risen grown amplify", "less fewer low small fallen shrank"),
    "pace": ("faster accelerate quicker fast", "slower decelerate slow"),
    "length": ("longer taller", "shorter"),
    "age": ("older elder", "younger newer"),
    "heat": ("hotter warmer hot warm", "colder cooler cold cool"),
    "strength": ("strengthen stronger strong", "weaken weaker weak"),
    "quality": ("improve better good", "worsen worse bad"),
    "effect": ("cause promote trigger induce", "prevent inhibit block suppress hinder"),
    "sign": ("positive positively", "negative negatively"),
    "leave": ("allow permit", "forbid forbidden prohibit disallow"),
    "use": ("enable", "disable"),
    "part": ("include contain", "exclude"),
    "consent": ("support accept confirm endorse", "oppose reject refute contradict"),
    "size": ("expand", "contract"),
    "place": ("above", "below beneath"),
    "order": ("before", "after"),
    "side": ("inside", "outside"),
    "turn": ("up upward", "down downward"),
    "pole": ("north northern", "south southern"),
    "rim": ("east eastern", "west western"),
    "truth": ("true correct accurate", "false incorrect wrong inaccurate"),
    "life": ("alive", "dead extinct"),
    "presence": ("present", "absent"),
    "gate": ("open", "close shut"),
    "law": ("legal lawful", "illegal unlawful"),
    "water": ("wet", "dry"),
    "end": ("win won", "lose lost"),
    "load": ("import", "export"),
    "harm": ("beneficial harmless", "harmful"),
} | {
    word: (word, f"{prefix}{word}")
    for prefix, words in {
        "un": "safe stable known able likely necessary common clear changed affected related"
        " reliable aware supported available usual",
        "in": "effective efficient complete consistent dependent sufficient significant active"
        " sensitive visible appropriate adequate compatible",
        "im": "possible proper pure mature mobile probable",
        "ir": "relevant reversible regular",
        "non": "toxic existent",
        "dis": "similar",
    }.items()
    for word in words.split()
}

POLES: dict[str, tuple[str, int]] = {
    base(word): (axis, pole)
    for axis, sides in AXES.items()
    for pole, side in zip((1, -1), sides, strict=True)
    for word in side.split()
}
"""Of each word, without its ending, its axis and 1 or -1 for the side of it that it is on."""
