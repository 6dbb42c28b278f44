"""Who may live which step when, and what is told of it."""
