"""The list of commands as people look for them."""

from typing import Any

from typer.core import TyperGroup

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
