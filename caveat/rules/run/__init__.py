"""A run: what it may spend, who has to take part, and what is done about failures."""
