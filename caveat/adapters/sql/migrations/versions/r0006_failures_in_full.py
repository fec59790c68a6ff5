"""When a task failed, and the bound for which it was not started; of older ones nobody knows."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("failures", sa.Column("failed_at", sa.DateTime(timezone=True)))
    op.add_column("failures", sa.Column("left_out", sa.String))
