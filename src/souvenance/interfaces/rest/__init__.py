"""REST: the use cases of a memory under `/api/v1`, for programs. See docs/rest.md."""
