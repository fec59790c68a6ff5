"""`caveat up`: the embedded server and a worker."""

from clients.cli.console import stderr
from clients.cli.logs import log_to_stderr
from clients.cli.serving import serve
from clients.folders import absolute, require_folder
from clients.problems import BadInput
from clients.servers import names_own_server
from workers.settings import load


def up(corpus: tuple[str, ...]) -> int:
    """Carry the command out and return its exit code."""
    if names_own_server():
        raise BadInput(
            "The environment names a Temporal server of your own: `caveat worker` serves runs on "
            "it; unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE to use the embedded server."
        )
    settings = load()
    folders = tuple(absolute(each) for each in corpus) or settings.corpus
    for folder in folders:
        require_folder(folder)
    log_to_stderr()
    return serve(settings.model_copy(update={"corpus": folders}), stderr())
