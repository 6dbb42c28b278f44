"""What plugins build on: worlds, commands, settings, recipes, and types of scenes and towns."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.plugin.options import EndpointAccess as EndpointAccess, ModelAccess as ModelAccess
    from sociolab.plugin.recipe import Sheet as Sheet, sheet as sheet
    from sociolab.plugin.scene import OpenWitness as OpenWitness
    from sociolab.plugin.town import Replay as Replay, ResidentOutcome as ResidentOutcome
else:
    __getattr__, __dir__ = load_public_names(__name__)
