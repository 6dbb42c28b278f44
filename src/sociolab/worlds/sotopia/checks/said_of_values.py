"""What is said of a value: offered, asked for, reported, refused.

A `#` stands for the value: an amount of money, an option. The cues without one stand before it.
"""

from __future__ import annotations

from sociolab.worlds.sotopia.checks.cues import Cue

BEFORE_VALUES: dict[Cue, str] = {
    Cue.TAKE: """
        i (can|could|will|would|should) / (i am|we are) (willing|happy|ready|prepared|able|glad)
        i am (offering|asking|selling|thinking|looking|going|at|proposing|suggesting)
        i (offer|ask|want|need|sell|pay|give|take|accept|propose|suggest|say|think|vote|choose)
        i (have|must|want|need) to (ask|get|have|sell|pay|insist on)
        (can|to) (do|accept|offer|pay|go) / let us / let you have / make (it|that) / call it
        let it go / i agree (to|on|with) / halfway (between us|point|) (is|would be)
        (in|) middle (is|would be) / settle (on|for|at) / settling (on|for|at) / agree (on|to)
        agreed (on|at|to|upon) / deal (at|for|is) / offer (of|is|would be|stands at) / offering
        price (of|is|would be|at) / best i can do / lowest i can (go|do)
        most i can (do|pay|offer) / least i can (do|take) / bottom line / last (word|offer|price)
        final (offer|price) / (best|lowest|highest) (offer|price) / (it is|) yours for / is yours
        you can (have|take|get|keep) / you could have / have it / part with it / no less than
        no more than / at least / at most / up to / down to
        nothing (less|more|higher|lower) than / no (lower|higher) than
        not penny (more|less) than / (minimum|maximum|max|min) (of|is|price|) / limit is
        my limit / ceiling / floor / as (low|high|little|much) as / (come|go|came) (down|up) to
        lower (it|price|my offer) to / raise (it|my offer) to
        meet (you|me) (at|halfway at|in middle at) / meet at / closer to / meet in middle
        split difference / meet halfway / accept / accepting / confirm
        for (total|grand total) of / total of / total is / bringing (it|price|total) to
        (brings|makes) (it|that) / making it / comes to / works out (to|at) / firm (at|on)
        stick (to|with|at) / stay at / hold at / stand at / fixed at / round (it|) (up|down|) to
        go with / going with / go for / going for / vote for / opt for / prefer / suggest
        propose / recommend / pick / choose / willing / (i|i would|) would not say no to
        would not mind / happy with / fine with / okay with / good with / comfortable with
        yes to / in favour of / in favor of
        """,
    Cue.TAKE_NEXT: """
        it is / that is / say / only / so / which is / that would be / i am at / total
        """,
    Cue.ASK: """
        how about / what about / what if / (would|could|can|will|might) you / do you think
        are you (willing|okay|fine|open|happy|able|interested|up|comfortable|good) / may i / can i
        could i / can we / could we / shall we / should we / may we / would we / we could
        you could / why (do|) not (we|you|) / any chance / is there (any|) (way|chance|room)
        possible / would it be / do you want / is it possible / how do you feel about
        how would you feel about / what do you (say|think) (to|about|of)
        what would you (say|think) (to|about|of) / (could|can|will|would) not you / can you not
        could you not / would / does / would you not / what do you think if / open to
        interested in / up for / consider / considering
        """,
    Cue.SOFT: """
        i was (hoping|thinking|considering|aiming|looking|expecting|about to|going to) / i hoped
        i wanted / (i had|i have|had) in mind / ideally / i would (like|love|prefer|rather)
        all i have (on me|) is / all i can (afford|do|spend|pay|offer) is / holding out for
        i (like|love|prefer|favour|favor|hope|wish)
        my (budget|goal|target|preference|choice|favourite|favorite) (is|was|would be|)
        (i am|i was) (hoping|aiming|wishing) (for|) / something (like|closer to|around|near)
        ballpark of / i (would|had) rather / i am leaning (towards|toward|to)
        leaning (towards|toward) / along lines of
        """,
    Cue.PAST: """
        paid / bought / cost / costs / costing / worth / value / valued / retail / retails / sells
        sold for / sold it for / selling for / goes for / go for around / priced / listed / list
        listing / asking price / (listed|listing|asking|original|retail|list) price (of|is|was)
        (initial|market|full|starting|previous|earlier) price (of|is|was)
        (initial|original|first|previous|earlier|starting) offer (of|is|was)
        your (offer|price|proposal|suggestion|bid|idea|counteroffer|counter) (of|at|for|) / your
        original / originally / original price / new one / new for / brand new / market
        offered me / offering me / instead of / rather than / compared to / compared with
        used to / would have / could have / might have / should have / saw / seen / found / find
        similar / others / (another|other) (buyer|seller|person|one|offer) / someone / somebody
        friend / repair / repairs / spent / invested / save / saving / saves / savings / since you
        if you had / if i had / knowing you / appraised / average / estimated / estimate / regular
        normally / usually / typically / considering your / in addition to / besides
        your (price|offer|proposal|suggestion|bid) (of|is|was|at|being)
        your (counteroffer|counter|budget|target|limit) (of|is|was|at|being)
        your * (price|offer|proposal|suggestion) (of|is|was|at|being|)
        your * (bid|counteroffer|budget|target|limit) (of|is|was|at|being|)
        """,
    Cue.PAST_NEXT: """
        (is|starts|begins|was|start|begin|ends|opens|closes) at / than / over / from / was / per
        of / your / its / my / has
        """,
    Cue.ECHO: """
        i (understand|see|know|hear|realize|realise) (that|your|where|why|how|you|it is)
        i (recognize|recognise|appreciate) (that|your|where|why|how|you|it is)
        i (respect|acknowledge|get) (that|your|where|why|how|you|it is)
        i (completely|fully|do) (understand|appreciate) / i understand
        you (can|could|will|would|do|did) not
        you are (unable|not|asking|selling|offering|hoping|looking|after|aiming|on|at|willing)
        you (want|wanted|need|needed|asked|ask|were)
        you (said|mentioned|offered|proposed|suggested|told|quoted)
        you (like|love|prefer|liked|would like|have set|have)
        you (had|might|feel|think|thought|believe|value)
        """,
    Cue.BOUND: """
        (less|lower|more|higher|cheaper) than / (above|below|under|beyond|past|exceed|exceeding)
        anything (less|lower|under|below|more|higher|above|over)(| than) / go over / going over
        """,
    Cue.DELTA: """
        knock (off|) / knock another / take off / take another / discount of
        (reduce|lower|drop|cut) (it|price|) by / off by / reduction of / come (down|up) by
        come (down|up) another / increase (it|of|by) / raise (it|) by / add / adding / extra
        additional / another / fee of / shipping / shipping is / deposit of / down by / up by
        difference of / difference is / further / throw in / tip of / costs me / change from
        change for / plus
        """,
    Cue.REFUSING: """
        anything but / no to / not for / not at / say no to / refuse / decline / reject / cancel
        tired of / fed up with / sick of / hate / dislike / against / not in mood for / except
        avoid
        """,
}
"""Cues for a value that follows."""

