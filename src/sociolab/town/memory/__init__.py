"""What a resident remembers: a stream, and how it is searched."""
