"""Which words a ruling was on; of older ones nobody knows, and they are not known again."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column."""
    said = sa.Column("said", sa.String, nullable=False, server_default="")
    op.add_column("ruled_claimants", said)
