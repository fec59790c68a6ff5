"""What can be typed. Each command loads its own module, so that `--help` loads none of them."""
# ruff: noqa: PLC0415

from typing import Annotated

import typer

from caveat.clients.cli import completing
from caveat.clients.cli.grouping import Grouped

app = typer.Typer(
    name="caveat",
    cls=Grouped,
    help="Durable research on Temporal: a topic in, a cited report out that says what is missing.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # Rich would break lines as they are broken here, and load for as long
)

Topic = Annotated[
    list[str], typer.Argument(metavar="TOPIC", help="The question; quotation marks keep its signs.")
]
_RUN = typer.Argument(
    metavar="RUN",
    help="An id, a unique beginning of one, or `latest`.",
    autocompletion=completing.runs,
)
Run = Annotated[str, _RUN]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, nothing else.")]
Corpus = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus", metavar="PATH", help="A folder of documents, or a document; may be repeated."
    ),
]
Depth = Annotated[
    str,
    typer.Option(
        metavar="LEVEL",
        help="How much to read: overview, deep or exhaustive.",
        autocompletion=completing.depths,
    ),
]
Team = Annotated[
    str, typer.Option(metavar="NAME", help="Who works on it.", autocompletion=completing.teams)
]
FORMATS_HELP = "What to write, with commas: md, pdf, json, html, docx, brief.md, bib or csl.json."
Formats = Annotated[str, typer.Option("--format", metavar="md,pdf,...", help=FORMATS_HELP)]
Brief = Annotated[
    bool, typer.Option("--brief", help="Write one page as well: the answer, and what is missing.")
]
Out = Annotated[
    str | None,
    typer.Option("--out", metavar="DIR", help="Where to write it.", show_default="reports/RUN"),
]

Provisional = Annotated[
    bool,
    typer.Option("--provisional", help="Return with the provisional report while people think."),
]

Wait = Annotated[
    bool,
    typer.Option("--wait", help="Wait for people's rulings also without a terminal."),
]

MaxSources = Annotated[
    int | None, typer.Option(min=1, max=1_000, metavar="N", help="Read at most so many sources.")
]
MaxCost = Annotated[
    float | None, typer.Option(metavar="USD", help="Spend at most so much on language models.")
]
MaxCalls = Annotated[
    int | None, typer.Option(metavar="N", help="Make at most so many calls to language models.")
]
MaxTokens = Annotated[
    int | None, typer.Option(metavar="N", help="Send and receive at most so many tokens.")
]
MaxMinutes = Annotated[
    float | None,
    typer.Option(metavar="N", help="Take at most so long, without the time people think."),
]
ArbitrationTimeout = Annotated[
    str, typer.Option(metavar="6h", help="How long a person may take over a contradiction.")
]
Priority = Annotated[
    str,
    typer.Option(
        metavar="LEVEL",
        help="Whose tasks workers take first: critical, high, normal or low.",
        autocompletion=completing.priorities,
    ),
]

ALL_FORMATS = "md,pdf,json"


