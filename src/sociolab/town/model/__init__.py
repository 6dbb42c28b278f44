"""A chat model as a mind: prompts as files, answers with schemas."""
