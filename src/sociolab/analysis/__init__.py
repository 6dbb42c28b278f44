"""From the scores of runs to conclusions: comparisons, rankings, agreement, what is hard."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.analysis.across_worlds import Across as Across, across as across
    from sociolab.analysis.agent_labels import agent_names as agent_names
    from sociolab.analysis.agreement import agreements as agreements
    from sociolab.analysis.audit import (
        RepeatedScore as RepeatedScore,
        ScoreChange as ScoreChange,
        control_findings as control_findings,
        score_changes as score_changes,
    )
    from sociolab.analysis.compare_sides import CompareRequest as CompareRequest
    from sociolab.analysis.comparison import (
        ComparedAgents as ComparedAgents,
        MatchCounts as MatchCounts,
        compare_agents as compare_agents,
    )
    from sociolab.analysis.comparison_tables import overview_table as overview_table
    from sociolab.analysis.credit import keep_credit as keep_credit
    from sociolab.analysis.curve import follow_runs as follow_runs
    from sociolab.analysis.matching import ComparedSide as ComparedSide, match_sides as match_sides
    from sociolab.analysis.rank import (
        rank_runs as rank_runs,
        ranking_section as ranking_section,
    )
    from sociolab.analysis.ratings import load_ratings as load_ratings
    from sociolab.analysis.run_comparison import (
        Conclusions as Conclusions,
        compare_runs as compare_runs,
    )
    from sociolab.analysis.values import (
        RunValues as RunValues,
        Value as Value,
        choose_judge as choose_judge,
        pool_runs as pool_runs,
        values_of as values_of,
    )
    from sociolab.analysis.variance_components import run_variances as run_variances
else:
    __getattr__, __dir__ = load_public_names(__name__)
