"""How far residents may be ahead of each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.core.seeding import stream
from sociolab.testing.minds import AnyMind
from sociolab.town.blocking import NEVER, Gaps, Steps
from sociolab.town.map import TownMap
from sociolab.town.paths import Paths
from sociolab.town.perception import sees
from sociolab.town.places import Place, Tile
from sociolab.town.trace import HEADINGS
from tests.town.test_schedulers_agree import at_random, lived, small_town
