"""How many files and functions one topic, one claim and one ruling pass.

    python -m benchmarks.walks

Two real runs of the example, without a language model: `caveat research` is watched for the topic,
from the command to the planner, and for a claim, from its analysis to the written report; `caveat
up` for a ruling, from the page's form to the final report. A function counts where an argument
other than its `self`, or what it returns, holds the text that is followed. Run the file by its path
with the Python of another tree, in that tree and with `PYTHONPATH=.`, to compare the two.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, cast

from benchmarks.alone import alone
from benchmarks.common import CORPUS, TOPIC

_TREE = Path.cwd()
_PRODUCT = ("caveat", "activities", "workers", "workflows", "clients")
_CLAIM = "The SH0ES team measured a Hubble constant of 73.04"
_REASON = "The newer of the two calibrations is the one that I trust"
_TEXTS = (TOPIC, _CLAIM, _REASON)
_MOST = 20_000  # objects looked at in one argument: a whole report has fewer
_MOST_S = 300  # for the final report, which takes seconds

Passed = tuple[str, str, str]  # the text, the file and the function


class Watch:
    """Notes which functions of the product hold which of some texts."""

    def __init__(self) -> None:
        self.passed: list[Passed] = []
        self._places: dict[CodeType, tuple[str, str] | None] = {}

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """Look at what a function is given or returns, as `sys.setprofile` tells it."""
        code = frame.f_code
        if event not in {"call", "return"}:
            return
        if code not in self._places:
            self._places[code] = _place(code)
        place = self._places[code]
        if place is not None:
            held = [arg] if event == "return" else list(_arguments(frame))
            self.passed += [(text, *place) for text in _found(held)]


def _place(code: CodeType) -> tuple[str, str] | None:
    try:  # resolved, because `caveat/workflows` is a link to `workflows`
        named = Path(code.co_filename).resolve().relative_to(_TREE)
    except ValueError:
        return None
    is_ours = named.parts[0] in _PRODUCT and not code.co_name.startswith("<")
    return (str(named), code.co_qualname) if is_ours else None


def _arguments(frame: FrameType) -> Iterator[Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 4) + bool(code.co_flags & 8)  # `*args` and `**kwargs`
    names = (name for name in code.co_varnames[:count] if name not in {"self", "cls"})
    return (frame.f_locals.get(name) for name in names)


def _found(held: list[Any]) -> set[str]:
    """Look for the texts in objects and in what these hold."""
    found: set[str] = set()
    seen: set[int] = set()
    while held and len(seen) < _MOST:
        each = held.pop()
        kind = type(each)  # a proxy of the workflow sandbox refuses `isinstance`
        if issubclass(kind, str):
            found |= {text for text in _TEXTS if text in each}
        elif issubclass(kind, bytes | bytearray):
            found |= {text for text in _TEXTS if text.encode() in each}
        elif id(each) not in seen:
            seen.add(id(each))
            held += _parts(each, kind)
    return found


def _parts(each: Any, kind: type) -> Iterable[Any]:
    if kind.__name__ == "Payload":
        return (each.data,)
    if issubclass(kind, dict):
        return (*each.keys(), *each.values())
    if issubclass(kind, list | tuple | set | frozenset):
        return cast("Iterable[Any]", each)
    is_record = any(hasattr(kind, name) for name in ("__pydantic_fields__", "__dataclass_fields__"))
    is_open = is_record and "__slots__" not in vars(kind)
    return object.__getattribute__(each, "__dict__").values() if is_open else ()


def _watch_command(out: Path, arguments: list[str]) -> None:
    watch = Watch()
    from caveat.clients.cli.main import main  # noqa: PLC0415  # watched from its import on

    sys.argv = ["caveat", *arguments]
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        main()
    finally:
        sys.setprofile(None)
        out.write_text(json.dumps(watch.passed))


def _start(own: dict[str, str], out: Path, *arguments: str) -> "subprocess.Popen[str]":
    # Watched, a workflow task takes longer than the two seconds that Temporal grants it.
    env = os.environ | own | {"TEMPORAL_DEBUG": "1", "PYTHONPATH": str(_TREE)}
    command = (sys.executable, __file__, str(out), *arguments)
    return subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def main() -> None:
    """Watch both runs and print the table."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        own = alone(folder)
        asked = ("research", TOPIC, "--corpus", str(CORPUS), "--format", "md", "--out", temporary)
        _start(own, folder / "research.json", *asked).communicate()
        research = json.loads((folder / "research.json").read_text())
        (run,) = (folder / "state" / "reports").iterdir()
        serving = _start(own, folder / "up.json", "up")
        try:
            _rule(serving, run)
        finally:
            serving.terminate()
            serving.communicate()
        ruling = json.loads((folder / "up.json").read_text())
    planned = _first(research, TOPIC, lambda file: file.endswith("extractive/planning.py"))
    analysed = _first(research, _CLAIM, lambda file: file.endswith("extractive/analysis.py"))
    _tell("topic", [each for each in research[: planned + 1] if each[0] == TOPIC])
    _tell("claim", [each for each in research[analysed:] if each[0] == _CLAIM])
    _tell("ruling", [each for each in ruling if each[0] == _REASON])


def _first(passed: list[Passed], text: str, is_there: Callable[[str], bool]) -> int:
    return next(
        number for number, (held, file, _) in enumerate(passed) if held == text and is_there(file)
    )


def _tell(name: str, passed: list[Passed]) -> None:
    files = [file for _, file, _ in passed]
    moves = sum(one != other for one, other in pairwise(files))
    functions = len({(file, function) for _, file, function in passed})
    print(f"{name:8}{len(set(files)):5} files {functions:5} functions {moves:6,} moves")


def _rule(serving: "subprocess.Popen[str]", run: Path) -> None:
    """Rule on the run's contradiction by the page, and wait for the final report."""
    lines = iter(serving.stderr.readline, "") if serving.stderr else iter(())
    link = next(found[0] for line in lines if (found := re.search(r"http\S+\?token=\S+", line)))
    threading.Thread(target=lambda: [*lines], daemon=True).start()  # so that it can say more
    page = link.partition("?")[0].rstrip("/")
    where = f"{page}/runs/{run.name}/contradictions/contradiction-1"
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.open(link)
    form = re.search(r'name="form_token" value="([^"]+)"', browser.open(where).read().decode())
    given = {"choice": "a", "reason": _REASON, "name": "Ada", "form_token": form[1] if form else ""}
    sent = urllib.parse.urlencode(given).encode()
    browser.addheaders = [("Origin", page)]
    browser.open(where, sent)
    until = time.monotonic() + _MOST_S
    report = run / "report.md"
    while b"**Provisional report" in report.read_bytes():
        if time.monotonic() > until:
            raise SystemExit("The final report does not come: is the machine busy?")
        time.sleep(0.5)


if __name__ == "__main__":
    if sys.argv[1:]:
        _watch_command(Path(sys.argv[1]), sys.argv[2:])
    else:
        main()
