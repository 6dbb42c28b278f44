"""Studies with people: set up, invite, play, rate, review, export, forget. The web app serves them."""
