"""AntEval's table with a decision at the end: clues are spread, and one answer is right."""
