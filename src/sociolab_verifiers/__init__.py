"""The id by which verifiers finds the environment: `vf-eval sociolab-verifiers`."""

from sociolab.training.verifiers import ChatHarness, SeatsEnv, SeatsTaskset

__all__ = ["ChatHarness", "SeatsEnv", "SeatsTaskset"]