@app.callback(invoke_without_command=True)
def caveat(
    *,
    version: Annotated[
        bool, typer.Option("--version", "-v", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    """Durable research on Temporal: a topic in, a cited report out that says what is missing."""
    if version:
        from importlib.metadata import version as version_of

        typer.echo(f"caveat {version_of('caveat')}")
        raise typer.Exit


@app.command()
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
        bool, typer.Option("--estimate", help="Say what it is expected to cost, start nothing.")
    ] = False,
    critical: Annotated[
        list[str] | None,
        typer.Option(metavar="TITLE", help="An angle that must not be missing; may be repeated."),
    ] = None,
    deadline: Annotated[
        str | None,
        typer.Option(metavar="10m", help="Leave stragglers behind then, if enough is found."),
    ] = None,
    arbitration_timeout: ArbitrationTimeout = "6h",
    approve_plan: Annotated[
        bool, typer.Option("--approve-plan", help="Have a person approve the plan first.")
    ] = False,
    approval_timeout: Annotated[
        str,
        typer.Option(metavar="24h", help="How long the plan waits; then the run ends by name."),
    ] = "24h",
    language: Annotated[
        str | None,
        typer.Option(metavar="de", help="Language of the prose, if not the question's."),
    ] = None,
    brief: Brief = False,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="Let model calls wait for batches: half the price, up to a day a step.",
        ),
    ] = False,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Leave with 0 also where a report does not answer the topic."
        ),
    ] = False,
    provisional: Provisional = False,
    wait: Wait = False,
    as_json: Json = False,
) -> int:
    """Research a topic and write a cited report.

    Without a server of your own (TEMPORAL_ADDRESS or a Temporal profile) Caveat starts an embedded
    one, and a worker in this process. Where sources contradict each other and no rule settles it,
    Caveat asks you. Others can answer with `caveat rule`. Without a terminal the command returns
    with the provisional report, unless you give --wait. Ctrl-C leaves the run on the server.

    Caveat makes a run that is likely to exceed --max-cost smaller before it starts: a lesser depth,
    then fewer sources. It keeps the part of every bound that the report needs. So a run that
    reaches a bound still reports, and says what it left out.
    """
    from caveat.clients.cli.patience import patience_of
    from caveat.clients.cli.research import research, research_estimate
    from caveat.clients.requests import Options
    from caveat.clients.typed import joined

    options = Options(
        topic=joined(topic),
        corpus=tuple(corpus or ()),
        depth=depth,
        team=team,
        formats=f"{formats},brief.md" if brief else formats,
        max_sources=max_sources,
        critical=tuple(critical or ()),
        deadline=deadline,
        arbitration_timeout=arbitration_timeout,
        approve_plan=approve_plan,
        language=language,
        approval_timeout=approval_timeout,
        max_cost=max_cost,
        max_calls=max_calls,
        max_tokens=max_tokens,
        max_minutes=max_minutes,
        priority=priority,
        batch=batch,
    )
    if estimate:
        return research_estimate(options, as_json=as_json)
    patience = patience_of(provisional=provisional, wait=wait)
    return research(options, out=out, patience=patience, as_json=as_json, partial=partial)


@app.command()
def up(*, corpus: Corpus = None) -> int:
    """Run the embedded server, a worker and the page until Ctrl-C.

    The folders given with --corpus are searched by runs that name none.
    """
    from caveat.clients.cli.serving import up

    return up(tuple(corpus or ()))


@app.command()
def worker() -> int:
    """Serve runs on a Temporal server of your own until Ctrl-C."""
    from caveat.clients.cli.serving import worker

    return worker()


@app.command()
def web() -> int:
    """Serve the page for people without a terminal until Ctrl-C.

    It shows the runs of the server that the environment names, else of the embedded one; workers
    are not its own.
    """
    from caveat.clients.cli.serving import web

    return web()


@app.command()
def runs(
    *,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="List at most so many.")] = 20,
    as_json: Json = False,
) -> int:
    """List runs: those that go on, then the newest first."""
    from caveat.clients.cli.runs import runs

    return runs(limit, as_json=as_json)


@app.command()
def status(run: Run, *, as_json: Json = False) -> int:
    """Show where a run is."""
    from caveat.clients.cli.runs import status

    return status(run, as_json=as_json)


