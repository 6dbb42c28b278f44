"""What a talk or a note of it conveys, read by rules."""
