"""Sources: which are one, what they are worth, and what stands in them."""
