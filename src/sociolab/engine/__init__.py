"""An episode as an I/O-free generator, and the driver that answers what it asks."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.engine.checking import action_problem as action_problem
    from sociolab.engine.driver import drive as drive
    from sociolab.engine.episode_loop import (
        DEFAULT_POLICY as DEFAULT_POLICY,
        play as play,
    )
    from sociolab.engine.scene import (
        FailurePolicy as FailurePolicy,
        Order as Order,
        Poll as Poll,
        Scene as Scene,
    )
    from sociolab.engine.setup import WorldSetup as WorldSetup
else:
    __getattr__, __dir__ = load_public_names(__name__)
