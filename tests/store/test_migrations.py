"""The migrations make exactly the schema that the queries are written against, on both engines."""

from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from pgvector.sqlalchemy import HALFVEC  # registers the type, so that its columns are compared too
from sqlalchemy import inspect

from souvenance.store import tables
from souvenance.store.database import SCHEMA_REVISION, Database
from souvenance.store.migrate import alembic_config


def _is_ours(_object: Any, name: str | None, kind: str, _reflected: bool, _compared: Any) -> bool:
    """The text index is made by statements of its own, and FTS5 keeps tables beside it."""
    return not (kind in {"table", "index"} and name is not None and "passage_words" in name)


def test_a_migrated_store_has_the_tables_columns_and_indexes_of_the_schema(store_url: str) -> None:
    database = Database(store_url).open()
    try:
        with database.read() as tx:
            options = {"compare_type": True, "include_object": _is_ours}
            context = MigrationContext.configure(tx.connection, opts=options)
            assert compare_metadata(context, tables.metadata) == []
            assert tx.table_exists("passage_words")
            if not tx.is_sqlite:
                columns = {
                    column["name"]: column["type"] for column in inspect(tx.connection).get_columns("passage_vector")
                }
                assert isinstance(columns["vector"], HALFVEC)
                assert isinstance(columns["with_previous"], HALFVEC)
    finally:
        database.close()


def test_the_program_knows_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == SCHEMA_REVISION


def test_every_engine_gets_the_statements_of_its_text_index() -> None:
    script = ScriptDirectory.from_config(alembic_config()).get_revision("0001").module
    assert list(tables.TEXT_INDEX_SQLITE) == script.WORDS_SQLITE
    assert [one for one in tables.TEXT_INDEX_POSTGRESQL if "EXTENSION" not in one] == script.WORDS_POSTGRESQL
