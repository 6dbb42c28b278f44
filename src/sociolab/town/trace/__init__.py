"""What happened in a town: recorded, read back, and told."""
