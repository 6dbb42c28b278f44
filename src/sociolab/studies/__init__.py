"""Studies with people: set up, invite, play, rate, review, export, forget; served by `web`."""