@app.command()
def report(
    run: Run,
    *,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="md,pdf,...",
            help=FORMATS_HELP,
            show_default="md",
        ),
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="The answer on one page.")] = False,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Write files there; `-` prints one format.",
            show_default="reports/RUN",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Read the report of a run, or write it as files.

    Without --out and --format it prints Markdown; with --out alone it writes md, pdf and json.
    While a run waits for people, the report is the provisional one. With --json the report itself
    goes to standard output.
    """
    from caveat.clients.cli.runs import report

    wanted = ",".join(filter(None, (formats, "brief.md" if brief else None))) or None
    return report(run, formats=wanted, out=out, as_json=as_json)


@app.command()
def resume(
    run: Run,
    *,
    out: Out = None,
    provisional: Provisional = False,
    wait: Wait = False,
    as_json: Json = False,
) -> int:
    """Follow a run again that was left, to its report.

    It asks what the run asks. Without a terminal it returns with the provisional report while
    people think, unless you give --wait.
    """
    from caveat.clients.cli.going_on import resume
    from caveat.clients.cli.patience import patience_of

    patience = patience_of(provisional=provisional, wait=wait)
    return resume(run, out=out, patience=patience, as_json=as_json)


@app.command()
def approve(  # noqa: PLR0913  # each is an option
    run: Run,
    *,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Leave an angle out, such as a2.")
    ] = None,
    edit: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=TEXT", help="Ask something else in the place of an angle."),
    ] = None,
    add: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Ask one thing more.")
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Answer the planner's questions, in their order."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who decides.", show_default="your user name"),
    ] = None,
    as_json: Json = False,
) -> int:
    """Approve the plan of a run that waits for that.

    Every option but --by, --answer and --json may change the plan, and be repeated. Nothing is
    looked for or paid for before.
    """
    from caveat.clients.cli.approving import approve
    from caveat.clients.typed import approval_of, person

    decision = approval_of(drop or (), edit or (), add or (), answer or (), by or person())
    return approve(run, decision, as_json=as_json)


@app.command()
def tell(
    run: Run,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look at as well.")],
    *,
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who says so.", show_default="your user name")
    ] = None,
    as_json: Json = False,
) -> int:
    """Tell a run what it should look at as well.

    That is possible while it looks for evidence. The angle whose turn comes next searches for it,
    all of them mind it in what they read from then on, and the report says that it was said.
    """
    from caveat.clients.cli.steering import tell

    return tell(run, text, by=by, as_json=as_json)


@app.command()
def cancel(run: Run, *, as_json: Json = False) -> int:
    """Stop a run at once, keep what it found, and say where that is."""
    from caveat.clients.cli.steering import cancel

    return cancel(run, as_json=as_json)


@app.command()
def heal(run: Run, *, as_json: Json = False) -> int:
    """Let a run go on that stands still after a change of version."""
    from caveat.clients.cli.steering import heal

    return heal(run, as_json=as_json)


@app.command()
def plugins(*, as_json: Json = False) -> int:
    """List what other packages offer, and what chooses it."""
    from caveat.clients.cli.plugins import plugins

    return plugins(as_json=as_json)


@app.command()
def inbox(*, as_json: Json = False) -> int:
    """List the contradictions that wait for a person, of all runs."""
    from caveat.clients.cli.runs import inbox

    return inbox(as_json=as_json)


@app.command()
def rule(  # noqa: PLR0913  # each is an option
    arbitration: Annotated[
        str,
        typer.Argument(
            metavar="ARBITRATION",
            help="As `caveat inbox` lists it, or a run with just one.",
            autocompletion=completing.arbitrations,
        ),
    ],
    ruling: Annotated[
        str | None,
        typer.Argument(
            metavar="a|b|both|neither",
            help="Which value holds; of more than two a letter, several (a,c), all or none.",
            autocompletion=completing.choices,
            show_default=False,
        ),
    ] = None,
    *,
    because: Annotated[str, typer.Option(metavar="TEXT", help="Why.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Change what a person ruled before.")
    ] = False,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Take back what a person ruled, and choose nothing.")
    ] = False,
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who rules.", show_default="your user name")
    ] = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Rule on a contradiction.

    After its deadline a ruling revises the report. So does one that changes or withdraws an earlier
    ruling, which stays on record. The last ruling that a run waits for is followed to its final
    report.
    """
    from caveat.clients.cli.going_on import rule
    from caveat.clients.typed import answer_of, person

    given = answer_of(ruling, because, by or person(), withdraws=withdraw)
    return rule(arbitration, given, replaces=replace or withdraw, out=out, as_json=as_json)


@app.command()
def failures(run: Run, *, as_json: Json = False) -> int:
    """List everything that failed in a run, and why."""
    from caveat.clients.cli.runs import failures

    return failures(run, as_json=as_json)


