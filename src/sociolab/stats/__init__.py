"""Estimates with intervals, comparisons, agreement, rankings, power: pure functions."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.stats.adjusted_means import (
        AdjustedMeans as AdjustedMeans,
        adjust_means as adjust_means,
        for_other_prompts as for_other_prompts,
        for_other_raters as for_other_raters,
        mean_across as mean_across,
    )
    from sociolab.stats.agreement import (
        JudgeGaps as JudgeGaps,
        PeopleAgreement as PeopleAgreement,
        Spread as Spread,
        agreement_report as agreement_report,
    )
    from sociolab.stats.alternative_annotator import (
        AlternativeTest as AlternativeTest,
        alternative_test as alternative_test,
    )
    from sociolab.stats.beside import (
        Placed as Placed,
        beside_people as beside_people,
        difference as difference,
        exceeds as exceeds,
        halves_floor as halves_floor,
    )
    from sociolab.stats.consistency import (
        Consistency as Consistency,
        pass_hat as pass_hat,
        pass_hat_difference as pass_hat_difference,
    )
    from sociolab.stats.correlation import (
        Correlation as Correlation,
        correlations as correlations,
        pearson as pearson,
        spearman as spearman,
    )
    from sociolab.stats.crossed_model import (
        CrossedModel as CrossedModel,
        fit_crossed as fit_crossed,
    )
    from sociolab.stats.crossed_raters import (
        RatedPlay as RatedPlay,
        crossed_estimate as crossed_estimate,
    )
    from sociolab.stats.difficulty import (
        Difficulties as Difficulties,
        ScoredPlay as ScoredPlay,
        TaskLeftOut as TaskLeftOut,
        estimate_difficulties as estimate_difficulties,
    )
    from sociolab.stats.inter_rater import (
        Alpha as Alpha,
        AlphaMetric as AlphaMetric,
        Bins as Bins,
        RaterAgreement as RaterAgreement,
        alphas as alphas,
        bin_numbers as bin_numbers,
        free_marginal_kappa as free_marginal_kappa,
        nan_to_none as nan_to_none,
        pair_columns as pair_columns,
        rating_table as rating_table,
        stack_tables as stack_tables,
        summarize_agreement as summarize_agreement,
        yes_no_agreement as yes_no_agreement,
    )
    from sociolab.stats.intervals import (
        TRUNCATED_NOTE as TRUNCATED_NOTE,
        Estimate as Estimate,
        left_out_interval as left_out_interval,
        mean as mean,
        means as means,
        number_clusters as number_clusters,
        on_scale as on_scale,
        t_quantile as t_quantile,
        two_sided_p as two_sided_p,
    )
    from sociolab.stats.paired_tests import (
        EffectSize as EffectSize,
        KeyedValue as KeyedValue,
        MatchedValues as MatchedValues,
        SignFlip as SignFlip,
        compare as compare,
        effect_size as effect_size,
        holm as holm,
        match_pairs as match_pairs,
        paired_t as paired_t,
        sign_flip as sign_flip,
    )
    from sociolab.stats.power import (
        Design as Design,
        Needed as Needed,
        OnAll as OnAll,
        describe_design as describe_design,
        needed_sample as needed_sample,
        repeats_on_all as repeats_on_all,
    )
    from sociolab.stats.prediction_powered import (
        JudgedPlay as JudgedPlay,
        correct_means as correct_means,
    )
    from sociolab.stats.ranking import (
        Contest as Contest,
        ModelRating as ModelRating,
        ModelRatings as ModelRatings,
        SeatScore as SeatScore,
        fit_bradley_terry as fit_bradley_terry,
        make_contests as make_contests,
        mutually_reachable as mutually_reachable,
        strengths as strengths,
    )
    from sociolab.stats.unpaired import compare_unpaired as compare_unpaired
    from sociolab.stats.variance import (
        Component as Component,
        Components as Components,
        LeveledScore as LeveledScore,
        variance_components as variance_components,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
