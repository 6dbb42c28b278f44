"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run, however busy the machine is.
settings.register_profile("sociolab", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("sociolab")
