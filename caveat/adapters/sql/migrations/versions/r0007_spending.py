"""What runs took; of older ones nobody knows, and nothing is said."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns."""
    for name in ("model_calls", "tokens"):
        op.add_column("runs", sa.Column(name, sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("cost_usd", sa.Double))
    op.add_column("runs", sa.Column("usage_by_step", sa.JSON, nullable=False, server_default="[]"))
