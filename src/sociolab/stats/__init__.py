"""Estimates with intervals, comparisons, agreement, rankings, power: pure functions."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.stats.agreement import (
        Spread as Spread,
        agreement_report as agreement_report,
    )
    from sociolab.stats.crossed_raters import crossed as crossed
    from sociolab.stats.inter_rater import (
        Bins as Bins,
        RaterAgreement as RaterAgreement,
        agreement_of as agreement_of,
        free_marginal_kappa as free_marginal_kappa,
        pair_columns as pair_columns,
        present as present,
        rating_table as rating_table,
        yes_no_agreement as yes_no_agreement,
    )
    from sociolab.stats.intervals import (
        Estimate as Estimate,
        mean as mean,
        means as means,
        on_scale as on_scale,
        t_quantile as t_quantile,
        two_sided_p as two_sided_p,
    )
    from sociolab.stats.paired_tests import (
        EffectSize as EffectSize,
        KeyedValue as KeyedValue,
        SignFlip as SignFlip,
        compare as compare,
        effect_size as effect_size,
        holm as holm,
        paired as paired,
        paired_t as paired_t,
        sign_flip as sign_flip,
    )
    from sociolab.stats.power import (
        design as design,
        needed as needed,
    )
    from sociolab.stats.prediction_powered import (
        JudgedPlay as JudgedPlay,
        corrected as corrected,
    )
    from sociolab.stats.ranking import (
        Contest as Contest,
        ModelRating as ModelRating,
        ModelRatings as ModelRatings,
        SeatScore as SeatScore,
        contests as contests,
        joined as joined,
        rate as rate,
        strengths as strengths,
    )
    from sociolab.stats.unpaired import compare_unpaired as compare_unpaired
    from sociolab.stats.variance import (
        Component as Component,
        Components as Components,
        LeveledScore as LeveledScore,
        components as components,
    )

__getattr__, __dir__ = load_public_names(__name__)
