"""What can be typed. Each command loads its own module, so that `--help` loads none of them."""

import functools
import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer import Argument, Option, Typer

from caveat.clients.cli.grouping import Grouped

app = Typer(
    name="caveat",
    cls=Grouped,
    help="Durable research on Temporal: a topic in, a cited report out that says what is missing.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # Rich would break lines as they are broken here, and load for as long
)

Topic = Annotated[
    list[str], Argument(metavar="TOPIC", help="The question; quotation marks keep its signs.")
]
_RUN = Argument(metavar="RUN", help="An id, a unique beginning of one, or `latest`.")
Run = Annotated[str, _RUN]
Json = Annotated[bool, Option("--json", help="Print JSON on standard output, nothing else.")]
Corpus = Annotated[
    list[str] | None,
    Option(
        "--corpus", metavar="PATH", help="A folder of documents, or a document; may be repeated."
    ),
]
Depth = Annotated[
    str,
    Option(metavar="LEVEL", help="How much to read: overview, deep or exhaustive."),
]
Team = Annotated[str, Option(metavar="NAME", help="Who works on it.")]
FORMATS_HELP = "What to write, with commas: md, pdf, json, html, docx, brief.md, bib or csl.json."
Formats = Annotated[str, Option("--format", metavar="md,pdf,...", help=FORMATS_HELP)]
Brief = Annotated[
    bool, Option("--brief", help="Write one page as well: the answer, and what is missing.")
]
Out = Annotated[
    str | None,
    Option("--out", metavar="DIR", help="Where to write it.", show_default="reports/RUN"),
]

Provisional = Annotated[
    bool, Option("--provisional", help="Return with the provisional report while people think.")
]

Wait = Annotated[bool, Option("--wait", help="Wait for people's rulings also without a terminal.")]

MaxSources = Annotated[
    int | None, Option(min=1, max=1_000, metavar="N", help="Read at most so many sources.")
]
MaxCost = Annotated[
    float | None, Option(metavar="USD", help="Spend at most so much on language models.")
]
MaxCalls = Annotated[
    int | None, Option(metavar="N", help="Make at most so many calls to language models.")
]
MaxTokens = Annotated[
    int | None, Option(metavar="N", help="Send and receive at most so many tokens.")
]
MaxMinutes = Annotated[
    float | None, Option(metavar="N", help="Take at most so long, without the time people think.")
]
ArbitrationTimeout = Annotated[
    str, Option(metavar="6h", help="How long a person may take over a contradiction.")
]
Priority = Annotated[
    str,
    Option(metavar="LEVEL", help="Whose tasks workers take first: critical, high, normal or low."),
]

ALL_FORMATS = "md,pdf,json"


