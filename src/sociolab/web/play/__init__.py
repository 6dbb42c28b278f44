"""People play from their browsers: the page, what its screen shows, and what they do."""
