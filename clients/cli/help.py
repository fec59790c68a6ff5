"""Help that comes at once: Typer's draws with two modules of Rich that it never uses here."""

import sys
from types import ModuleType

_UNUSED = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""Text in Markdown, which no help of ours is, and tracebacks, which nobody sees: together they take
a third of the time that `caveat --help` may."""


def prepare() -> None:
    """Import what draws help, without what it does not need for that."""
    stood_in = [name for name in _UNUSED if name not in sys.modules]
    for name in stood_in:
        module = ModuleType(name)
        setattr(module, _UNUSED[name], type(_UNUSED[name], (), {}))
        sys.modules[name] = module
    try:
        import typer.rich_utils  # noqa: F401, PLC0415  # its names are bound to what stands in
    finally:
        for name in stood_in:  # whoever else asks is given the real one
            del sys.modules[name]
