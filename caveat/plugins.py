"""What other installed packages offer, by standard entry points: found, loaded where it is used.

Finding reads the metadata of packages and imports none of them. Whatever is wrong with an offer is
one sentence that names the package.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any


class Extension(StrEnum):
    """Kinds of extensions; the value is the group of entry points."""

    REASONER = "caveat.reasoners"
    SEARCH_ENGINE = "caveat.search_engines"
    NOTIFIER = "caveat.notifiers"
    LOADER = "caveat.loaders"

    @property
    def word(self) -> str:
        return self.value.removeprefix("caveat.").removesuffix("s").replace("_", " ")


class PluginError(ValueError):
    """A package's offer cannot be used; the text says which, why, and what to do."""


@dataclass(frozen=True)
class Offer:
    """One thing that an installed package offers.

    Attributes:
        name: by which it is chosen; of a loader, the ending of the files that it reads.
        target: the callable behind it, `module:name`.
        package: name and version of the package.
    """

    kind: Extension
    name: str
    target: str
    package: str
    point: EntryPoint


def list_offers(kind: Extension) -> tuple[Offer, ...]:
    offers = (_offer(kind, point) for point in entry_points(group=kind.value))
    return tuple(sorted(offers, key=lambda each: (each.name, each.package)))


def list_names(kind: Extension) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.name for each in list_offers(kind)))


def load_extension(kind: Extension, name: str, shipped: Collection[str] = ()) -> Callable[..., Any]:
    """Import what a package offers under a name.

    Args:
        shipped: Caveat's own names, which no package may take.

    Raises:
        PluginError: it is offered by no package or by several, or cannot be imported.
    """
    offers = [each for each in list_offers(kind) if each.name == name]
    if not offers:
        known = ", ".join(sorted({*shipped, *list_names(kind)})) or "none"
        raise PluginError(
            f"There is no {kind.word} “{name}”; known are {known}. Install the package that offers "
            "it, or correct the name."
        )
    if len(offers) > 1 or name in shipped:
        by = ", ".join(
            [
                *(["Caveat"] if name in shipped else []),
                *(f"{each.target} of {each.package}" for each in offers),
            ]
        )
        raise PluginError(
            f"The {kind.word} “{name}” is offered twice, by {by}: uninstall all but one."
        )
    return _import_offer(offers[0])


def create_extension(
    kind: Extension, name: str, arguments: object, method: str, shipped: Collection[str] = ()
) -> Any:
    """Import what a package offers under a name, and call it to fill a port.

    Args:
        method: a method that the result must have.

    Raises:
        PluginError: as of `load_extension`, or the result lacks the method.
    """
    factory = load_extension(kind, name, shipped)
    try:
        filling = factory(arguments)
    except Exception as error:
        raise PluginError(
            f"The {kind.word} “{name}” cannot be created: {_describe_error(error)}."
        ) from error
    if not callable(getattr(filling, method, None)):
        raise PluginError(f"“{name}” creates no {kind.word}: the method {method} is missing.")
    return filling


@cache  # what was imported stays imported
def _import_offer(offer: Offer) -> Callable[..., Any]:
    which = f"The {offer.kind.word} “{offer.name}” of {offer.package}"
    try:
        target = offer.point.load()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"{which} cannot be loaded from {offer.target}: {_describe_error(error)}. Fix or "
            "uninstall that package."
        ) from error
    if not callable(target):
        raise PluginError(f"{which} cannot be called: {offer.target} must be a callable.")
    factory: Callable[..., Any] = target
    return factory


def _offer(kind: Extension, point: EntryPoint) -> Offer:
    package = f"{point.dist.name} {point.dist.version}" if point.dist else "a package"
    return Offer(kind, point.name, point.value, package, point)


def _describe_error(error: BaseException) -> str:
    message = " ".join(str(error).split())[:300].rstrip(".")
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
