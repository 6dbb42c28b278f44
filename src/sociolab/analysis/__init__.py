"""From the scores of runs to conclusions: comparisons, rankings, agreement, what is hard."""
