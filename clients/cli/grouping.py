"""The list of commands as people look for them, and the examples in the help of each."""

from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "Research": (
        "research",
        "resume",
        "ask",
        "follow-up",
        "cancel",
        "schedule",
        "schedules",
        "unschedule",
    ),
    "Read": ("runs", "status", "report", "failures", "audit"),
    "Decide": ("inbox", "rule", "approve"),
}
_OTHERS = "Operate"

EXAMPLES = {
    "research": (
        "caveat research How large is the Hubble constant --corpus papers",
        'caveat research "Which tariff is cheapest?" --corpus offer.pdf --corpus notes',
        'caveat research "What changed in 2026?" --max-cost 2 --provisional',
    ),
    "resume": ("caveat resume latest",),
    "ask": ('caveat ask latest "And why do the two methods differ?"',),
    "follow-up": ("caveat follow-up latest",),
    "cancel": ("caveat cancel latest",),
    "schedule": ('caveat schedule "What is new on DESI?" --every 1d --corpus papers',),
    "schedules": ("caveat schedules",),
    "unschedule": ("caveat unschedule schedule-what-is-new-on-desi-3fa9c1",),
    "runs": ("caveat runs --limit 5",),
    "status": ("caveat status latest",),
    "report": (
        "caveat report latest",
        "caveat report latest --format pdf --out reports",
        "caveat report latest --format json --out -",
    ),
    "failures": ("caveat failures latest",),
    "audit": ("caveat audit latest", "caveat audit report.json"),
    "inbox": ("caveat inbox",),
    "rule": ('caveat rule latest b --because "It is the newer measurement."',),
    "approve": (
        "caveat approve latest",
        'caveat approve latest --drop a3 --edit "a2=How wide is it?" --add "Who measured it?"',
    ),
    "up": ("caveat up --corpus papers",),
    "worker": ("TEMPORAL_ADDRESS=temporal.example:7233 caveat worker",),
    "web": ("caveat web",),
    "mcp": ("caveat mcp --corpus papers",),
    "prune": ("caveat prune --days 90 --dry-run",),
    "messages": ("caveat messages dead",),
    "messages dead": ("caveat messages dead --agent prices",),
    "messages show": ("caveat messages show 3fa9c1",),
    "messages resend": ("caveat messages resend 3fa9c1",),
    "messages key": ("caveat messages key prices",),
    "models": ("caveat models check",),
    "models check": ("caveat models check --dry-run",),
}
"""By the command as it is typed, without `caveat`."""


class Grouped(TyperGroup):
    """Lists commands under what people want to do, and adds examples to the help of each."""

    @property
    def _is_whole(self) -> bool:
        return self.name == "caveat"

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command, its examples included."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            path = cmd_name if self._is_whole else f"{self.name} {cmd_name}"
            found.epilog = "\n".join(("\b", "Examples:", *(f"  {x}" for x in EXAMPLES[path])))
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, those of a group under its heading."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        if not self._is_whole:
            _write(formatter, "Commands", found)
            return
        grouped = {name for names in GROUPS.values() for name in names}
        for heading, names in GROUPS.items():
            _write(formatter, heading, {each: found[each] for each in names if each in found})
        others = {name: command for name, command in found.items() if name not in grouped}
        _write(formatter, _OTHERS, others)


def _write(formatter: Any, heading: str, commands: dict[str, Any]) -> None:
    room = formatter.width - 6 - max(map(len, commands))
    rows = [(name, each.get_short_help_str(room)) for name, each in commands.items()]
    with formatter.section(heading):
        formatter.write_dl(rows)
