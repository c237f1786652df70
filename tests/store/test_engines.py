"""What the program takes for granted of its two engines, before any schema."""

import sqlite3

import pytest
import sqlalchemy as sa


def test_each_test_gets_a_fresh_database_that_keeps_what_is_written(store_url: str) -> None:
    engine = sa.create_engine(store_url)
    assert sa.inspect(engine).get_table_names() == []
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE kept (content TEXT)"))
        connection.execute(sa.text("INSERT INTO kept VALUES (:content)"), {"content": "L’été, 止损"})
    engine.dispose()
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT content FROM kept")).scalar_one() == "L’été, 止损"
    engine.dispose()


def test_postgresql_can_install_pgvector_and_measures_with_it(postgresql_url: str) -> None:
    engine = sa.create_engine(postgresql_url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE EXTENSION vector"))
        distance = connection.execute(sa.text("SELECT '[1,0]'::vector <=> '[0,1]'::vector")).scalar_one()
    engine.dispose()
    assert distance == pytest.approx(1.0)


def test_sqlite_has_full_text_search_and_is_new_enough_for_returning(sqlite_url: str) -> None:
    engine = sa.create_engine(sqlite_url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE VIRTUAL TABLE words USING fts5(terms)"))
        connection.execute(sa.text("INSERT INTO words VALUES ('anniversair samed')"))
        found = connection.execute(sa.text("SELECT count(*) FROM words WHERE words MATCH 'anniversair'")).scalar_one()
    engine.dispose()
    assert found == 1
    assert sqlite3.sqlite_version_info >= (3, 35)
