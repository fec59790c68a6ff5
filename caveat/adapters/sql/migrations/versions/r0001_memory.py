"""Runs, their failures, and people's rulings.

The tables are spelled out, not imported: a migration stays as it was when the tables change.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
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
        sa.Column("model_calls", sa.BigInteger, nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("usage_by_step", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_table(
        "failures",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("position", sa.Integer, autoincrement=False, nullable=False),
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
        sa.Column("provider", sa.Text),
        sa.Column("completeness", sa.Double, nullable=False),
        sa.Column("remedy", sa.String),
        sa.Column("recovered", sa.Boolean, nullable=False),
        sa.Column("failed_at", sa.DateTime(timezone=True)),
        sa.Column("left_out", sa.String),
        sa.PrimaryKeyConstraint("run_id", "position", name="pk_failures"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_failures_run_id"),
        sa.UniqueConstraint("run_id", "task_id", name="uq_failures_run_id_task_id"),
    )
    op.create_table(
        "rulings",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("contradiction_id", sa.String, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("choice", sa.String),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("decided", sa.DateTime(timezone=True), nullable=False),
        sa.Column("signed", sa.Boolean),
        sa.PrimaryKeyConstraint("run_id", "contradiction_id", "number", name="pk_rulings"),
    )
    op.create_table(
        "ruled_claimants",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("contradiction_id", sa.String, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("address", sa.Text),
        sa.Column("said", sa.String, nullable=False),
        sa.PrimaryKeyConstraint(
            "run_id", "contradiction_id", "number", "position", name="pk_ruled_claimants"
        ),
        sa.ForeignKeyConstraint(
            ["run_id", "contradiction_id", "number"],
            ["rulings.run_id", "rulings.contradiction_id", "rulings.number"],
            name="fk_ruled_claimants_run_id",
        ),
    )
    op.create_index("ix_ruled_claimants_source", "ruled_claimants", ["source"])
