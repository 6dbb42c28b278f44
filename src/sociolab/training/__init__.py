"""Stored runs as examples to train a model on, and a seat of a live episode to train it in."""
