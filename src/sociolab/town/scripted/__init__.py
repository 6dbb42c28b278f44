"""The town's rule-based mind: plausible lives, offline, from what each question shows."""
