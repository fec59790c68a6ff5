"""Rulings on any number of values: who stated each has a row of its own."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_KEPT_BEFORE = """
INSERT INTO ruled_claimants (run_id, contradiction_id, position, source, address)
SELECT run_id, contradiction_id, {position}, source_{letter}, address_{letter} FROM rulings
"""


def upgrade() -> None:
    """Create the table, move the two claimants of each ruling into it, and drop their columns."""
    op.create_table(
        "ruled_claimants",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("contradiction_id", sa.String, nullable=False),
        sa.Column("position", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("address", sa.Text),
        sa.PrimaryKeyConstraint(
            "run_id", "contradiction_id", "position", name="pk_ruled_claimants"
        ),
        sa.ForeignKeyConstraint(
            ["run_id", "contradiction_id"],
            ["rulings.run_id", "rulings.contradiction_id"],
            name="fk_ruled_claimants_run_id",
        ),
    )
    op.create_index("ix_ruled_claimants_source", "ruled_claimants", ["source"])
    for position, letter in enumerate("ab"):
        op.execute(sa.text(_KEPT_BEFORE.format(position=position, letter=letter)))
        op.drop_column("rulings", f"source_{letter}")
        op.drop_column("rulings", f"address_{letter}")
