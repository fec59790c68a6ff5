"""`caveat worker`: a worker for a server of your own."""

from clients.cli.console import stderr
from clients.cli.logs import log_to_stderr
from clients.cli.serving import serve
from clients.problems import BadInput
from clients.servers import names_own_server
from workers.settings import load


def worker() -> int:
    """Carry the command out and return its exit code."""
    if not names_own_server():
        raise BadInput(
            "There is no server to work for: set TEMPORAL_ADDRESS or a Temporal profile, or type "
            "`caveat up` for the embedded server."
        )
    settings = load()
    log_to_stderr()
    return serve(settings, stderr())
