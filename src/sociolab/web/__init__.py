"""The web app: watch what was played, play, and rate. `server.create_app` makes it of a store."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.web.page_files import town_page as town_page, write_town_page as write_town_page
    from sociolab.web.server import create_server as create_server
    from sociolab.web.settings import WebSettings as WebSettings
    from sociolab.web.site import Rate as Rate
else:
    __getattr__, __dir__ = load_public_names(__name__)
