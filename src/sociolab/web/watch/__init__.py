"""Watch: runs, episodes, transcripts, model calls, search. For the researcher only."""