WITH_VALUES: dict[Cue, str] = {
    Cue.VALUE: "#",
    Cue.VALUE_TAKEN: """
        # it is / # it (shall|will) be
        # is more than (fair|reasonable|generous|fine|enough|okay) / # then / # works (for me|)
        # (and|) (it is|you have) (deal|yours) / # deal
        # (is|seems|sounds) (fine|fair|good|great|okay|perfect)
        # (is|seems|sounds) (acceptable|reasonable|alright|doable|possible|lovely)
        # (is|seems|sounds) (fine|fair|good|great|okay|perfect) (with|by|to|for) me
        # (is|seems|sounds) (like|) (fair|good|great) (price|offer|deal|compromise)
        # (is|seems|sounds) (like|) (reasonable) (price|offer|deal|compromise)
        # (is|seems|sounds) (like|) (excellent|wonderful) (price|offer|deal|compromise)
        # (is|seems|sounds) (like|) (fair|good|great) (idea|choice|plan|option)
        # (is|seems|sounds) (like|) (reasonable|excellent|wonderful) (idea|choice|plan|option)
        # (sound|sounds|seem|are) (good|great|fair|fine|perfect|reasonable|lovely|wonderful)
        # (it|) would work
        # would be (fine|great|good|better|perfect|ideal|fair|acceptable|best|nice|lovely|okay)
        # will do / # (and|) no (less|more|lower|higher)
        # (and|) (not|) (penny|cent) (less|more) / # agreed / # sold / # done
        # is (best|lowest|most|least|final|all)
        # is (deal|agreed|settled|minimum|maximum|limit|it|yours)
        # (is|sounds|seems|would be) (much|far) (better|nicer)
        # (is|sounds|seems|would be) (much|far) (fairer|more reasonable|more like it)
        # is (early|late|soon|good|near|close|cheap|low|high) enough / # sounds *
        # (suits|suit) (me|us) / # or nothing / # (firm|final|max|maximum|minimum|tops)
        # is where i / # takes it / # and i (will|can|would) / # if (that|it) works
        """,
    Cue.VALUE_REFUSED: """
        # (is|are|sounds|seems|feels|was|would be) (bit|little|slightly|way)
        # (is|are|sounds|seems|feels|was|would be) (far|much|rather|still)
        # (is|are|sounds|seems|feels|was|would be) (too|high|low|steep|more than|out of|over my)
        # (is|are|sounds|seems|feels|was|would be) (above my|beyond|above what|below what)
        # (is|are|sounds|seems|feels|was|would be) (lower than|higher than|less than|short of)
        # (is|are|does|do|will|would|sounds|seems) not
        # (is|are|sounds|seems) (boring|closed|crowded|loud|noisy|expensive)
        # (is|are|sounds|seems) (awful|terrible|impossible|ridiculous|insulting|robbery)
        # (is|are|sounds|seems) (outrageous|overrated|exhausting|dull|cold|far)
        # (is|are|sounds|seems) (crazy|absurd|insane|excessive|unfair|unreasonable|pushing it)
        # (too|) (high|low|steep|expensive) / (not|no) # / neither # / anything but #
        # is no good / # is hard / # is (lot|lot of money|lot to ask|asking lot) / # stretches
        # is stretching / # is stretch / # is pushing / # is off table / # is out
        """,
    Cue.VALUE_PAST: """
        # (originally|before|back then|last year|at time|yesterday)
        # (elsewhere|online|new|brand new|at store|in stores|in store)
        # (you|that you|i|that i) (asked|wanted|said|mentioned|offered|listed|paid|are asking)
        # (asking|listing|listed|list|original|retail) price / # for new one / # next time
        # (listing|budget|limit) / # on (ebay|amazon|craigslist)
        """,
    Cue.VALUE_DELTA: """
        # (off|extra|discount|cheaper|deposit|difference|lower)
        # (higher|below|above|less|reduction|increase|gap) / # (more|over|under)
        # price (drop|reduction|cut) / # (fee|tip|lock|gift card|coupon|value|per)
        # for (delivery|shipping|gas|repairs|repair|delivering|transport|parts|fuel)
        # (month|monthly|weekly|down) / # (now|today) and
        """,
    Cue.RANGE: """
        between # and # / halfway between # and # / # to # / middle between # and # / # dollar
        in between # and # / range of # to # / midpoint between # and #
        """,
    Cue.FROM_TO: """
        from # (all way|) (down|up|) to / from my # (down|up|) to / from your # (down|up|) to
        """,
}
"""Cues that hold the value."""
