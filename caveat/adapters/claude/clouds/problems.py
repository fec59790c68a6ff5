"""What keeps a cloud from being used at all."""

from importlib.util import find_spec


class CloudProblem(Exception):
    """A cloud cannot be used as things are set; the sentence says what to do."""


def require(package: str, cloud: str) -> None:
    """Look whether what a cloud takes is installed.

    Raises:
        CloudProblem: it is not.
    """
    root = package.partition(".")[0]
    if find_spec(root) is None or find_spec(package) is None:
        raise CloudProblem(f"it takes a package that is not here: pip install 'caveat[{cloud}]'")
