"""STSS (arXiv 2404.05337): social tasks in a sandbox town, scored by what happened."""
