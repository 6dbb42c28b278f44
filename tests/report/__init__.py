"""Tests of the reports; a package, so that its modules share `small_run`."""
