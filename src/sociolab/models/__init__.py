"""The only door to the network: endpoints, prices, a budget that holds, kept replies."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.models.budget import (
        Budget as Budget,
        Price as Price,
    )
    from sociolab.models.cache import (
        CachedModel as CachedModel,
        NullReplyStore as NullReplyStore,
        reply_key as reply_key,
    )
    from sociolab.models.chat import (
        Endpoint as Endpoint,
        EndpointModel as EndpointModel,
        HttpAnswer as HttpAnswer,
        Limits as Limits,
        RetriedCall as RetriedCall,
    )
    from sociolab.models.config import EndpointSpec as EndpointSpec
    from sociolab.models.finetuning import (
        FineTuningClient as FineTuningClient,
        TuningJob as TuningJob,
        TuningOrder as TuningOrder,
    )
    from sociolab.models.prices import shipped_prices as shipped_prices
    from sociolab.models.traffic import Traffic as Traffic
else:
    __getattr__, __dir__ = load_public_names(__name__)
