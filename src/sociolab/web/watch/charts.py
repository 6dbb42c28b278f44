"""Charts for the page: what vega-lite is to draw, as JSON that no HTML parser trips over."""

from __future__ import annotations

import json

from markupsafe import Markup

from sociolab.app.watching.run_view import RunView
from sociolab.report.words import sanitize


def chart_data(view: RunView) -> Markup:
    """The specifications of all charts of a page, in the order of their places in it."""
    specs = [chart.spec for group in (*view.means, *view.spreads) for chart in group.charts]
    text = sanitize(json.dumps(specs, ensure_ascii=True))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
