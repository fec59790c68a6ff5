"""Contradictions: how they are settled, and what they make of claims."""

# The modules are this room's face, and a private one has an underscore. What lists runs asks it
# for the choices alone and answers within half a second: handing everything out here would
# load the whole room for that.
