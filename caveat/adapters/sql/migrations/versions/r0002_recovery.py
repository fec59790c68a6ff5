"""What was done about failures, and whose service failed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns; failures that are there already were not recovered."""
    op.add_column("failures", sa.Column("provider", sa.Text))
    op.add_column(
        "failures", sa.Column("completeness", sa.Double, nullable=False, server_default="0")
    )
    op.add_column("failures", sa.Column("remedy", sa.String))
    op.add_column(
        "failures", sa.Column("recovered", sa.Boolean, nullable=False, server_default=sa.false())
    )