@app.command()
def ask(
    run: Run,
    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="What you ask on.")],
    *,
    search: Annotated[
        bool, typer.Option("--search", help="Search for new sources as well.")
    ] = False,
    out: Out = None,
    wait: Wait = False,
    as_json: Json = False,
) -> int:
    """Ask one more question of what a run has kept.

    It is answered from the texts that the run has read, by the same checks as a report, and stands
    under that report on the page.
    """
    from caveat.clients.cli.going_on import ask
    from caveat.clients.cli.patience import patience_of
    from caveat.clients.typed import joined

    patience = patience_of(provisional=False, wait=wait)
    return ask(run, joined(question), searches=search, out=out, patience=patience, as_json=as_json)


@app.command(name="follow-up")
def follow_up(
    run: Run,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Try also what is not likely to work now.")
    ] = False,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="md,pdf,...", help="What to write.", show_default="as before"
        ),
    ] = None,
    out: Out = None,
    wait: Wait = False,
    as_json: Json = False,
) -> int:
    """Retry what failed in a run, and revise its report.

    A new question is `caveat ask`. Caveat tries again what may work now, and reuses everything
    else. Time may have cured a failure, or you have settled something with a provider (a key, a
    bill, a limit). Caveat asks such a provider with one task first. Without --all it leaves out
    what was not there or can never work.
    """
    from caveat.clients.cli.going_on import follow_up
    from caveat.clients.cli.patience import patience_of

    patience = patience_of(provisional=False, wait=wait)
    return follow_up(
        run, everything=everything, formats=formats, out=out, patience=patience, as_json=as_json
    )


