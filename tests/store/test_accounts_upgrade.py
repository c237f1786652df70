"""A memory from before there were accounts is its owner's alone afterwards too."""

from alembic import command
from sqlalchemy import text

from souvenance.domain.access import Source
from souvenance.settings import Settings
from souvenance.store import people
from souvenance.store.database import Database
from souvenance.store.migrate import alembic_config
from souvenance.wiring import open_application


def test_v1_the_first_team_of_an_older_memory_becomes_its_owners_own(store_url: str) -> None:
    before = Database(store_url)
    with before.write() as tx:
        config = alembic_config()
        config.attributes["connection"] = tx.connection
        command.upgrade(config, "0005")
        for statement in (
            "INSERT INTO user_account (handle, display_name, created_at) VALUES ('owner', 'Owner', 1)",
            "INSERT INTO user_account (handle, display_name, created_at) VALUES ('made-by-hand', 'Other', 1)",
            "INSERT INTO team (name, created_at) VALUES ('Owner', 1)",
            "INSERT INTO team (name, created_at) VALUES ('Shared', 1)",
            "INSERT INTO membership (team_id, user_id, can_configure) VALUES (1, 1, true)",
            "INSERT INTO membership (team_id, user_id, can_configure) VALUES (2, 1, true)",
            "INSERT INTO membership (team_id, user_id, can_configure) VALUES (2, 2, false)",
            "INSERT INTO vault (team_id, slug, name, kind, memory_type, settings, created_at, updated_at)"
            " VALUES (1, 'personal', 'Personal', 'personal', 'classic', '{}', 1, 1)",
        ):
            tx.execute(text(statement))
    before.close()
    app = open_application(Settings(database_url=store_url, embedder="none"))  # type: ignore[arg-type]
    try:
        owner = app.owner_through(Source.PANEL)
        assert [(team.name, team.is_own) for team in app.teams.list(actor=owner)] == [
            ("Owner", True),
            ("Shared", False),
        ]
        assert [vault.slug for vault in app.vaults.list(actor=owner)] == ["personal"]
        with app.database.read() as tx:
            assert people.own_team(tx, owner.user_id) == 1
    finally:
        app.close()
