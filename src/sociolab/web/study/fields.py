"""The fields of a form whose names the study decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


async def _fields(request: Request) -> Mapping[str, str]:
    if not request.headers.get("content-type", "").startswith(_FORMS):
        return {}
    form = await request.form(max_fields=2000)
    return {name: value for name, value in form.items() if isinstance(value, str)}


Fields: TypeAlias = Annotated[Mapping[str, str], Depends(_fields)]
"""The text fields of the form that was sent; of several with a name, the last."""
