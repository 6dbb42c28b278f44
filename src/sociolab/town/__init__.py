"""A sandbox town of generative agents (arXiv 2304.03442), usable by any world."""
