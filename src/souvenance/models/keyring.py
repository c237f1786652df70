"""Keys of endpoints, sealed with a master key that is kept outside the database (C2).

The master key is SOUVENANCE_MASTER_KEY, else the file `master.key` in the data folder, which is made when first needed
and which only its owner may read. Sealing is Fernet (AES-128-CBC and HMAC-SHA256, from `cryptography`).
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from souvenance.domain.errors import InvalidInput, NotAllowed

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

FILE = "master.key"


class Keyring:
    """Seals keys and opens them again. `given` is a master key in the form that Fernet makes."""

    def __init__(self, folder: Path, given: str | None) -> None:
        self._path = folder / FILE
        self._given = given

    def seal(self, key: str) -> str:
        """A key as it may stand in the database."""
        return self._master.encrypt(key.encode()).decode("ascii")

    def open(self, sealed: str) -> str:
        """The key again; a clear refusal where another master key sealed it."""
        from cryptography.fernet import InvalidToken

        try:
            return self._master.decrypt(sealed.encode("ascii")).decode()
        except InvalidToken:
            raise NotAllowed(
                "This endpoint's key was sealed with another master key and cannot be read.",
                hint=f"Bring back SOUVENANCE_MASTER_KEY or {FILE}, or give the endpoint its key again.",
            ) from None

    def derived(self, purpose: str) -> bytes:
        """A key of its own for another purpose, always the same of one master key; 32 bytes (HMAC-SHA-256)."""
        _ = self._master  # it is a key, or a clear refusal
        return hmac.new(self._text.encode("ascii"), purpose.encode(), hashlib.sha256).digest()

    @cached_property
    def _text(self) -> str:
        return self._given or self._from_file()

    @cached_property
    def _master(self) -> Fernet:
        from cryptography.fernet import Fernet

        try:
            return Fernet(self._text)
        except ValueError:
            where = "SOUVENANCE_MASTER_KEY" if self._given else str(self._path)
            raise InvalidInput(
                f"The master key in {where} is not one.",
                hint="It is 32 random bytes in URL-safe base64; leave it out and one is made.",
            ) from None

    def _from_file(self) -> str:
        from cryptography.fernet import Fernet

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                made = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except FileExistsError:
                return self._read()
            with os.fdopen(made, "wb") as file:
                key = Fernet.generate_key()
                file.write(key)
                file.flush()
                os.fsync(file.fileno())
            return key.decode("ascii")
        except OSError as error:
            raise NotAllowed(
                f"The master key {self._path} cannot be used: {error.strerror}.",
                hint="Make its folder writable, or set SOUVENANCE_MASTER_KEY.",
            ) from error

    def _read(self) -> str:
        mode = stat.S_IMODE(self._path.stat().st_mode)
        if os.name == "posix" and mode & 0o077:
            raise NotAllowed(
                f"Others may read the master key {self._path}; it is not used so.", hint=f"chmod 600 {self._path}"
            )
        return self._path.read_text("ascii").strip()
