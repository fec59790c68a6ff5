"""Whether a ruling carried this user's signature; of older ones nobody knows."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("rulings", sa.Column("signed", sa.Boolean))
