"""Alembic's entry: runs on the connection it is handed, inside the caller's transaction."""

from alembic import context

from souvenance.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
