"""Runs and their failures.

The tables are spelled out, not imported: a migration stays as it was when the tables change.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("ending", sa.String),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confidence", sa.Double),
        sa.Column("sources_read", sa.Integer, nullable=False),
        sa.Column("claims", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_table(
        "failures",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("task_id", sa.String, nullable=False),
        sa.Column("agent_type", sa.String, nullable=False),
        sa.Column("task_description", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("category", sa.String, nullable=False),
        sa.Column("failure_type", sa.String, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("attempted", sa.JSON, nullable=False),
        sa.Column("retry_recommended", sa.Boolean, nullable=False),
        sa.Column("retry_after_s", sa.Double),
        sa.Column("alternatives", sa.JSON, nullable=False),
        sa.Column("resource", sa.Text),
        sa.PrimaryKeyConstraint("run_id", "position", name="pk_failures"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_failures_run_id"),
        sa.UniqueConstraint("run_id", "task_id", name="uq_failures_run_id_task_id"),
    )
