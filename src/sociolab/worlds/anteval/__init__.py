"""AntEval: a D&D party plays with an NPC (arXiv 2401.06509)."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.worlds.anteval.importing.dnd import read_examples as read_examples
    from sociolab.worlds.anteval.information.scoring import (
        InformationPlan as InformationPlan,
        Learned as Learned,
    )
    from sociolab.worlds.anteval.kit import (
        load_information as load_information,
        load_intention as load_intention,
    )
    from sociolab.worlds.anteval.scene import (
        CHAT as CHAT,
        TELL as TELL,
        AntScene as AntScene,
    )
    from sociolab.worlds.anteval.session import (
        NPC as NPC,
        SKILLS as SKILLS,
        Fact as Fact,
        PartyMember as PartyMember,
        Session as Session,
        session_from as session_from,
    )
    from sociolab.worlds.anteval.sessions import InformationSettings as InformationSettings
    from sociolab.worlds.anteval.virtual_dm.example import (
        DM as DM,
        Example as Example,
        Label as Label,
        Turn as Turn,
    )

__getattr__, __dir__ = load_public_names(__name__)
