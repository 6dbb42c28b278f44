"""Rating by people: which play a rater gets next, what counts as a rating, what became of it.

Nothing here knows of HTTP: the pages lie in `sociolab.web.rate`.
"""
