"""The routers of this room: for participants, and for the researcher."""

from __future__ import annotations

from sociolab.web.rate import (
    impressions,
    impressions_page,
    rating,
    ratings_page,
    review,
    reviews_page,
)

OPEN = (rating.router, impressions.router, review.router)
GUARDED = (ratings_page.router, impressions_page.router, reviews_page.router)
