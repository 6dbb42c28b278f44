"""What a world is loaded with: data, settings, a seed, and the policy for failed turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sociolab.core.errors import ConfigError
from sociolab.core.reading import first_problem
from sociolab.engine.scene import FailurePolicy

Settings = TypeVar("Settings", bound=BaseModel)


class LayeredSettings(BaseModel):
    """Settings whose defaults depend on another setting, such as the prompt set."""

    @classmethod
    def defaults_for(cls, settings: Mapping[str, str]) -> Mapping[str, Any]:
        """Defaults under these settings; ConfigError where they cannot be read."""
        return {}


@dataclass(frozen=True, slots=True)
class WorldSetup:
    """The argument of a world's loader.

    `folder` holds the data to play, None being the world's own; `settings` are the world's, by
    name, as text; `seed` is for worlds that draw their tasks.

    >>> from pydantic import BaseModel
    >>> import sociolab.plugin.api as lab
    >>> class Settings(BaseModel):
    ...     points: int = 100
    >>> lab.WorldSetup(settings={"points": "50"}).read("ultimatum", Settings)
    Settings(points=50)
    >>> lab.WorldSetup(settings={"pionts": "50"}).read("ultimatum", Settings)
    Traceback (most recent call last):
        ...
    sociolab.core.errors.ConfigError: ultimatum has no setting "pionts"; expected one of points
    """

    folder: Path | None = None
    policy: FailurePolicy = field(default_factory=FailurePolicy)
    settings: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def read(self, world: str, kind: type[Settings]) -> Settings:
        """The settings as the world's own type; ConfigError names the one that is wrong."""
        unknown = [name for name in self.settings if name not in kind.model_fields]
        if unknown:
            names = ", ".join(kind.model_fields)
            raise ConfigError(f'{world} has no setting "{unknown[0]}"; expected one of {names}')
        defaults: Mapping[str, Any] = {}
        if issubclass(kind, LayeredSettings):
            defaults = kind.defaults_for(self.settings)
        try:
            return kind.model_validate({**defaults, **self.settings})
        except ValidationError as error:
            raise ConfigError(f"{world}, the setting {first_problem(error)}") from error
