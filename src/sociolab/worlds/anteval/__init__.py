"""AntEval: a D&D party plays with an NPC (arXiv 2401.06509)."""
