"""Labelled examples from CRD3's transcripts: requests for checks, and who reports a roll."""
