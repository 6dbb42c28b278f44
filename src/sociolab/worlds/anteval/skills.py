"""The 18 skills of fifth-edition D&D and the ability behind each (facts of the SRD 5.1)."""

from __future__ import annotations

ABILITIES = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")

ABILITY_OF = {
    "acrobatics": "dexterity",
    "animal handling": "wisdom",
    "arcana": "intelligence",
    "athletics": "strength",
    "deception": "charisma",
    "history": "intelligence",
    "insight": "wisdom",
    "intimidation": "charisma",
    "investigation": "intelligence",
    "medicine": "wisdom",
    "nature": "intelligence",
    "perception": "wisdom",
    "performance": "charisma",
    "persuasion": "charisma",
    "religion": "intelligence",
    "sleight of hand": "dexterity",
    "stealth": "dexterity",
    "survival": "wisdom",
}

SKILLS = tuple(ABILITY_OF)
"""In alphabetical order."""
