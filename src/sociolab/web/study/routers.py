"""The routers of this room: for participants, and for the researcher."""

from __future__ import annotations

from sociolab.web.study import changes, exporting, frame, hub, joining, making, pages

OPEN = (joining.router, hub.router, frame.router)
GUARDED = (making.router, pages.router, changes.router, exporting.router)
"""Making comes first: /studies/new is no study."""
