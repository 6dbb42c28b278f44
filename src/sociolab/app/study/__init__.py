"""Studies with people: set up, invite, collect, export, forget. The web app serves them."""
