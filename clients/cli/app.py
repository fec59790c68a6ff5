"""What can be typed. Each command loads its own module, so that `--help` loads none of them."""

import functools
import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer import Argument, Option, Typer
from typer.core import TyperGroup

from caveat.clients.options import OPTIONS, RequestOption, take_options

GROUPS = {
    "Research": ("research", "ask", "follow-up", "schedule", "demo"),
    "Decide": ("inbox", "rule"),
    "Runs": ("runs", "status", "report", "open", "audit", "resume", "cancel", "delete"),
    "Serve": ("up", "worker", "mcp", "models", "admin"),
}


class Grouped(TyperGroup):
    """Lists commands under what people want to do."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, those of a group under its heading."""
        commands: dict[str, Any] = {
            name: self.get_command(ctx, name) for name in self.list_commands(ctx)
        }
        groups = GROUPS if self.name == "caveat" else {"Commands": tuple(commands)}
        for heading, names in groups.items():
            room = formatter.width - 6 - max(map(len, names))
            rows = [(name, commands[name].get_short_help_str(room)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(rows)


app = Typer(
    name="caveat",
    cls=Grouped,
    help="Durable research on Temporal: a topic in, a cited report out that says what is missing.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # Rich would break lines as they are broken here, and load for as long
)

Words = str | None
Texts = list[str] | None

Run = Annotated[str, Argument(metavar="RUN", help="An id, a unique beginning of one, or `latest`.")]
Json = Annotated[bool, Option("--json", help="Print JSON on standard output, nothing else.")]
Folders = Annotated[
    Texts, Option("--corpus", metavar="PATH", help="A folder of documents; may be repeated.")
]
Formats = Annotated[
    Texts,
    Option("--format", metavar="md,pdf,...", help=OPTIONS["formats"].help, show_default=False),
]
Out = Annotated[
    Words, Option("--out", metavar="DIR", help="Where to write it.", show_default="reports/RUN")
]
Wait = Annotated[
    bool,
    Option(
        "--wait/--provisional",
        help="Wait for people's rulings, or return with the provisional report.",
        show_default="provisional",
    ),
]
By = Annotated[Words, Option(metavar="NAME", help="Who decides.", show_default="your user name")]
Request = Annotated[
    Words, Option("--request", metavar="FILE", help="A request in JSON; options go before it.")
]
Topic = Annotated[Texts, Argument(metavar="TOPIC", help=OPTIONS["topic"].help, show_default=False)]
_METAVARS = {
    "corpus": "PATH", "deadline": "10m", "depth": "LEVEL", "formats": "md,pdf,...",
    "language": "de", "max_cost": "USD", "team": "NAME",
}  # fmt: skip

Typed = Callable[..., None]

EXAMPLES: dict[str, tuple[str, ...]] = {}  # by the command as it is typed, without `caveat`


def _annotate_option(option: RequestOption) -> Any:
    default = f" [default: {option.default}]" if option.default else ""
    metavar, text = _METAVARS.get(option.name), f"{option.help}{default}"
    return Annotated[
        option.kind, Option(option.flag, metavar=metavar, help=text, show_default=False)
    ]


_take_options = functools.partial(take_options, _annotate_option)


def _add_examples(path: str, examples: tuple[str, ...]) -> str:
    """Note the examples of a command, and return the end of its help that shows them."""
    EXAMPLES[path] = examples
    return "\n".join(("\b", "Examples:", *(f"  {example}" for example in examples)))


def _register_command(
    module: str, *examples: str, of: Typer = app, name: str | None = None, does: str | None = None
) -> Callable[[Typed], Typed]:
    """Add a command that a function of a module of this package carries out."""

    def add_command(typed: Typed) -> Typed:
        @functools.wraps(typed)
        def carried_out(**values: Any) -> Any:
            loaded = import_module(f"caveat.clients.cli.{module}")
            if values.get("formats"):
                values["formats"] = ",".join(values["formats"])  # --format may be given again
            bound = inspect.signature(typed).bind(**values)
            return getattr(loaded, does or typed.__name__)(*bound.args, **bound.kwargs)

        named = name or typed.__name__.replace("_", "-")
        path = named if of is app else f"{of.info.name} {named}"
        return of.command(named, epilog=_add_examples(path, examples))(carried_out)

    return add_command


def _add_group(name: str, does: str, *examples: str) -> Typer:
    epilog = _add_examples(name, examples)
    group = Typer(name=name, cls=Grouped, help=does, epilog=epilog, no_args_is_help=True)
    app.add_typer(group)
    return group


@app.callback(invoke_without_command=True)
def caveat(
    *,
    version: Annotated[
        bool, Option("--version", "-v", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    """Durable research on Temporal: a topic in, a cited report out that says what is missing."""
    if version:
        from importlib.metadata import version as version_of  # noqa: PLC0415  # rarely wanted

        typer.echo(f"caveat {version_of('caveat')}")
        raise typer.Exit


@_register_command(
    "research",
    "caveat research How large is the Hubble constant --corpus papers",
    'caveat research "Which tariff is cheapest?" --corpus offer.pdf --corpus notes',
    'caveat research "What changed in 2026?" --max-cost 2',
    "caveat research --request request.json --detach",
)
@_take_options(
    "corpus", "formats", "depth", "team", "approve_plan", "max_cost", "deadline", "language"
)
def research(
    topic: Topic = None,
    *,
    request: Request = None,
    out: Out = None,
    estimate: Annotated[
        bool, Option("--estimate", help="Say what it may cost, and start nothing.")
    ] = False,
    wait: Wait = False,
    detach: Annotated[bool, Option("--detach", help="Return once it is started.")] = False,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Research a topic and write a cited report.

    Without a server of your own (TEMPORAL_ADDRESS or a Temporal profile) Caveat starts an embedded
    one, and a worker in this process. Where sources contradict each other and no rule settles it,
    people rule: with `caveat rule` or on the page. The command returns with the provisional report
    meanwhile, unless you give --wait. Ctrl-C leaves the run on the server.

    Caveat keeps the part of every bound, such as --max-cost, that the report needs. So a run that
    reaches a bound still reports, and says what it left out.
    """


@_register_command("research", "caveat demo")
def demo(*, out: Out = None, as_json: Json = False) -> None:
    """Research a question over four notes, some of which disagree."""


@_register_command("existing_runs", 'caveat ask latest "And why do the two methods differ?"')
def ask(
    run: Run,
    question: Annotated[list[str], Argument(metavar="QUESTION", help="What you ask on.")],
    *,
    search: Annotated[bool, Option("--search", help="Search for new sources as well.")] = False,
    out: Out = None,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Ask one more question of what a run has kept.

    It is answered from the texts that the run has read, by the same checks as a report, and stands
    under that report on the page.
    """


@_register_command("existing_runs", "caveat follow-up latest")
def follow_up(
    run: Run,
    *,
    everything: Annotated[bool, Option("--all", help="Try also what is unlikely to work.")] = False,
    out: Out = None,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Retry what failed in a run, and revise its report.

    A new question is `caveat ask`. Caveat tries again what may work now, and reuses everything
    else. Time may have cured a failure, or you have settled something with a provider (a key, a
    bill, a limit). Caveat asks such a provider with one task first. Without --all it leaves out
    what was not there or can never work.
    """


schedule = _add_group(
    "schedule", "Topics that are researched again and again.", "caveat schedule list"
)


@_register_command(
    "schedule",
    'caveat schedule add "What is new on DESI?" --every 1d --corpus papers',
    of=schedule,
    name="add",
)
@_take_options("corpus", "formats", "depth", "team", "max_cost", "language")
def add_schedule(
    topic: Topic = None,
    *,
    every: Annotated[str, Option(metavar="1d", help="How often: from 1m to 30d.")],
    request: Request = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Research a topic at intervals, and say what changed.

    The first run starts at once. --max-cost is of each run by itself. People are told
    (docs/notifications.md) when something changed. Runs are started while the server is there: with
    the embedded one, while `caveat up` runs.
    """


@_register_command("schedule", "caveat schedule list", of=schedule, name="list")
def list_schedules(*, as_json: Json = False) -> None:
    """List what is scheduled, with the latest run of each."""


@_register_command(
    "schedule",
    "caveat schedule remove schedule-what-is-new-on-desi-3fa9c1",
    of=schedule,
    name="remove",
)
def remove_schedule(
    schedule: Annotated[str, Argument(metavar="SCHEDULE", help="As `schedule list` names it.")],
    *,
    as_json: Json = False,
) -> None:
    """Start no more runs of a schedule; what it found stays."""


@_register_command("runs", "caveat inbox")
def inbox(*, as_json: Json = False) -> None:
    """List the contradictions that wait for a person, of all runs."""


@_register_command("existing_runs", 'caveat rule latest b --because "It is the newer measurement."')
def rule(
    arbitration: Annotated[
        str,
        Argument(metavar="ARBITRATION", help="As `caveat inbox` lists it, or a run with just one."),
    ],
    ruling: Annotated[
        Words,
        Argument(
            metavar="a|b|both|neither",
            help="Which value holds; of more than two a letter, several (a,c), all or none.",
            show_default=False,
        ),
    ] = None,
    *,
    because: Annotated[str, Option(metavar="TEXT", help="Why.")],
    replace: Annotated[bool, Option("--replace", help="Change an earlier ruling.")] = False,
    withdraw: Annotated[bool, Option("--withdraw", help="Take an earlier ruling back.")] = False,
    by: By = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Rule on a contradiction.

    It holds for each run that waits on the same statements. After its deadline a ruling revises the
    reports of all. So does, for one report, a ruling that changes or withdraws an earlier one,
    which stays on record. After the last ruling that a run waits for the command stays until the
    final report is written. Ctrl-C leaves that to `caveat resume`.
    """


@_register_command("runs", "caveat runs --limit 5")
def runs(
    *,
    limit: Annotated[int, Option(min=1, max=999, metavar="N", help="List at most so many.")] = 20,
    as_json: Json = False,
) -> None:
    """List runs: those that go on, then the newest first."""


@_register_command("runs", "caveat status latest")
def status(run: Run, *, as_json: Json = False) -> None:
    """Show where a run is, and what failed in it."""


@_register_command(
    "runs",
    "caveat report latest",
    "caveat report latest --format pdf --out reports",
    "caveat report latest --format json",
)
def report(
    run: Run,
    *,
    formats: Formats = None,
    out: Annotated[Words, Option(metavar="DIR", help="Write files there.")] = None,
    as_json: Json = False,
) -> None:
    """Read the report of a run, or write it as files.

    Without --out it prints Markdown, or the format that --format names. With --out alone it writes
    md, pdf and json.
    While a run waits for people, the report is the provisional one. With --json the report itself
    goes to standard output.
    """


@_register_command("runs", "caveat open latest", name="open")
def open_page(
    run: Annotated[
        Words, Argument(metavar="RUN", help="As for `caveat status`.", show_default=False)
    ] = None,
) -> None:
    """Open the page of a run in a browser, or the page itself."""


@_register_command("audit", "caveat audit latest", "caveat audit report.json")
def audit(
    report: Annotated[
        str,
        Argument(
            metavar="REPORT.json|.md|.html|.pdf|RUN",
            help="A report's JSON file, what was made of it, or a run.",
        ),
    ],
    *,
    corpus: Annotated[
        Words, Option(metavar="DIR", help="The documents, where their texts are not kept here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check each quote, citation, number and ledger of a report."""


@_register_command(
    "existing_runs",
    "caveat resume latest",
    'caveat resume latest --approve --drop a3 --edit "a2=How wide is it?"',
)
def resume(  # noqa: PLR0913  # each is an option
    run: Run,
    *,
    approve: Annotated[bool, Option("--approve", help="Approve the plan that waits.")] = False,
    drop: Annotated[Texts, Option(metavar="ID", help="Leave an angle out, such as a2.")] = None,
    edit: Annotated[Texts, Option(metavar="ID=TEXT", help="Ask an angle something else.")] = None,
    add: Annotated[list[str] | None, Option(metavar="TEXT", help="Ask one thing more.")] = None,
    answer: Annotated[Texts, Option(metavar="TEXT", help="Answer the planner, in order.")] = None,
    by: By = None,
    out: Out = None,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Follow a run again that was left, to its report.

    Where a plan waits (`research --approve-plan`), approve it with --approve, as it is or changed
    by the options behind that.
    """


@_register_command("existing_runs", "caveat cancel latest")
def cancel(run: Run, *, as_json: Json = False) -> None:
    """Stop a run at once, keep what it found, and say where that is."""


@_register_command("existing_runs", "caveat delete research-how-large-is-it-3fa9c1")
def delete(run: Run, *, as_json: Json = False) -> None:
    """Delete a run that has ended, with its evidence and its history.

    Reports that a command wrote into a folder of yours stay there.
    """


@_register_command("serving", "caveat up --corpus papers", "caveat up --page-only")
def up(
    *,
    corpus: Folders = None,
    page_only: Annotated[
        bool, Option("--page-only", help="Serve the page alone, also of a server of your own.")
    ] = False,
) -> None:
    """Run the embedded server, a worker and the page until Ctrl-C.

    The folders given with --corpus are searched by runs that name none.
    """


@_register_command("serving", "TEMPORAL_ADDRESS=temporal.example:7233 caveat worker")
def worker() -> None:
    """Serve runs on a Temporal server of your own until Ctrl-C."""


@_register_command("serving", "caveat mcp --corpus papers")
def mcp(*, corpus: Folders = None) -> None:
    """Serve an assistant that speaks MCP.

    It speaks over standard input and output. The folders given with --corpus are those that the
    assistant may have searched.
    """


models = _add_group("models", "The language models that a reasoner uses.", "caveat models check")


@_register_command("models", "caveat models check --dry-run", of=models, name="check", does="check")
def check_models(
    *,
    dry_run: Annotated[bool, Option("--dry-run", help="Write nothing down.")] = False,
    as_json: Json = False,
) -> None:
    """Find out what the server of your models can do.

    Workers read when they start what it writes down. Each model of the settings is asked eleven
    questions, the longest of 256,000 characters; what that costs is said before and after.
    """


admin = _add_group(
    "admin",
    "What operators do: old files, dead messages.",
    "caveat admin prune --days 90 --dry-run",
)


@_register_command(
    "admin", "caveat admin prune --days 90 --dry-run", of=admin, name="prune", does="prune_files"
)
def prune(
    *,
    days: Annotated[
        int, Option(min=1, max=36_500, metavar="N", help="Keep what is younger than so many days.")
    ] = 30,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Say what would go, and remove nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove old reports and what no run needs.

    Reports go with their evidence; texts, payloads and answers go as well. What a run needs that
    goes on, or that a younger run or its follow-up needs, stays. People's rulings
    stay, too.
    """


@_register_command("admin", "caveat admin dead-letters", of=admin)
def dead_letters(*, as_json: Json = False) -> None:
    """List what could not be delivered, and why."""


@_register_command("admin", "caveat admin resend 3fa9c1", of=admin)
def resend(
    letter: Annotated[str, Argument(metavar="ID", help="As `admin dead-letters` lists it.")],
    *,
    as_json: Json = False,
) -> None:
    """Send a dead message to its agents once more."""


@_register_command("admin", "caveat admin agent-key prices", of=admin)
def agent_key(agent: Annotated[str, Argument(metavar="AGENT", help="The agent's name.")]) -> None:
    """Print the key that an agent signs with, a secret of its own."""
