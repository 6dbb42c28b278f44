"""The measures of conversation tasks: Table 3's columns (STSS section 3.2)."""

from __future__ import annotations

from sociolab.core.score import Measure

CONVERSATION_SR = Measure("conversation_sr", 0, 1, title="talk SR")
CONVERSATION_GCSR = Measure("conversation_gcsr", 0, 1, title="talk GCSR")
SUMMARY_SR = Measure("summary_sr", 0, 1, title="summary SR")
SUMMARY_GCSR = Measure("summary_gcsr", 0, 1, title="summary GCSR")

MEASURES = (CONVERSATION_SR, CONVERSATION_GCSR, SUMMARY_SR, SUMMARY_GCSR)
"""Table 3 shows each over conversations (micro) and over tasks (macro)."""
