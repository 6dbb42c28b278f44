"""Episodes that people play from elsewhere, as they happen; knows nothing of HTTP."""
