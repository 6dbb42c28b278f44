"""A town and its days as pictures."""