def _register_command(
    module: str, does: str | None = None, *, of: Typer = app, name: str | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command that a function of a module carries out, which takes what was typed.

    Args:
        module: of this package.
        does: the function's name, where it is not that of the command.
        of: the group of the command.
        name: of the command, where it is that of no function.
    """

    def add_command(typed: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(typed)
        def carried_out(**given: Any) -> Any:
            loaded = import_module(f"caveat.clients.cli.{module}")
            bound = inspect.signature(typed).bind(**given)
            return getattr(loaded, does or typed.__name__)(*bound.args, **bound.kwargs)

        return of.command(name if of is app else name or does)(carried_out)

    return add_command


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


@_register_command("research")
def research(  # noqa: PLR0913  # each is an option
    topic: Topic,
    *,
    corpus: Corpus = None,
    depth: Depth = "deep",
    team: Team = "general",
    formats: Formats = ALL_FORMATS,
    out: Out = None,
    max_sources: MaxSources = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_minutes: MaxMinutes = None,
    priority: Priority = "normal",
    estimate: Annotated[
        bool, Option("--estimate", help="Say what it is expected to cost, start nothing.")
    ] = False,
    critical: Annotated[
        list[str] | None,
        Option(metavar="TITLE", help="An angle that must not be missing; may be repeated."),
    ] = None,
    deadline: Annotated[
        str | None, Option(metavar="10m", help="Leave stragglers behind then, if enough is found.")
    ] = None,
    arbitration_timeout: ArbitrationTimeout = "6h",
    approve_plan: Annotated[
        bool, Option("--approve-plan", help="Have a person approve the plan first.")
    ] = False,
    approval_timeout: Annotated[
        str, Option(metavar="24h", help="How long the plan waits; then the run ends by name.")
    ] = "24h",
    language: Annotated[
        str | None, Option(metavar="de", help="Language of the prose, if not the question's.")
    ] = None,
    brief: Brief = False,
    partial: Annotated[
        bool,
        Option("--partial", help="Leave with 0 also where a report does not answer the topic."),
    ] = False,
    provisional: Provisional = False,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Research a topic and write a cited report.

    Without a server of your own (TEMPORAL_ADDRESS or a Temporal profile) Caveat starts an embedded
    one, and a worker in this process. Where sources contradict each other and no rule settles it,
    Caveat asks you. Others can answer with `caveat rule`. Without a terminal the command returns
    with the provisional report, unless you give --wait. Ctrl-C leaves the run on the server.

    Caveat makes a run that is likely to exceed --max-cost smaller before it starts: a lesser depth,
    then fewer sources. It keeps the part of every bound that the report needs. So a run that
    reaches a bound still reports, and says what it left out.
    """


@_register_command("serving")
def up(*, corpus: Corpus = None) -> None:
    """Run the embedded server, a worker and the page until Ctrl-C.

    The folders given with --corpus are searched by runs that name none.
    """


@_register_command("serving")
def worker() -> None:
    """Serve runs on a Temporal server of your own until Ctrl-C."""


@_register_command("serving")
def web() -> None:
    """Serve the page for people without a terminal until Ctrl-C.

    It shows the runs of the server that the environment names, else of the embedded one; workers
    are not its own.
    """


@_register_command("runs")
def runs(
    *,
    limit: Annotated[int, Option(min=1, metavar="N", help="List at most so many.")] = 20,
    as_json: Json = False,
) -> None:
    """List runs: those that go on, then the newest first."""


@_register_command("runs")
def status(run: Run, *, as_json: Json = False) -> None:
    """Show where a run is."""


@_register_command("runs")
def report(
    run: Run,
    *,
    formats: Annotated[
        str | None, Option("--format", metavar="md,pdf,...", help=FORMATS_HELP, show_default="md")
    ] = None,
    brief: Annotated[bool, Option("--brief", help="The answer on one page.")] = False,
    out: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Write files there; `-` prints one format.",
            show_default="reports/RUN",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read the report of a run, or write it as files.

    Without --out and --format it prints Markdown; with --out alone it writes md, pdf and json.
    While a run waits for people, the report is the provisional one. With --json the report itself
    goes to standard output.
    """


@_register_command("existing_runs")
def resume(
    run: Run,
    *,
    out: Out = None,
    provisional: Provisional = False,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Follow a run again that was left, to its report.

    It asks what the run asks. Without a terminal it returns with the provisional report while
    people think, unless you give --wait.
    """


@_register_command("approving")
def approve(  # each is an option
    run: Run,
    *,
    drop: Annotated[
        list[str] | None, Option(metavar="ID", help="Leave an angle out, such as a2.")
    ] = None,
    edit: Annotated[
        list[str] | None,
        Option(metavar="ID=TEXT", help="Ask something else in the place of an angle."),
    ] = None,
    add: Annotated[list[str] | None, Option(metavar="TEXT", help="Ask one thing more.")] = None,
    answer: Annotated[
        list[str] | None,
        Option(metavar="TEXT", help="Answer the planner's questions, in their order."),
    ] = None,
    by: Annotated[
        str | None, Option(metavar="NAME", help="Who decides.", show_default="your user name")
    ] = None,
    as_json: Json = False,
) -> None:
    """Approve the plan of a run that waits for that.

    Every option but --by, --answer and --json may change the plan, and be repeated. Nothing is
    looked for or paid for before.
    """


@_register_command("steering")
def cancel(run: Run, *, as_json: Json = False) -> None:
    """Stop a run at once, keep what it found, and say where that is."""


@_register_command("runs")
def inbox(*, as_json: Json = False) -> None:
    """List the contradictions that wait for a person, of all runs."""


@_register_command("existing_runs")
def rule(  # each is an option
    arbitration: Annotated[
        str,
        Argument(metavar="ARBITRATION", help="As `caveat inbox` lists it, or a run with just one."),
    ],
    ruling: Annotated[
        str | None,
        Argument(
            metavar="a|b|both|neither",
            help="Which value holds; of more than two a letter, several (a,c), all or none.",
            show_default=False,
        ),
    ] = None,
    *,
    because: Annotated[str, Option(metavar="TEXT", help="Why.")],
    replace: Annotated[
        bool, Option("--replace", help="Change what a person ruled before.")
    ] = False,
    withdraw: Annotated[
        bool, Option("--withdraw", help="Take back what a person ruled, and choose nothing.")
    ] = False,
    by: Annotated[
        str | None, Option(metavar="NAME", help="Who rules.", show_default="your user name")
    ] = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Rule on a contradiction.

    After its deadline a ruling revises the report. So does one that changes or withdraws an earlier
    ruling, which stays on record. The last ruling that a run waits for is followed to its final
    report.
    """


@_register_command("runs")
def failures(run: Run, *, as_json: Json = False) -> None:
    """List everything that failed in a run, and why."""


@_register_command("existing_runs")
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


@_register_command("existing_runs")
def follow_up(
    run: Run,
    *,
    everything: Annotated[
        bool, Option("--all", help="Try also what is not likely to work now.")
    ] = False,
    formats: Annotated[
        str | None,
        Option("--format", metavar="md,pdf,...", help="What to write.", show_default="as before"),
    ] = None,
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


@_register_command("audit")
def audit(
    report: Annotated[
        str,
        Argument(
            metavar="REPORT.json|.md|.html|.pdf|RUN",
            help="A report's JSON file, what was made of it, or a run.",
        ),
    ],
    *,
    snapshots: Annotated[
        str | None,
        Option(
            metavar="DIR", help="Where the texts of the sources are kept.", show_default="our own"
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        Option(metavar="DIR", help="The documents, where their texts are not kept here."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check each quote, citation, number and ledger of a report."""


@_register_command("schedule")
def schedule(  # noqa: PLR0913  # each is an option
    topic: Topic,
    *,
    every: Annotated[str, Option(metavar="1d", help="How often: from 1m to 30d.")],
    corpus: Corpus = None,
    depth: Depth = "deep",
    team: Team = "general",
    formats: Formats = ALL_FORMATS,
    max_sources: MaxSources = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_minutes: MaxMinutes = None,
    priority: Priority = "normal",
    arbitration_timeout: ArbitrationTimeout = "6h",
    as_json: Json = False,
) -> None:
    """Research a topic at intervals, and say what changed.

    The first run starts at once. Every bound (--max-cost and the like) is of each run by itself.

    People are told (docs/notifications.md) when something did. Runs are started while the server
    is there: with the embedded one, while `caveat up` runs.
    """


@_register_command("schedule")
def schedules(*, as_json: Json = False) -> None:
    """List what is scheduled, with the latest run of each."""


@_register_command("schedule")
def unschedule(
    schedule: Annotated[str, Argument(metavar="SCHEDULE", help="As `caveat schedules` lists it.")],
    *,
    as_json: Json = False,
) -> None:
    """Start no more runs of a schedule; what it found stays."""


@_register_command("prune", "prune_files")
def prune(
    *,
    days: Annotated[int, Option(metavar="N", help="Keep what is younger than so many days.")] = 30,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Say what would go, and remove nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove old reports and what no run needs.

    Reports go with their evidence; texts, payloads and answers go as well. What a run needs that
    goes on, or that a younger run or its follow-up needs, stays. Rulings and what memory keeps of
    runs stay, too.
    """


@_register_command("serving")
def mcp(*, corpus: Corpus = None) -> None:
    """Serve an assistant that speaks MCP.

    It speaks over standard input and output. The folders given with --corpus are those that the
    assistant may have searched.
    """


messages = Typer(
    cls=Grouped, help="Messages to and from agents that live elsewhere.", no_args_is_help=True
)
app.add_typer(messages, name="messages")

Agent = Annotated[str | None, Option("--agent", metavar="NAME", help="Of this agent alone.")]
Letter = Annotated[str, Argument(metavar="ID", help="As `messages dead` lists it.")]


@_register_command("messages", "dead", of=messages)
def list_dead_messages(*, agent: Agent = None, as_json: Json = False) -> None:
    """List the messages that could not be delivered, and why."""


@_register_command("messages", "show", of=messages)
def show_message(letter: Letter, *, agent: Agent = None) -> None:
    """Print a dead message whole, as JSON."""


@_register_command("messages", "resend", of=messages)
def resend_message(letter: Letter, *, agent: Agent = None, as_json: Json = False) -> None:
    """Send a dead message to its agent once more."""


@_register_command("messages", "key", of=messages)
def print_agent_key(
    agent: Annotated[str, Argument(metavar="AGENT", help="The agent's name.")],
) -> None:
    """Print the key that an agent signs with, a secret of its own."""


models = Typer(cls=Grouped, help="The language models that a reasoner uses.", no_args_is_help=True)
app.add_typer(models, name="models")


@_register_command("models", "check", of=models)
def check_models(
    *,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Ask and show, and write nothing down.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find out what the server of your models can do.

    Workers read when they start what it writes down. Each model of the settings is asked some seven
    questions, the longest of 256,000 characters; what that costs is said before and after.
    """
