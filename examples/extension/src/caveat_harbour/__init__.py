"""One of each that Caveat takes from other packages."""
