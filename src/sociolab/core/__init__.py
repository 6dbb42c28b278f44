"""The nouns and the ports that all else is made of."""

__version__ = "0.1.0"
