"""The order of names."""


def as_counted(name: str) -> tuple[int, str]:
    """Order names as they are counted: `c2` stands before `c10`."""
    return len(name), name
