"""What a file is by its name: how it is read, or why it is passed over (V13)."""

from __future__ import annotations

from enum import StrEnum
from fnmatch import fnmatchcase


class Kind(StrEnum):
    """How a file is read."""

    MARKDOWN = "markdown"
    TEXT = "text"
    CODE = "code"
    CSV = "csv"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    EPUB = "epub"
    EMAIL = "email"
    UNKNOWN = "unknown"
    OTHER = "other"


IN_PROCESS = frozenset({Kind.MARKDOWN, Kind.TEXT, Kind.CODE, Kind.UNKNOWN})
"""Kinds that are text as they stand. All others are taken apart in a process of their own."""

_BY_SUFFIX: dict[Kind, str] = {
    Kind.MARKDOWN: "md markdown mdown mkd",
    Kind.TEXT: "txt text rst adoc asciidoc org tex log srt vtt po pot man me news readme changes json jsonl ndjson "
    "yaml yml toml ini cfg conf properties xml svg ics vcf bib desktop service",
    Kind.CODE: "py pyi pyw js mjs cjs ts tsx jsx java kt kts scala groovy c h cc cpp cxx hpp hh hxx cs go rs rb php pl "
    "pm lua r jl swift m mm dart sh bash zsh fish ps1 bat cmd sql graphql proto css scss sass less vue svelte elm ex "
    "exs erl hrl hs ml mli fs fsx clj cljs lisp el scm vim asm s f f90 for pas d nim zig v vhd cmake gradle mk "
    "makefile dockerfile tf nix awk sed tcl diff patch ipynb",
    Kind.CSV: "csv tsv",
    Kind.HTML: "html htm xhtml",
    Kind.PDF: "pdf",
    Kind.DOCX: "docx",
    Kind.PPTX: "pptx",
    Kind.XLSX: "xlsx xlsm",
    Kind.EPUB: "epub",
    Kind.EMAIL: "eml",
    Kind.OTHER: "png jpg jpeg gif webp bmp ico tif tiff heic avif psd xcf ai eps mp3 m4a ogg oga opus flac wav aac "
    "mp4 m4v mkv webm avi mov wmv zip tar gz tgz bz2 xz zst 7z rar jar war whl deb rpm apk dmg iso img bin exe dll so "
    "dylib a o obj lib pyc pyo class wasm ttf otf woff woff2 eot db sqlite sqlite3 mdb parquet feather npy npz pkl "
    "pickle onnx safetensors pt pth h5 hdf5 mo gmo map lock doc xls ppt odt ods odp",
}
_KINDS = {suffix: kind for kind, suffixes in _BY_SUFFIX.items() for suffix in suffixes.split()}
_NAMES = {"makefile": Kind.CODE, "dockerfile": Kind.CODE}

JUNK_FOLDERS = frozenset(
    {
        "node_modules", "bower_components", "__pycache__", "site-packages", "venv", "env", "target", "dist", "build",
        "coverage", "htmlcov", "lost+found", "$RECYCLE.BIN", "System Volume Information",
    }
)  # fmt: skip
"""Folders of what programs made or fetched. They and folders whose name starts with a dot are entered only when an
`include` pattern names them."""

_JUNK_FILES = ("~$*", "*~", "#*#", "*.swp", "*.swo", "*.tmp", "*.temp", "*.part", "*.crdownload", "*.bak", "Thumbs.db",
               "desktop.ini", "*.min.js", "*.min.css")  # fmt: skip


def kind_of(name: str) -> Kind:
    """The kind of a file by its name; `unknown` is looked into, `other` is never a text."""
    lower = name.lower()
    stem, dot, suffix = lower.rpartition(".")
    if not dot or not stem:
        return _NAMES.get(lower, Kind.UNKNOWN)
    return _KINDS.get(suffix, Kind.UNKNOWN)


def is_junk_file(name: str) -> bool:
    """Whether a file is what editors and downloads leave while they work, or hidden."""
    return name.startswith(".") or any(fnmatchcase(name, pattern) for pattern in _JUNK_FILES)


def is_junk_folder(name: str) -> bool:
    """Whether a folder is passed over unless it is named."""
    return name.startswith(".") or name in JUNK_FOLDERS
