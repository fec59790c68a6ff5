"""`caveat plugins`: what other installed packages offer, and whether it can be used."""

from dataclasses import dataclass

from caveat.adapters.documents.loaders import list_shipped_endings
from caveat.adapters.search.loading import SHIPPED
from caveat.clients.cli.console import get_stdout, print_json, say
from caveat.plugins import Extension, Offer, PluginProblem, list_offers, load_extension
from caveat.problem import ExitCode
from caveat.workers.settings import OWN_REASONERS, Settings, load


@dataclass(frozen=True)
class _Found:
    """An offer, what chooses it, whether that chose it, and what is wrong with it."""

    offer: Offer
    chosen_by: str
    is_chosen: bool
    problem: str | None


def plugins(*, as_json: bool) -> int:
    """Carry the command out and return its exit code: 1 where something cannot be used."""
    settings = load()
    found = [_inspect_offer(offer, settings) for kind in Extension for offer in list_offers(kind)]
    if as_json:
        print_json([_build_facts(each) for each in found])
    elif not found:
        say(
            get_stdout(),
            "No installed package offers a reasoner, search engine, notifier or loader "
            "(docs/extending.md).",
        )
    else:
        for each in found:
            say(get_stdout(), _render_line(each), "yellow" if each.problem else "")
    return ExitCode.FAILED if any(each.problem for each in found) else ExitCode.DONE


def _inspect_offer(offer: Offer, settings: Settings) -> _Found:
    chosen_by, is_chosen, shipped = {
        Extension.REASONER: (
            f"CAVEAT_REASONER={offer.name}",
            settings.reasoner == offer.name,
            OWN_REASONERS,
        ),
        Extension.SEARCH_ENGINE: (
            f"CAVEAT_SEARCH={offer.name}",
            offer.name in settings.search,
            tuple(SHIPPED),
        ),
        Extension.NOTIFIER: (
            f"CAVEAT_NOTIFIERS={offer.name}",
            offer.name in settings.notifiers,
            (),
        ),
        Extension.LOADER: (f"files that end in .{offer.name}", True, list_shipped_endings()),
    }[offer.kind]
    try:
        load_extension(offer.kind, offer.name, shipped)
    except PluginProblem as problem:
        return _Found(offer, chosen_by, is_chosen, str(problem))
    return _Found(offer, chosen_by, is_chosen, None)


def _render_line(found: _Found) -> str:
    used = f"{'in use for' if found.is_chosen else 'chosen by'} {found.chosen_by}"
    offer = found.offer
    return f"{offer.kind.word} {offer.name}, of {offer.package}: {found.problem or used}"


def _build_facts(found: _Found) -> dict[str, object]:
    offer = found.offer
    return {
        "kind": offer.kind.word,
        "name": offer.name,
        "package": offer.package,
        "target": offer.target,
        "chosen_by": found.chosen_by,
        "in_use": found.is_chosen and found.problem is None,
        "problem": found.problem,
    }
