"""The list of commands as people look for them, and the examples in the help of each."""

from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "Research": ("research", "ask", "follow-up", "schedule", "demo"),
    "Decide": ("inbox", "rule"),
    "Runs": ("runs", "status", "report", "open", "audit", "resume", "cancel", "delete"),
    "Serve": ("up", "worker", "mcp", "models", "admin"),
}

EXAMPLES = {
    "research": (
        "caveat research How large is the Hubble constant --corpus papers",
        'caveat research "Which tariff is cheapest?" --corpus offer.pdf --corpus notes',
        'caveat research "What changed in 2026?" --max-cost 2 --provisional',
        "caveat research --request request.json --detach",
    ),
    "demo": ("caveat demo",),
    "ask": ('caveat ask latest "And why do the two methods differ?"',),
    "follow-up": ("caveat follow-up latest",),
    "schedule": ("caveat schedule list",),
    "schedule add": ('caveat schedule add "What is new on DESI?" --every 1d --corpus papers',),
    "schedule list": ("caveat schedule list",),
    "schedule remove": ("caveat schedule remove schedule-what-is-new-on-desi-3fa9c1",),
    "inbox": ("caveat inbox",),
    "rule": ('caveat rule latest b --because "It is the newer measurement."',),
    "runs": ("caveat runs --limit 5",),
    "status": ("caveat status latest",),
    "report": (
        "caveat report latest",
        "caveat report latest --format pdf --out reports",
        "caveat report latest --format json --out -",
    ),
    "open": ("caveat open latest",),
    "audit": ("caveat audit latest", "caveat audit report.json"),
    "resume": (
        "caveat resume latest",
        'caveat resume latest --approve --drop a3 --edit "a2=How wide is it?"',
    ),
    "cancel": ("caveat cancel latest",),
    "delete": ("caveat delete research-how-large-is-it-3fa9c1",),
    "up": ("caveat up --corpus papers", "caveat up --page-only"),
    "worker": ("TEMPORAL_ADDRESS=temporal.example:7233 caveat worker",),
    "mcp": ("caveat mcp --corpus papers",),
    "models": ("caveat models check",),
    "models check": ("caveat models check --dry-run",),
    "admin": ("caveat admin prune --days 90 --dry-run",),
    "admin prune": ("caveat admin prune --days 90 --dry-run",),
    "admin dead-letters": ("caveat admin dead-letters --agent prices",),
    "admin dead-letter": ("caveat admin dead-letter 3fa9c1",),
    "admin resend": ("caveat admin resend 3fa9c1",),
    "admin agent-key": ("caveat admin agent-key prices",),
}
"""By the command as it is typed, without `caveat`."""


class Grouped(TyperGroup):
    """Lists commands under what people want to do, and adds examples to the help of each."""

    @property
    def _is_whole(self) -> bool:
        return self.name == "caveat"

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            path = cmd_name if self._is_whole else f"{self.name} {cmd_name}"
            command.epilog = "\n".join(("\b", "Examples:", *(f"  {x}" for x in EXAMPLES[path])))
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, those of a group under its heading."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        groups = GROUPS if self._is_whole else {"Commands": tuple(commands)}
        for heading, names in groups.items():
            _write(formatter, heading, {name: commands[name] for name in names})


def _write(formatter: Any, heading: str, commands: dict[str, Any]) -> None:
    room = formatter.width - 6 - max(map(len, commands))
    rows = [(name, each.get_short_help_str(room)) for name, each in commands.items()]
    with formatter.section(heading):
        formatter.write_dl(rows)
