"""Looking a run up: in the files on this machine where they suffice, else on the server."""

from dataclasses import dataclass

from caveat.contracts.outcome import RunRecord
from clients.beginnings import run_beginning
from clients.cli.console import stderr
from clients.kept import kept_standing
from clients.promises import Promises
from clients.standings import Standing
from workers.settings import Settings


@dataclass(frozen=True)
class Found:
    """What is known of the run that was named.

    Attributes:
        run_id: its whole id.
        stands: where it stands, or what memory keeps of it.
        url: of its page in the Web UI, where a server was asked.
        link: the same with the token that opens it, for nobody but who asked.
    """

    run_id: str
    stands: Standing | RunRecord
    url: str | None = None
    link: str | None = None


def look_up(typed: str, settings: Settings, *, provisionally: bool = False) -> Found:
    """Find a run by what was typed for it.

    Args:
        typed: its id, the beginning of it, or `latest`.
        settings: of this process.
        provisionally: whether a run that goes on is asked for its report, and not for its progress.

    Raises:
        NoSuchRun: nobody knows it.
        BadInput: several are meant, or none.
    """
    run_id = run_beginning(typed).strip()
    kept = kept_standing(settings, run_id)
    if kept is not None:
        if Promises(settings.promises_folder).open():
            from clients.cli.delivery import Delivery  # noqa: PLC0415  # only where one is due

            Delivery(settings, stderr()).from_files()
        return Found(run_id, kept)
    from clients.cli.finding import found_on_server  # noqa: PLC0415  # only where one is asked

    return found_on_server(typed, settings, provisionally=provisionally)
