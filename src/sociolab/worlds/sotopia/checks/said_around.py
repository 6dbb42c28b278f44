"""What changes the meaning of the words around it: negation, conditions, irony, contrast."""

from __future__ import annotations

from sociolab.worlds.sotopia.checks.cues import Cue

SHAPING: dict[Cue, str] = {
    Cue.NOT: """
        not / never / nothing / nor / neither / hardly / unable / hard / difficult / impossible
        hesitant / reluctant
        """,
    Cue.IF: "if / unless / in case / when you have / once you have",
    Cue.ONLY_IF: """
        only if / as long as / so long as / provided (that|) / on (one|) condition
        under (one|) condition / on condition that / assuming / but only / in exchange for
        contingent on / if and only if / one condition
        """,
    Cue.MOCK: """
        in your dreams / keep dreaming / dream on / when pigs fly / when hell freezes / as if
        yes right / ha ha very / (must be|are you|you are|to be) (joking|kidding|crazy)
        (must be|are you|you are|to be) (insane|out of your mind|nuts|dreaming) / are you serious
        very funny / nice try / fat chance / not in million years / over my dead body
        give me break / good luck with that / get real / be serious
        (rolls|rolling|roll) (his|her|their|my|) eyes / in what world / on what planet / you wish
        hilarious / what joke / is joke / believe it when / laughs out loud / bursts out laughing
        laughs in
        """,
    Cue.IRONY: """
        oh sure / oh yes / oh right / oh great / oh wonderful / oh brilliant / oh fantastic
        oh perfect / what (bargain|steal|gift|generous) / how generous / sure sure / whatever
        i will take (ten|dozen) / (king|queen) of / my unicorn / why not million / sarcastically
        sarcastic / smirks / mockingly / throw in (moon|kidney|my) / my firstborn
        brilliant idea not / wow thanks / genius
        """,
    Cue.ASIDE: """
        i get (it|that|you|your|where|what|why) / i (understand|see|hear|know|appreciate|guess)
        i (mean|suppose|remember|completely|totally|can see|can understand)
        it (is|does|has|was|comes|did|includes|runs|still) / they (are|do|come|were)
        (i|we) (have|do|did|was|am here|am interested|had|got) / there (is|are)
        let me (see|think|tell|explain|ask|know) / but / (he|she) (is|does|did|was) / once
        understandable / i am (here|interested|looking|still|aware|just)
        that is (true|right|correct|understandable) / you are right / true / exactly / here
        take your time / go on / i think it is / i think that it is
        """,
    Cue.BUT: "but / however / though / although / yet / only that",
    Cue.BREAK: """
        while / whereas / because / since / considering that / given that / given / ; / - / :
        despite / whether / so that / considering (it|how|wear|condition|age|its)
        """,
    Cue.COMMA: ",",
    Cue.OR: "or / alternatively / otherwise",
    Cue.LOGISTICS: """
        pick (it|up|them) / pickup / cash / venmo / paypal / check / deliver / delivery / address
        what time / when (can|could|should|would|do|will|shall|may|might|is)
        where (can|should|do|shall|could|would) / pay (you|now|today) / transfer / payment
        which day / today or tomorrow / receipt / load it / in person
        """,
    Cue.ANOTHER_TIME: """
        next time / another time / another day / some other (time|day) / afterwards / after that
        next week / next month / later / tomorrow we
        """,
}
"""Words that turn, bind or mock what stands beside them."""

DECOYS: dict[Cue, str] = {
    Cue.NOTHING: """
        i am in (no|my|love|need|town)
        i do not want (it|this|that) to
        (ground|solution|price|deal) that (works|work|is|would|sounds|seems|suits|will|could)
        (something|compromise|agreement|way) that (works|work|is|would)
        (something|compromise|agreement|way) that (sounds|seems|suits|will|could)
        (arrangement|number|figure|offer) that (works|work|is|would)
        (arrangement|number|figure|offer) that (sounds|seems|suits|will|could)
        (plan|option|time|day) that (works|work|is|would|sounds|seems|suits|will|could)
        that (works|work|would work|is fair|is good) for (both|us|everyone|all|each)
        (nod|nods|nodding) (thoughtfully|slowly|politely|understandingly|along|while)
        (nod|nods|nodding) (pensively|considering|as)
        (nod|nods|nodding) (in understanding|sympathetically|attentively|to show)
        nods and (listens|thinks|considers|waits) / if (you|) (do|) not mind
        if (that|it|this) is (okay|fine|alright|good|possible|agreeable|acceptable|all right)
        if you are (okay|fine|happy|cool|comfortable|good) with (that|it|this)
        if you are (still|) interested
        if (that|it|this) (works|suits|helps|sounds good|sounds fair|seems fair|makes sense)
        if you (like|want|wish|please|agree|prefer)
        if you (ask me|insist|say so|would like|know what i mean|change your mind|are up for it)
        if you have any (more|other|further|) (questions|concerns|problems|issues)
        if you need (anything|any|help|more|me) / even if
        (see|wondering|wonder|know|ask|sure|tell|check|asking|seeing) if / if i may
        if i (remember|recall) / if i am (honest|not mistaken|being honest)
        if (possible|anything|not|so|needed|necessary|any) / if we can / if you could
        if you (ever|still) (want|need|have|would like) / if there is (anything|any) / not only
        not bad / would not mind / wouldn't say no / not to mention / do not worry
        no (doubt|rush|matter|need|pressure|hurry|idea|wonder)
        no (issues|scratches|dents|damage|rust|hard feelings|question|pets|children)
        do not get me wrong / not at all / no more (questions|issues) / no longer have / big deal
        great deal of / deal with / good deal more / deal breaker / better deal / best deal
        good deal / fair deal / great deal / bad deal / real deal / what is deal / sweeten deal
        all done / well done / have done / has done / been done / be done / was done / is done
        get (it|this) done / done (it|this|that|some|my|with|before|so|nothing) / not yet
        sounds good so far / okay so / great shape
        good (condition|shape|to know|morning|afternoon|evening|day|question|point|luck)
        good to (know|hear|see|meet) / great (condition|to|bike|for)
        nice (to|bike|day|place|one) / lovely (weather|day|bike|place|to)
        perfect (condition|for) / fine (condition|day) / great question / right now
        all right here / right away / right here / no one / no longer new / no other / no signs
        sorry to (hear|keep|bother|interrupt) / sorry for / sorry about / thank you for
        thanks for / sorry i am late / i like your
        i would like to (know|see|hear|ask|thank|say|point|think)
        i would love to (know|see it|hear|ask)
        i can (see|understand|assure|tell|imagine|appreciate|not help) / i could not help
        i would say that it / i think it is (great|good|nice|lovely) / or so / or two
        more or less / or not / or what / or anything / in or out / and or / that is all
        that is (great to|good to|nice to) / of course i (understand|see|know)
        what do you (want|need|have|know|like) / could you tell / can you tell
        could you (explain|describe|elaborate|say more)
        can you (explain|describe|elaborate|say more) / may i ask / can i ask
        would you mind (telling|if i) / may i see / can i (see|try|take look)
        could i (see|try|take look) / do you think about / each other / every day / every time
        my friend / old friend / best friend / i will never / never been / never had
        never (used|ridden|crashed|broken) / hardly (used|ridden|any)
        hard (to find|work|sell|to say)
        """,
}
"""Phrases that look like one of the others and mean none of them."""
