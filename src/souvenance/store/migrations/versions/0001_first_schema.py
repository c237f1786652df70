"""The first schema: people, vaults, knowledge, its derived indexes, history, audit."""

import sqlalchemy as sa
from alembic import op

from souvenance.store.columns import Instant, Json, Number, Vector

revision = "0001"
down_revision = None

WORDS_SQLITE = [
    "CREATE VIRTUAL TABLE passage_words USING fts5(words, content='', columnsize=0, detail=none, tokenize=\"ascii tokenchars '_'\")",
    "CREATE VIRTUAL TABLE passage_words_vocabulary USING fts5vocab(passage_words, row)",
]

WORDS_POSTGRESQL = [
    "CREATE TABLE passage_words (vault_id BIGINT NOT NULL, passage_id BIGINT NOT NULL, words tsvector NOT NULL, CONSTRAINT pk_passage_words PRIMARY KEY (vault_id, passage_id), CONSTRAINT fk_passage_words_passage FOREIGN KEY (vault_id, passage_id) REFERENCES passage (vault_id, id) ON DELETE CASCADE)",
    "CREATE INDEX ix_passage_words ON passage_words USING gin (words)",
    "CREATE SEQUENCE fact_number",
    "CREATE SEQUENCE passage_id",
]


def upgrade() -> None:
    """Create everything."""
    dialect = op.get_context().dialect.name
    if dialect == "postgresql":
        op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.create_table(
        "audit",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("token_id", Number, nullable=True),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("vault_id", Number, nullable=True),
        sa.Column("details", Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_at", "audit", ["at"], unique=False)
    op.create_index("ix_audit_vault", "audit", ["vault_id", "at"], unique=False)
    op.create_table(
        "change",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("token_id", Number, nullable=True),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_change_token", "change", ["token_id", "at"], unique=False)
    op.create_index("ix_change_user", "change", ["user_id", "at"], unique=False)
    op.create_table(
        "change_mark",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("seq", Number, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_change_mark")),
    )
    op.create_index("ix_change_mark_seq", "change_mark", ["seq"], unique=False)
    op.create_table(
        "claim",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("until", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_claim")),
    )
    op.create_table(
        "counter",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", Number, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counter")),
    )
    op.create_table(
        "embedding_model",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("background", sa.LargeBinary(), nullable=True),
        sa.Column("background_hash", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_embedding_model")),
        sa.UniqueConstraint("name", "dimension", name=op.f("uq_embedding_model_name_dimension")),
    )
    op.create_table(
        "team",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
    )
    op.create_table(
        "user_account",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), server_default="", nullable=False),
        sa.Column("time_zone", sa.Text(), server_default="UTC", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_account")),
        sa.UniqueConstraint("handle", name=op.f("uq_user_account_handle")),
    )
    op.create_table(
        "vector_change",
        sa.Column("seq", Number, autoincrement=True, nullable=False),
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("passage_id", Number, nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_vector_change")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_vector_change_vault", "vector_change", ["vault_id", "seq"], unique=False)
    op.create_table(
        "context_setting",
        sa.Column("user_id", Number, nullable=False),
        sa.Column("budget_tokens", sa.Integer(), nullable=False),
        sa.Column("order", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_context_setting_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_context_setting")),
    )
    op.create_table(
        "membership",
        sa.Column("team_id", Number, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("can_configure", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_membership_team_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_membership_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "user_id", name=op.f("pk_membership")),
    )
    op.create_index(op.f("ix_membership_user_id"), "membership", ["user_id"], unique=False)
    op.create_table(
        "retrieval",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("token_id", Number, nullable=True),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("scope", Json, nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.Column("best_score", sa.Float(), nullable=True),
        sa.Column("confidence", sa.Text(), nullable=False),
        sa.Column("top", Json, nullable=False),
        sa.Column("matcher", sa.Text(), nullable=False),
        sa.Column("milliseconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_retrieval_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retrieval")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_retrieval_user", "retrieval", ["user_id", "at"], unique=False)
    op.create_table(
        "scope_setting",
        sa.Column("user_id", Number, nullable=False),
        sa.Column("auto", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("previous", Json, nullable=True),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_scope_setting_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_scope_setting")),
    )
    op.create_table(
        "token",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("can_write", sa.Boolean(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("app", sa.Text(), nullable=True),
        sa.Column("every_vault", sa.Boolean(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("last_used_at", Instant(), nullable=True),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_token_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("hash", name=op.f("uq_token_hash")),
    )
    op.create_table(
        "vault",
        sa.Column("id", Number, autoincrement=True, nullable=False),
        sa.Column("team_id", Number, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("colour", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("protection", sa.Text(), server_default="normal", nullable=False),
        sa.Column("memory_type", sa.Text(), nullable=False),
        sa.Column("app", sa.Text(), nullable=True),
        sa.Column("settings", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_vault_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vault")),
        sa.UniqueConstraint("team_id", "slug", name=op.f("uq_vault_team_id_slug")),
    )
    op.create_table(
        "attention",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("weight", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_attention_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_attention_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "user_id", name=op.f("pk_attention")),
    )
    op.create_table(
        "context_item",
        sa.Column("user_id", Number, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("note_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_context_item_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_context_item_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "place", "vault_id", "note_id", name=op.f("pk_context_item")),
    )
    op.create_table(
        "link",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("source_kind", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("target_key", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("target_note_id", sa.Text(), nullable=True),
        sa.Column("source_note_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_link_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "source_kind", "source_id", "target_key", name=op.f("pk_link")),
    )
    op.create_index("ix_link_source", "link", ["vault_id", "source_note_id"], unique=False)
    op.create_index("ix_link_target", "link", ["vault_id", "target_note_id"], unique=False)
    op.create_index("ix_link_unresolved", "link", ["vault_id", "target_key"], unique=False)
    op.create_table(
        "note",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("class", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), server_default="", nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_key", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("category", sa.Text(), server_default="", nullable=False),
        sa.Column("subject_kind", sa.Text(), server_default="vault", nullable=False),
        sa.Column("subject_id", sa.Text(), server_default="", nullable=False),
        sa.Column("digest", sa.Text(), server_default="", nullable=False),
        sa.Column("muted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("disabled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("front_matter", Json, nullable=False),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.Column("deleted_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_note_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "id", name=op.f("pk_note")),
    )
    op.create_index("ix_note_id", "note", ["id"], unique=False)
    op.create_index("ix_note_vault_updated", "note", ["vault_id", "updated_at"], unique=False)
    op.create_index(
        "uq_note_category",
        "note",
        ["vault_id", "subject_kind", "subject_id", "category"],
        unique=True,
        sqlite_where=sa.text("class = 'agent-memory' AND deleted_at IS NULL"),
        postgresql_where=sa.text("class = 'agent-memory' AND deleted_at IS NULL"),
    )
    op.create_index(
        "uq_note_title",
        "note",
        ["vault_id", "folder", "title_key"],
        unique=True,
        sqlite_where=sa.text("class <> 'agent-memory' AND deleted_at IS NULL"),
        postgresql_where=sa.text("class <> 'agent-memory' AND deleted_at IS NULL"),
    )
    op.create_table(
        "passage",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("id", Number, autoincrement=False, nullable=False),
        sa.Column("fact_number", Number, nullable=True),
        sa.Column("note_id", sa.Text(), nullable=True),
        sa.Column("ordinal", sa.Integer(), server_default="0", nullable=False),
        sa.Column("heading", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("speaker", sa.Text(), server_default="", nullable=False),
        sa.Column("origin", sa.Text(), server_default="", nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_passage_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "id", name=op.f("pk_passage")),
    )
    op.create_index("ix_passage_active", "passage", ["vault_id", "active", "id"], unique=False)
    op.create_index("ix_passage_fact", "passage", ["vault_id", "fact_number"], unique=False)
    op.create_index("ix_passage_note", "passage", ["vault_id", "note_id"], unique=False)
    op.create_index(
        "ix_passage_origin",
        "passage",
        ["vault_id", "origin", "ordinal"],
        unique=False,
        sqlite_where=sa.text("origin <> ''"),
        postgresql_where=sa.text("origin <> ''"),
    )
    op.create_table(
        "revision",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("change_id", Number, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_ref", sa.Text(), nullable=False),
        sa.Column("note_id", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("after", Json, nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["change.id"], name=op.f("fk_revision_change_id")),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_revision_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "change_id", "kind", "subject_ref", name=op.f("pk_revision")),
    )
    op.create_index("ix_revision_change", "revision", ["change_id"], unique=False)
    op.create_index("ix_revision_note", "revision", ["vault_id", "note_id", "change_id"], unique=False)
    op.create_index("ix_revision_subject", "revision", ["vault_id", "kind", "subject_ref", "change_id"], unique=False)
    op.create_table(
        "token_vault",
        sa.Column("token_id", Number, nullable=False),
        sa.Column("vault_id", Number, nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_token_vault_token_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_token_vault_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_id", "vault_id", name=op.f("pk_token_vault")),
    )
    op.create_table(
        "watched_folder",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("include", Json, nullable=False),
        sa.Column("exclude", Json, nullable=False),
        sa.Column("max_bytes", Number, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("wanted", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("user_id", Number, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("scanned_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["vault_id"], ["vault.id"], name=op.f("fk_watched_folder_vault_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("vault_id", "id", name=op.f("pk_watched_folder")),
        sa.UniqueConstraint("vault_id", "path", name=op.f("uq_watched_folder_vault_id_path")),
        sa.UniqueConstraint("vault_id", "place", name=op.f("uq_watched_folder_vault_id_place")),
    )
    op.create_index("ix_watched_folder_id", "watched_folder", ["id"], unique=False)
    op.create_table(
        "fact",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("number", Number, autoincrement=False, nullable=False),
        sa.Column("note_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), server_default="", nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), server_default="1", nullable=False),
        sa.Column("importance", sa.SmallInteger(), nullable=True),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("subject_kind", sa.Text(), server_default="vault", nullable=False),
        sa.Column("subject_id", sa.Text(), server_default="", nullable=False),
        sa.Column("channel", sa.Text(), server_default="", nullable=False),
        sa.Column("author", sa.Text(), server_default="", nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("said_at", sa.Text(), server_default="", nullable=False),
        sa.Column("said_dates", Json, nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("position", Number, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.Column("valid_from", Instant(), nullable=True),
        sa.Column("valid_to", Instant(), nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("replaced_by", Number, nullable=True),
        sa.Column("disabled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("deleted_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["vault_id", "note_id"],
            ["note.vault_id", "note.id"],
            name=op.f("fk_fact_vault_id_note_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_fact_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "number", name=op.f("pk_fact")),
    )
    op.create_index("ix_fact_number", "fact", ["number"], unique=False)
    op.create_index("ix_fact_page", "fact", ["vault_id", "note_id", "position"], unique=False)
    op.create_index("ix_fact_recent", "fact", ["vault_id", "updated_at"], unique=False)
    op.create_index("ix_fact_same", "fact", ["vault_id", "content_hash"], unique=False)
    op.create_index("ix_fact_state", "fact", ["vault_id", "deleted_at", "valid_to", "updated_at"], unique=False)
    op.create_index("ix_fact_subject", "fact", ["vault_id", "subject_kind", "subject_id"], unique=False)
    op.create_index(
        "ix_fact_summary",
        "fact",
        ["vault_id", "updated_at"],
        unique=False,
        sqlite_where=sa.text("key = 'summary'"),
        postgresql_where=sa.text("key = 'summary'"),
    )
    op.create_table(
        "passage_vector",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("passage_id", Number, nullable=False),
        sa.Column("model_id", Number, nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("vector", Vector(), nullable=False),
        sa.Column("with_previous", Vector(), nullable=True),
        sa.ForeignKeyConstraint(["model_id"], ["embedding_model.id"], name=op.f("fk_passage_vector_model_id")),
        sa.ForeignKeyConstraint(
            ["vault_id", "passage_id"],
            ["passage.vault_id", "passage.id"],
            name=op.f("fk_passage_vector_vault_id_passage_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["vault_id"], ["vault.id"], name=op.f("fk_passage_vector_vault_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("vault_id", "passage_id", "model_id", name=op.f("pk_passage_vector")),
    )
    op.create_index("ix_passage_vector_model", "passage_vector", ["vault_id", "model_id", "active"], unique=False)
    op.create_table(
        "watched_file",
        sa.Column("vault_id", Number, nullable=False),
        sa.Column("folder_id", sa.Text(), nullable=False),
        sa.Column("path", sa.LargeBinary(), nullable=False),
        sa.Column("hash", sa.Text(), server_default="", nullable=False),
        sa.Column("size", Number, nullable=False),
        sa.Column("mtime", Number, nullable=False),
        sa.Column("note_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("taken_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["vault_id", "folder_id"],
            ["watched_folder.vault_id", "watched_folder.id"],
            name=op.f("fk_watched_file_vault_id_folder_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["vault_id"], ["vault.id"], name=op.f("fk_watched_file_vault_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("vault_id", "folder_id", "path", name=op.f("pk_watched_file")),
    )
    op.create_index("ix_watched_file_same", "watched_file", ["vault_id", "hash"], unique=False)
    op.create_index("ix_watched_file_state", "watched_file", ["vault_id", "folder_id", "state"], unique=False)
    for statement in WORDS_SQLITE if dialect == "sqlite" else WORDS_POSTGRESQL:
        op.execute(statement)
