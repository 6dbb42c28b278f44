"""A study's data, to take away."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from sociolab.studies.export import export_zip
from sociolab.web.site import store_of
from sociolab.web.study.names import StudyName, study_row

router = APIRouter(prefix="/studies/{study}", tags=["studies"])


@router.get("/export.zip", response_class=FileResponse)
def download(request: Request, name: StudyName) -> Response:
    """Everything that a study holds, as a ZIP archive."""
    store = store_of(request)
    row = study_row(store, name)
    folder = Path(mkdtemp(prefix="sociolab-"))
    remove = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        export_zip(store, row.name, folder / "study.zip", folder / "files")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        folder / "study.zip",
        media_type="application/zip",
        filename=f"{row.name}.zip",
        background=remove,
    )
