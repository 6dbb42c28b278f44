"""`models.toml`: endpoints by name, keys by environment variable, prices and limits."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from sociolab.app.user_files import first_problem, read_toml
from sociolab.core.errors import ConfigError
from sociolab.models.endpoints import EndpointOptions, EndpointSpec, PriceSpec
from sociolab.models.sampling import ListedOptions
from sociolab.store.connect import data_home

FILE = "models.toml"


class EndpointTable(EndpointOptions):
    """`[endpoints.NAME]`: `provider` names an entry point of sociolab.models."""

    provider: str = "openai"

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str) -> str:
        return checked_url(value)

    @field_validator("ca_bundle")
    @classmethod
    def _beside_the_file(cls, value: Path | None, info: ValidationInfo) -> Path | None:
        folder: Path = (info.context or {}).get("folder", Path())
        return value and folder / value.expanduser()


class ModelsFile(BaseModel):
    """The whole file. `prices` and `options` are keyed as agents are: "endpoint/model"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoints: dict[str, EndpointTable] = {}
    prices: dict[str, PriceSpec] = {}
    options: dict[str, ListedOptions] = {}

    def endpoint(self, name: str) -> EndpointSpec | None:
        """The endpoint of this name, if the file has it."""
        table = self.endpoints.get(name)
        if table is None:
            return None
        return EndpointSpec(name=name, **table.model_dump(exclude={"provider"}))


_TABLES: dict[str, type[BaseModel]] = {
    "endpoints": EndpointTable,
    "prices": PriceSpec,
    "options": ListedOptions,
}


def load_models(path: Path | None) -> ModelsFile:
    """The named file, else `models.toml` here, else the user's own, else nothing.

    ConfigError where the named file is missing or a file is wrong.
    """
    if path is None:
        found = [place for place in (Path(FILE), data_home() / FILE) if place.is_file()]
        if not found:
            return ModelsFile()
        path = found[0]
    try:
        return ModelsFile.model_validate(read_toml(path), context={"folder": path.parent})
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_problem(error)}{_fields(error)}") from error


def _fields(error: ValidationError) -> str:
    """What there is, where a name in the first problem is unknown."""
    item = error.errors(include_url=False)[0]
    place = item["loc"]
    kind = _TABLES.get(str(place[0])) if len(place) > 2 else ModelsFile
    if item["type"] != "extra_forbidden" or kind is None:
        return ""
    return f" (there are: {', '.join(kind.model_fields)})"


def checked_url(url: str) -> str:
    """An http(s) address without a password in it; ValueError otherwise."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("expected an address such as http://127.0.0.1:8000/v1")
    if parts.query or "@" in url:
        raise ValueError("an address holds no password or key; name its variable in key_env")
    return url.rstrip("/")
