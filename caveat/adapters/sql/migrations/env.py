"""Alembic's entry: the migrations run on the connection that `schema.upgrade` gives."""

from alembic import context

from caveat.adapters.sql.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
