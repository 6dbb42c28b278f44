"""Studies with people: set up, invite, play, rate, review, export, forget; served by `web`."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.studies.assignment import (
        assign_next as assign_next,
        hold_item as hold_item,
    )
    from sociolab.studies.impressions import submit_word as submit_word
    from sociolab.studies.live_episode import (
        CutOff as CutOff,
        NotTaken as NotTaken,
        Sent as Sent,
        SentAction as SentAction,
        Stale as Stale,
    )
    from sociolab.studies.lobby import (
        LiveStudies as LiveStudies,
        Lobby as Lobby,
        NotPlayable as NotPlayable,
    )
    from sociolab.studies.participants import (
        Forgotten as Forgotten,
        Link as Link,
        completion_code as completion_code,
        forget as forget,
        forget_study as forget_study,
        hash_secret as hash_secret,
        invite as invite,
        reissue as reissue,
    )
    from sociolab.studies.play_plan import (
        TypingPace as TypingPace,
        people_agent as people_agent,
        run_settings as run_settings,
        trials_of as trials_of,
    )
    from sociolab.studies.play_records import (
        BUDGET_SPENT_TEXT as BUDGET_SPENT_TEXT,
        PlayRecords as PlayRecords,
    )
    from sociolab.studies.progress import (
        describe_capacity as describe_capacity,
        progress_of as progress_of,
        rating_progress as rating_progress,
    )
    from sociolab.studies.rating_files import import_ratings as import_ratings
    from sociolab.studies.rating_study import (
        RatedEpisode as RatedEpisode,
        RateStudy as RateStudy,
        RatingDraft as RatingDraft,
        assigned_episode as assigned_episode,
        keep_draft as keep_draft,
        next_episode as next_episode,
        rate_study as rate_study,
        rated_places as rated_places,
        ratings_in as ratings_in,
        store_ratings as store_ratings,
        submit as submit,
    )
    from sociolab.studies.ratings import (
        KeptRatings as KeptRatings,
        Rating as Rating,
        keep_ratings as keep_ratings,
        people_judge as people_judge,
    )
    from sociolab.studies.recruiting import (
        Bonuses as Bonuses,
        Places as Places,
        bonuses as bonuses,
        open_path as open_path,
        places_of as places_of,
        take_place as take_place,
    )
    from sociolab.studies.reviews import (
        REVIEW_POINTS as REVIEW_POINTS,
        Review as Review,
        review_study as review_study,
        submit_review as submit_review,
        task_pool as task_pool,
    )
    from sociolab.studies.screen import (
        PARTNER_LOST as PARTNER_LOST,
        Screen as Screen,
    )
    from sociolab.studies.settings import (
        PlayPlan as PlayPlan,
        StudySettings as StudySettings,
        SurveyQuestion as SurveyQuestion,
    )
    from sociolab.studies.setup import (
        create_study as create_study,
        parse_settings as parse_settings,
        set_open as set_open,
    )
    from sociolab.studies.study_export import (
        export_study as export_study,
        export_zip as export_zip,
        ratings_csv as ratings_csv,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
