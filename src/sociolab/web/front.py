"""The app's health, and its description for programs."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

open_pages = APIRouter(tags=["front"])
pages = APIRouter(tags=["front"])


@open_pages.get("/healthz")
def health() -> dict[str, str]:
    """Whether the app answers."""
    return {"status": "ok"}


@pages.get("/api/openapi.json")
def description(request: Request) -> JSONResponse:
    """All addresses of the app, as OpenAPI 3.1."""
    schema: dict[str, Any] = request.app.openapi()
    return JSONResponse(schema)
