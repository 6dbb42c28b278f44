"""Files to download."""

from __future__ import annotations

from starlette.responses import Response


def download(text: str, name: str) -> Response:
    """CSV as a file of this name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(), media_type="text/csv; charset=utf-8", headers=headers)
