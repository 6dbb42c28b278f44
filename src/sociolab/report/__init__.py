"""A run's result, and how it is drawn: terminal, HTML, Markdown, LaTeX, CSV."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.report.finding import (
        Count as Count,
        Finding as Finding,
        Sentence as Sentence,
    )
    from sociolab.report.html import (
        ShownRun as ShownRun,
        render_page as render_page,
    )
    from sociolab.report.leaderboard import (
        Board as Board,
        NeighbourTest as NeighbourTest,
        boards_section as boards_section,
        make_boards as make_boards,
    )
    from sociolab.report.media import Medium as Medium
    from sociolab.report.plays import (
        NotScored as NotScored,
        PlayKey as PlayKey,
        PlayOutcome as PlayOutcome,
        PlayRow as PlayRow,
        ScoreColumn as ScoreColumn,
    )
    from sociolab.report.result import (
        details_of as details_of,
        result_of as result_of,
        select_scores as select_scores,
    )
    from sociolab.report.run_facts import (
        setting_facts as setting_facts,
        summary as summary,
        warnings as warnings,
    )
    from sociolab.report.schema import (
        Data as Data,
        FirstFailure as FirstFailure,
        MeasureEntry as MeasureEntry,
        RunResult as RunResult,
        ScoreEntry as ScoreEntry,
    )
    from sociolab.report.score_tables import (
        agent_grids as agent_grids,
        grid_text as grid_text,
        run_section as run_section,
    )
    from sociolab.report.section import (
        Section as Section,
        TextTable as TextTable,
    )
    from sociolab.report.terminal import (
        full_report as full_report,
        play_text as play_text,
    )
    from sociolab.report.transcript_views import (
        TranscriptView as TranscriptView,
        transcript_view as transcript_view,
        views_of as views_of,
    )
    from sociolab.report.words import legend as legend, stand_ins as stand_ins
else:
    __getattr__, __dir__ = load_public_names(__name__)
