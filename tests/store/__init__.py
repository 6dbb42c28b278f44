"""Tests of the store; a package, so that its modules share `samples`."""
