"""A run: what it may spend, who has to take part, and what is done about failures."""

# The modules are this room's face, and a private one has an underscore. What lists runs asks it
# for what a follow-up does and answers within half a second: handing everything out here would
# load the whole room for that.
