"""The web app: watch what was played, play, and rate. `server.create_app` makes it of a store."""
