"""A reasoner and a search engine for Caveat."""
