"""People's rulings on contradictions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table; a ruling may come before its run is remembered, so it refers to none."""
    op.create_table(
        "rulings",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("contradiction_id", sa.String, nullable=False),
        sa.Column("source_a", sa.String, nullable=False),
        sa.Column("address_a", sa.Text),
        sa.Column("source_b", sa.String, nullable=False),
        sa.Column("address_b", sa.Text),
        sa.Column("choice", sa.String, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("decided", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "contradiction_id", name="pk_rulings"),
    )
