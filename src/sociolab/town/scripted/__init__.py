"""Scripted minds: the smoke test of a town, offline and exact, never a result."""