@app.command()
def audit(
    report: Annotated[
        str,
        typer.Argument(
            metavar="REPORT.json|.md|.html|.pdf|RUN",
            help="A report's JSON file, what was made of it, or a run.",
            autocompletion=completing.runs,
        ),
    ],
    *,
    snapshots: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Where the texts of the sources are kept.", show_default="our own"
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The documents, where their texts are not kept here."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Check each quote, citation, number and ledger of a report."""
    from caveat.clients.cli.audit import audit

    return audit(report, snapshots=snapshots, corpus=corpus, as_json=as_json)


@app.command()
def schedule(  # noqa: PLR0913  # each is an option
    topic: Topic,
    *,
    every: Annotated[str, typer.Option(metavar="1d", help="How often: from 1m to 30d.")],
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
) -> int:
    """Research a topic at intervals, and say what changed.

    The first run starts at once. Every bound (--max-cost and the like) is of each run by itself.

    People are told (docs/notifications.md) when something did. Runs are started while the server
    is there: with the embedded one, while `caveat up` runs.
    """
    from caveat.clients.cli.schedule import schedule
    from caveat.clients.requests import Options
    from caveat.clients.typed import joined

    options = Options(
        topic=joined(topic),
        corpus=tuple(corpus or ()),
        depth=depth,
        team=team,
        formats=formats,
        max_sources=max_sources,
        max_cost=max_cost,
        max_calls=max_calls,
        max_tokens=max_tokens,
        max_minutes=max_minutes,
        priority=priority,
        arbitration_timeout=arbitration_timeout,
    )
    return schedule(options, every, as_json=as_json)


@app.command()
def schedules(*, as_json: Json = False) -> int:
    """List what is scheduled, with the latest run of each."""
    from caveat.clients.cli.schedule import schedules

    return schedules(as_json=as_json)


@app.command()
def unschedule(
    schedule: Annotated[
        str, typer.Argument(metavar="SCHEDULE", help="As `caveat schedules` lists it.")
    ],
    *,
    as_json: Json = False,
) -> int:
    """Start no more runs of a schedule; what it found stays."""
    from caveat.clients.cli.schedule import unschedule

    return unschedule(schedule, as_json=as_json)


@app.command()
def prune(
    *,
    days: Annotated[
        int, typer.Option(metavar="N", help="Keep what is younger than so many days.")
    ] = 30,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go, and remove nothing.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Remove old reports and what no run needs.

    Reports go with their evidence; texts, payloads and answers go as well. What a run needs that
    goes on, or that a younger run or its follow-up needs, stays. Rulings and what memory keeps of
    runs stay, too.
    """
    from caveat.clients.cli.prune import pruned

    return pruned(days, dry=dry_run, as_json=as_json)


@app.command()
def mcp(*, corpus: Corpus = None) -> int:
    """Serve an assistant that speaks MCP.

    It speaks over standard input and output. The folders given with --corpus are those that the
    assistant may have searched.
    """
    from caveat.clients.cli.serving import mcp

    return mcp(tuple(corpus or ()))


@app.command()
def completion(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="bash|zsh|fish", help="Your shell.", autocompletion=completing.shells
        ),
    ],
) -> int:
    """Print what your shell must read to complete commands.

    For bash: `source <(caveat completion bash)` in ~/.bashrc; for zsh the same with zsh, behind
    `compinit`; for fish: `caveat completion fish > ~/.config/fish/completions/caveat.fish`.
    """
    return completing.completion(shell, app)


messages = typer.Typer(
    cls=Grouped, help="Messages to and from agents that live elsewhere.", no_args_is_help=True
)
app.add_typer(messages, name="messages")

Agent = Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Of this agent alone.")]
Letter = Annotated[str, typer.Argument(metavar="ID", help="As `messages dead` lists it.")]


@messages.command(name="dead")
def messages_dead(*, agent: Agent = None, as_json: Json = False) -> int:
    """List the messages that could not be delivered, and why."""
    from caveat.clients.cli.messages import dead

    return dead(agent, as_json=as_json)


@messages.command(name="show")
def messages_show(letter: Letter, *, agent: Agent = None) -> int:
    """Print a dead message whole, as JSON."""
    from caveat.clients.cli.messages import show

    return show(letter, agent)


@messages.command(name="resend")
def messages_resend(letter: Letter, *, agent: Agent = None, as_json: Json = False) -> int:
    """Send a dead message to its agent once more."""
    from caveat.clients.cli.messages import resend

    return resend(letter, agent, as_json=as_json)


@messages.command(name="key")
def messages_key(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's name.")],
) -> int:
    """Print the key that an agent signs with, a secret of its own."""
    from caveat.clients.cli.messages import key

    return key(agent)


keys = typer.Typer(
    cls=Grouped,
    help="The keys that everything on the server is encrypted with.",
    no_args_is_help=True,
)
app.add_typer(keys, name="keys")


@keys.command(name="new")
def keys_new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write it.")],
) -> int:
    """Make a file of keys for CAVEAT_KEYS_FILE.

    Without it you cannot read what it encrypted.
    """
    from caveat.clients.cli.keys import new

    return new(file)


@keys.command(name="list")
def keys_list(*, as_json: Json = False) -> int:
    """List the keys of CAVEAT_KEYS_FILE, and which encrypts."""
    from caveat.clients.cli.keys import listed

    return listed(as_json=as_json)


@keys.command(name="rotate")
def keys_rotate(
    *,
    staged: Annotated[
        bool, typer.Option("--staged", help="Let it decrypt only, until `keys use` names it.")
    ] = False,
) -> int:
    """Add a key that encrypts from now on; the others decrypt."""
    from caveat.clients.cli.keys import rotate

    return rotate(is_staged=staged)


@keys.command(name="use")
def keys_use(
    key: Annotated[str, typer.Argument(metavar="ID", help="As `keys list` shows it.")],
) -> int:
    """Encrypt with a key that the file holds already.

    Every machine that needs to decrypt must have it by then.
    """
    from caveat.clients.cli.keys import use

    return use(key)


models = typer.Typer(
    cls=Grouped, help="The language models that a reasoner uses.", no_args_is_help=True
)
app.add_typer(models, name="models")


@models.command(name="check")
def models_check(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask and show, and write nothing down.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Find out what the server of your models can do.

    Workers read when they start what it writes down. Each model of the settings is asked some seven
    questions, the longest of 256,000 characters; what that costs is said before and after.
    """
    from caveat.clients.cli.models import check

    return check(is_dry=dry_run, as_json=as_json)
