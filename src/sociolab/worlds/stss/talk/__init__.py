"""STSS at language level: conversations frozen from the town (STSS section 3.2, Table 3)."""
