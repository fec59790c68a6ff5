"""What processes that a test starts are forked from: it has imported everything already.

Importing takes a worker a second of the processor and a command half of one, building contracts a
third of one and a tenth, and tests start hundreds. What a command loads when, and how fast it
starts, is tested where it is really started (tests/clients/cli/test_help.py).

The server that forks imports this module (tests/fakes/commands.py).
"""

import gc
import importlib
import pkgutil

import caveat.clients.cli
import caveat.clients.mcp.server  # what `caveat up` imports once it serves, for half a second
import tests.fakes.claude_worker
import tests.fakes.mortal_worker  # noqa: F401  # see above
from caveat.contracts.base import build
from caveat.workers.version import build_id

for _module in pkgutil.iter_modules(caveat.clients.cli.__path__, "caveat.clients.cli."):
    importlib.import_module(_module.name)
build()
build_id()
gc.freeze()
