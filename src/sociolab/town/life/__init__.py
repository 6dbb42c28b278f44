"""A resident's life: planning, doing, talking, remembering."""
