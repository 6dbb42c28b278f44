"""The phrases by which people offer, agree, refuse, hedge and mock, whatever it is about.

A `#` stands for a value: an amount of money, an option, a share. Articles and fillers ("just",
"really") are dropped from the words before the tables are used, and contractions are written out,
so the tables hold neither.
"""

from __future__ import annotations

from enum import Enum, auto


class Cue(Enum):
    """What a phrase does."""

    # What is said of a value that follows.
    TAKE = auto()  # I stand for it
    ASK = auto()  # would you?
    SOFT = auto()  # I would like it, but am not bound
    PAST = auto()  # a report: what it cost, what you said, what others paid
    TAKE_NEXT = auto()  # as TAKE, but only of a value that follows at once
    PAST_NEXT = auto()
    BOUND = auto()  # more than, less than: an offer only after a "not"
    DELTA = auto()  # a difference, not a value
    REFUSING = auto()  # anything but
    ECHO = auto()  # restates what the other said, to the end of the clause
    # What is said of a value that stands in the phrase.
    VALUE = auto()  # nothing is said of it
    VALUE_TAKEN = auto()  # it is, works for me
    VALUE_REFUSED = auto()  # is too much
    VALUE_PAST = auto()
    VALUE_DELTA = auto()
    RANGE = auto()  # between this and that
    FROM_TO = auto()  # from the old one to (the new one follows)
    # What is said of what the other has proposed.
    DEAL = auto()
    DEAL_WORD = auto()  # "deal", "done": only where it stands alone
    FINE = auto()
    YES = auto()  # only where it stands alone
    NOD = auto()
    NICE = auto()  # only where it stands alone
    CLOSE = auto()  # see you tomorrow, I'll bring the money
    CONFIRM = auto()  # what do you say?
    NO = auto()
    NEVER = auto()
    LATER = auto()
    WAVER = auto()  # was hoping for less; not agreed yet
    OFF = auto()
    CHEAT = auto()  # the deal is broken in deed
    # What changes the meaning of the rest.
    NOT = auto()
    IF = auto()
    ONLY_IF = auto()
    MOCK = auto()
    IRONY = auto()
    ASIDE = auto()  # a yes before it only says "I hear you"
    BUT = auto()
    BREAK = auto()  # what was said so far says nothing of what follows
    COMMA = auto()
    OR = auto()
    LOGISTICS = auto()
    ANOTHER_TIME = auto()
    NOTHING = auto()  # looks like one of the others and is none


VALUE_CUES: dict[Cue, str] = {
    Cue.TAKE: """
        i (can|could|will|would|should) / (i am|we are) (willing|happy|ready|prepared|able|glad)
        i am (offering|asking|selling|thinking|looking|going|at|proposing|suggesting)
        i (offer|ask|want|need|sell|pay|give|take|accept|propose|suggest|say|think|vote|choose)
        i (have|must|want|need) to (ask|get|have|sell|pay|insist on)
        (can|to) (do|accept|offer|pay|go) / let us / make (it|that) / call it / let it go
        settle (on|for|at) / settling (on|for|at) / agree (on|to) / agreed (on|at|to|upon)
        deal (at|for|is) / offer (of|is|would be|stands at) / offering / price (of|is|would be|at)
        best i can do / lowest i can (go|do) / most i can (do|pay|offer) / least i can (do|take)
        bottom line / last (word|offer|price) / final (offer|price) / (best|lowest|highest) (offer|price)
        yours for / is yours / you can (have|take|get|keep) / you could have
        have it / part with it / no less than / no more than / at least / at most / up to / down to
        nothing (less|more|higher|lower) than / no (lower|higher) than / not penny (more|less) than
        (minimum|maximum|max|min) (of|is|price|) / limit is / my limit / ceiling / floor
        as (low|high|little|much) as / (come|go|came) (down|up) to / lower (it|price|my offer) to
        raise (it|my offer) to / meet (you|me) (at|halfway at|in middle at) / meet at / closer to
        meet in middle / split difference / meet halfway
        accept / accepting / confirm / for (total|grand total) of / total of / total is
        bringing (it|price|total) to / (brings|makes) (it|that) / making it / comes to / works out (to|at)
        firm (at|on) / stick (to|with|at) / stay at / hold at / stand at / fixed at / round (it|) (up|down|) to
        go with / going with / go for / going for / vote for / opt for / prefer / suggest / propose
        recommend / pick / choose / willing / (i|i would|) would not say no to / would not mind / happy with / fine with
        okay with / good with / comfortable with / yes to / in favour of / in favor of
        """,
    Cue.TAKE_NEXT: "it is / that is / say / only / so / which is / that would be / i am at / total",
    Cue.ASK: """
        how about / what about / what if / (would|could|can|will|might) you / do you think
        are you (willing|okay|fine|open|happy|able|interested|up|comfortable|good) / may i / can i
        could i / can we / could we / shall we / should we / may we / would we / we could / you could
        why (do|) not (we|you|) / any chance / is there (any|) (way|chance|room) / possible
        would it be / do you want / is it possible / how do you feel about / how would you feel about
        what do you (say|think) (to|about|of) / what would you (say|think) (to|about|of)
        (could|can|will|would) not you / can you not / could you not / would / does / would you not
        what do you think if / open to / interested in / up for / consider / considering
        """,
    Cue.SOFT: """
        i was (hoping|thinking|considering|aiming|looking|expecting|about to|going to) / i hoped
        i wanted / (i had|i have|had) in mind / ideally / i would (like|love|prefer|rather)
        all i have (on me|) is / all i can (afford|do|spend|pay|offer) is / holding out for
        i (like|love|prefer|favour|favor|hope|wish) / my (budget|goal|target|preference|choice|favourite|favorite) (is|was|would be|)
        (i am|i was) (hoping|aiming|wishing) (for|) / something (like|closer to|around|near) / ballpark of
        i (would|had) rather / i am leaning (towards|toward|to) / leaning (towards|toward) / along lines of
        """,
    Cue.PAST: """
        paid / bought / cost / costs / costing / worth / value / valued / retail / retails / sells
        sold for / sold it for / selling for / goes for / go for around / priced / listed / list
        listing / asking price / (listed|listing|asking|original|retail|list|initial|market|full|starting|previous|earlier) price (of|is|was)
        (initial|original|first|previous|earlier|starting) offer (of|is|was)
        your (offer|price|proposal|suggestion|bid|idea|counteroffer|counter) (of|at|for|) / your
        original / originally / original price / new one / new for / brand new / market / offered me
        offering me / instead of / rather than / compared to / compared with
        used to / would have / could have / might have / should have / saw / seen / found / find
        similar / others / (another|other) (buyer|seller|person|one|offer) / someone / somebody
        friend / repair / repairs / spent / invested / save / saving / saves / savings / since you
        if you had / if i had / knowing you / appraised
        average / estimated / estimate / regular / normally / usually / typically / considering your
        in addition to / besides / your (price|offer|proposal|suggestion|bid|counteroffer|counter|budget|target|limit) (of|is|was|at|being)
        your * (price|offer|proposal|suggestion|bid|counteroffer|budget|target|limit) (of|is|was|at|being|)
        """,
    Cue.PAST_NEXT: "(is|starts|begins|was|start|begin|ends|opens|closes) at / than / over / from / was / per / of / your / with / without / its / my / has",
    Cue.ECHO: """
        i (understand|see|know|hear|realize|realise|recognize|recognise|appreciate|respect|acknowledge|get) (that|your|where|why|how|you|it is)
        i (completely|fully|do) (understand|appreciate) / i understand / you (can|could|will|would|do|did) not / you are (unable|not|asking|selling|offering|hoping|looking|after|aiming|on|at|willing)
        you (want|wanted|need|needed|asked|ask|were|said|mentioned|offered|proposed|suggested|told|quoted|like|love|prefer|liked|would like|have set|have|had|might|feel|think|thought|believe|value)
        """,
    Cue.BOUND: """
        (less|lower|more|higher|cheaper) than / (above|below|under|beyond|past|exceed|exceeding)
        anything (less|lower|under|below|more|higher|above|over)(| than) / go over / going over
        """,
    Cue.DELTA: """
        knock (off|) / knock another / take off / take another / discount of / (reduce|lower|drop|cut) (it|price|) by
        off by / reduction of / come (down|up) by / come (down|up) another / increase (it|of|by) / raise (it|) by / add
        adding / extra / additional / another / fee of / shipping / shipping is / deposit of / down by / up by
        difference of / difference is / further / throw in / tip of / costs me / change from / change for
        plus
        """,
    Cue.REFUSING: """
        anything but / no to / not for / not at / say no to / refuse / decline / reject / cancel
        tired of / fed up with / sick of / hate / dislike / against / not in mood for / except / avoid
        """,
    Cue.VALUE: "#",
    Cue.VALUE_TAKEN: """
        # it is / # then / # works (for me|) / # (and|) (it is|you have) (deal|yours) / # deal
        # (is|seems|sounds) (fine|fair|good|great|okay|perfect|acceptable|reasonable|alright|doable|possible|lovely)
        # (is|seems|sounds) (fine|fair|good|great|okay|perfect) (with|by|to|for) me
        # (is|seems|sounds) (like|) (fair|good|great|reasonable|excellent|wonderful) (price|offer|deal|compromise|idea|choice|plan|option)
        # (sound|sounds|seem|are) (good|great|fair|fine|perfect|reasonable|lovely|wonderful)
        # (it|) would work / # would be (fine|great|good|better|perfect|ideal|fair|acceptable|best|nice|lovely|okay)
        # will do / # (and|) no (less|more|lower|higher) / # (and|) (not|) (penny|cent) (less|more) / # agreed / # sold / # done
        # is (my|our|as|best|lowest|most|least|final|all) / # is (deal|agreed|settled|minimum|maximum|limit|it|yours)
        # is (early|late|soon|good|near|close|cheap|low|high) enough / # sounds * / # (suits|suit) (me|us) / # or nothing / # (firm|final|max|maximum|minimum|tops)
        # is where i / # takes it / # and i (will|can|would) / # if (that|it) works
        """,
    Cue.VALUE_REFUSED: """
        # (is|are|sounds|seems|feels|would be|was) (bit|little|slightly|way|far|much|rather|still|) (too|high|low|steep|much|more than|out of|over my|above my|beyond|above what|below what|lower than|higher than|less than|short of)
        # (is|are|does|do|will|would|sounds|seems) not / # (is|are|sounds|seems) (boring|closed|crowded|loud|noisy|expensive|awful|terrible|impossible|ridiculous|insulting|robbery|outrageous|overrated|exhausting|dull|cold|far|crazy|absurd|insane|excessive|unfair|unreasonable|pushing it|bit far|bit much|bit steep|bit low|bit high)
        # (too|) (high|low|steep|expensive) / (not|no) # / neither # / anything but # / # is no good / # is hard
        # is (lot|lot of money|lot to ask|asking lot) / # is (more|less|higher|lower) than
        # stretches / # is stretching / # is stretch / # is pushing / # is off table / # is out
        """,
    Cue.VALUE_PAST: """
        # (originally|before|back then|last year|at time|yesterday|elsewhere|online|new|brand new|at store|in stores|in store)
        # (you|that you|i|that i) (asked|wanted|said|mentioned|offered|listed|paid|are asking)
        # (asking|listing|listed|list|original|retail) price / # for new one / # next time
        # (listing|budget|limit) / # on (ebay|amazon|craigslist)
        """,
    Cue.VALUE_DELTA: """
        # (off|extra|discount|cheaper|deposit|difference|lower|higher|below|above|less|reduction|increase|gap)
        # (more|over|under) / # price (drop|reduction|cut) / # (fee|tip|lock|gift card|coupon|value|per)
        # for (delivery|shipping|gas|repairs|repair|delivering|transport|parts|fuel)
        # (month|monthly|weekly|down) / # (now|today) and
        """,
    Cue.RANGE: """
        between # and # / halfway between # and # / # to # / middle between # and #
        # dollar / in between # and # / range of # to # / midpoint between # and #
        """,
    Cue.FROM_TO: "from # (all way|) (down|up|) to / from my # (down|up|) to / from your # (down|up|) to",
}

ASSENT_CUES: dict[Cue, str] = {
    Cue.DEAL_WORD: "deal / done / sold / agreed / accepted",
    Cue.DEAL: """
        it is deal / (we|you) have (got|) (yourself|) deal / you have (got|) (yourself|) (buyer|seller)
        (that is|that will be|is) deal then / consider it (deal|done|sold) / consider it yours
        you got (it|yourself deal|deal) / i accept (your|) (offer|terms|proposal|price|it|that)
        i (will|would be happy to|am happy to|am willing to|can) accept (it|that|this|your offer|your price|your proposal|those terms)
        i will (take|buy) (it|them|that) / i will go (for|with) (it|that) / it is yours / it is all yours
        let us do (it|that|this) / let us go (ahead|) with (it|that|this|your (suggestion|proposal|idea|plan|offer|price|option)) / let us go for it / let us go ahead
        let us shake (on it|on that|hands) / let us make it (official|happen) / let us (finalize|close|seal) (it|this|deal)
        let us call it deal / let us (agree|settle) on (that|it|this) / shake on (it|that)
        (shakes|shake|shook|shaking) (hands|hand) / (shakes|shake|shaking) * (hand|hands)
        (shakes|shake) * * hand / accepts (handshake|offer|money|cash|payment|deal)
        pleasure doing business / pleasure to do business
        (glad|happy|pleased|delighted|great) (that|) we (could|can|were able to|have|managed to|) (reach|reached|come to|came to|make|made|found|find) (an|mutual|mutually|fair|) (agreement|deal|understanding|compromise|arrangement|mutually)
        (glad|happy|pleased|delighted|great) (that|) we (could|can|were able to|have|managed to|) (settle|settled|agree|agreed|sort|sorted|work|worked|figure|figured) (this|that|it|on|out|something)
        we (have|) (reached|got) agreement / we are agreed / we are in agreement / we agree
        you win / you (have|) twisted my arm / you have (convinced|persuaded|talked) me / i am sold
        i am in / count me in / i am on board / i give in / i (am|) (happy|glad) to agree
        (hands|handing|hand|gives|giving|hand) (over|) (money|cash|payment|bills|keys)
        (hands|gives|passes) * (money|cash|payment|agreed) / (hands|gives|passes) over * (money|cash)
        (counts|counting) out / counts (money|cash) / (takes|accepts|pockets) (money|cash|payment)
        takes out * wallet / signs (contract|papers|paper|agreement|receipt|it) / accept your (offer|price|proposal|terms|counteroffer) / accept (it|that) (gladly|then)
        i agree to (that|it|this|your) / i agree with (that|your price|your offer|your proposal|your suggestion)
        (that is|it is|we are) settled / settled then / i am happy with (that|this|it)
        works for both of us / yes to that
        """,
    Cue.FINE: """
        (that|this|it|) (sounds|sound) (good|great|fair|perfect|reasonable|fine|wonderful|lovely|excellent|okay|alright|ideal|nice|amazing|fantastic|awesome)
        (that|this|it|) sounds like (good|great|fair|perfect|reasonable|wonderful|lovely|) (plan|deal|idea|compromise|agreement|price|offer|solution|arrangement)
        (that|this) works (for me|perfectly|great|fine|) / works for me / works perfectly for me / that will (work|do) (for me|)
        (that|this|it) is (fine|fair|okay|perfect|acceptable|alright|good|great) (with|by|for) me
        (that|this) is (fine|fair|okay|perfect|acceptable|doable|reasonable|alright) / that is fair enough
        (that|this) (would|should) (work|be fine|be great|be good|be perfect|be okay|be acceptable|be lovely|be wonderful|be fair)
        i am (fine|okay|good|happy|comfortable|cool) with (that|this|it) / i can do that / can do
        i would (like|love) that / yes of course / (good|great|wonderful|brilliant|excellent|nice|lovely|fantastic) (idea|choice|plan|thinking)
        i like (that|it|idea|this) / i like (that|this|your) idea / why not / by all means / as you wish
        be my guest / suits me / good for me / (fine|okay|good) (by|with) me / (gives|with) thumbs up / thumbs up
        nods in (agreement|approval|assent) / agrees / (nodding|nod) in (agreement|approval) / in agreement
        (that|this) seems (fair|reasonable|good|acceptable|fine) / i can (live|work) with (that|this|it)
        i could live with that / could not agree more / i do not see why not / i (have|see) no objection (to that|)
        can not (argue|say no) (with|to) (that|it) / i do not mind / i guess that (works|is fine|is fair)
        no objection / fine then / alright then / okay then / (good|great|perfect|wonderful) then
        i agree / i am all for (it|that) / you drive hard bargain but
        """,
    Cue.YES: """
        yes / okay / sure / fine / alright / all right / fair enough / of course / no problem / not problem
        certainly / absolutely / definitely / sure thing / no worries / gladly
        right / mhm / yes yes please / yes please / with pleasure / okay okay
        """,
    Cue.NOD: "nods / nod / nodding / i nod",
    Cue.NICE: """
        great / perfect / excellent / wonderful / awesome / fantastic / brilliant / lovely / super
        cool / good / amazing / splendid / terrific / sweet / nice / thank you / thanks / thanks so much / thank you so much / hooray
        (that|this) is (good|great|fair|reasonable|excellent|wonderful) (price|offer|deal|compromise|plan|idea|solution|arrangement|proposal)
        """,
    Cue.CLOSE: """
        see you (then|there|tomorrow|soon|later|on|at|next) / i will (pick|come pick|come and pick) / enjoy (it|your|bike)
        looking forward to (it|picking|seeing|riding|using|meeting|receiving|having) / i will bring (money|cash|payment|it)
        i will (get|grab|fetch) (my wallet|money|cash|my purse|receipt|paperwork) / i will (send|transfer|wire|venmo) (you|money)
        here is (money|cash|payment|receipt|key|your money) / here are keys / take good care of it / i will load it
        i will have it ready / let me get (my wallet|money|cash|receipt) / (i will|let us) arrange (pickup|delivery|payment)
        let us (arrange|sort out|discuss) (pickup|delivery|payment|details|logistics|time) / when can i pick / when can you pick
        i will make (payment|transfer) / how would you like to pay / how would you like me to pay / let us meet at
        """,
    Cue.CONFIRM: """
        what do you (say|think) / what would you say / (does|would|will|do|can) (that|this|it) (work|suit|sound|be okay|be fine|be acceptable)
        how does (that|this|it) sound / is (that|this|it) (okay|fine|fair|acceptable|alright|agreeable|deal|good|possible|settled)
        sound (good|fair|okay) / sounds (good|fair) to you / (do|can) we (have|agree|got) (deal|) / are we agreed / do we agree
        would you agree / is not it / are you in / would you be (okay|fine|happy|willing|comfortable|interested) (with|to|) (that|accept|)
        do you agree / do you accept / are you (okay|fine|happy) with (that|this|it) / agreeable / shall we do that
        can you do that / could you do that / would that be / does that / would that / will that / is that something
        can we (shake|settle) on (it|that|this) / shall we (shake|settle) on (it|that|this) / can you (meet|match) me / do not you think / what say you
        """,
}

REFUSAL_CUES: dict[Cue, str] = {
    Cue.NO: """
        no / sorry / unfortunately / i am afraid / too (low|high|much|little|steep|expensive|far|early|late|small)
        (bit|little|rather|still) (low|steep|high|short|much|far|tight) / (out of|over|above|beyond) (my|our) (budget|range|limit|price range)
        not enough / more than i (can|want|was|planned|am|had|wanted) / less than i (can|want|was|planned|hoped|had|need)
        can not afford / not sure / my budget is (tight|limited) / lower than i / higher than i
        hesitate / hesitant / reluctant / i was hoping for (more|less|bit more|little more|bit less|better)
        not (quite|) there yet / not (quite|) what i / can not go (that|any|so) (low|high|lower|higher)
        i am not (sure|convinced|certain) / do not think so / but that is / i do not think (that is|that works|i can)
        """,
    Cue.NEVER: """
        no deal / no way / no (thanks|thank you) / i (will|must|would|will have to|have to|would have to|am going to have to|think i will) (pass|decline|refuse|reject)
        not interested / can not (do|accept|agree to|take|agree with) (that|this|it|your offer|your price|your proposal) / can not agree
        can not (do|accept|agree|take) / do not accept / will not (do|accept|sell|work|take|buy|agree|happen|pay|go) / (would|does|do|will) not work
        i do not agree / not going to (work|happen|sell|pay|accept|take|do|buy|agree|go) / absolutely not / not chance
        out of question / i refuse / i decline / i reject / i am out / look elsewhere / go elsewhere / keep looking
        take my business elsewhere / try somewhere else / forget about it / (shakes|shaking|shake) (his|her|their|my|) head / never
        not acceptable / unacceptable / that is not (fair|acceptable|enough|possible|going to work|happening|deal) / robbery / rip off / ripoff
        outrageous / insulting / insult / absurd / let us not / do not have deal / have no deal / agree to disagree / too late
        not for sale / suit yourself / i would rather not / i am not (willing|able|ready|prepared|going|comfortable|selling|buying|interested|accepting)
        thanks but no thanks / we can not (agree|reach|come) / not deal / not (agree|willing|possible|worth it) / certainly not / of course not
        i will not / count me out / i will leave it / i would not do that / i said no / no and no / walks away / turns away
        could not (agree|come to|reach) / (were|are) not able to (agree|reach|come) / we did not (agree|reach)
        """,
    Cue.WAVER: """
        i was hoping (to|we|that|you|it) / i was (really|still) hoping / i was looking (to|for) / any (room|flexibility|leeway|wiggle room|possibility|way|chance) / is there (any|) (room|flexibility|possibility|chance)
        (go|do|come|come down) (any|little|bit|) (lower|better|further|more) / (bit|little|slightly|something) (less|lower|cheaper|better) / still (bit|too|little)
        """,
    Cue.LATER: """
        think about it / think it over / let me think / (have|need) to think / sleep on it / get back to you
        need (some|more|bit more|little|) time / i will (consider|think) (it|that|your offer|about it|about that|your proposal|) / consider your
        talk to my / check with my / speak to my / discuss it with / i will let you know / maybe later / not right now / mull it over / consider other options
        keep (your offer|that|it) in mind / shop around / look around / another offer / wait and see
        """,
    Cue.OFF: """
        (i|i will|i would|) (take|taking|took|takes) (that|it|my offer|this|offer|what i said|my word) back / take back my / (deal|offer|it|that|everything) is off (table|) / off table
        changed my mind / change my mind / (changing|reconsider|reconsidering) my (mind|offer|decision) / forget it / never mind / nevermind
        i (withdraw|retract|cancel) / withdraw my / call it off / calling it off / scratch that / not for sale (anymore|any more|any longer)
        no longer (for sale|available|selling|interested|want|wish|on offer|stands) / (keeping|keep) it (after all|myself|for myself) / backing out / back out
        not selling (it|) (anymore|any more|after all) / decided (not to|against) / deal is cancelled / cancel (deal|it) / sold it to (someone|somebody)
        """,
    Cue.CHEAT: """
        without paying / without (giving|handing|leaving) / runs (off|away) / refuses to (pay|hand) / (steals|snatches|grabs) * and (runs|leaves|rides)
        keeps (money|cash) / pockets * and (runs|leaves|refuses)
        """,
}

SHAPING_CUES: dict[Cue, str] = {
    Cue.NOT: "not / never / nothing / nor / neither / hardly / unable / hard / difficult / impossible / hesitant / reluctant",
    Cue.IF: "if / unless / in case / when you have / once you have",
    Cue.ONLY_IF: """
        only if / as long as / so long as / provided (that|) / on (one|) condition / under (one|) condition
        on condition that / assuming / but only / in exchange for / contingent on / if and only if / one condition
        """,
    Cue.MOCK: """
        in your dreams / keep dreaming / dream on / when pigs fly / when hell freezes / as if / yes right / ha ha very
        (you must be|are you|you are|you have to be|you have got to be) (joking|kidding|crazy|insane|out of your mind|nuts|dreaming) / are you serious / very funny / nice try
        fat chance / not in million years / over my dead body / give me break / good luck with that / get real / be serious
        (rolls|rolling|roll) (his|her|their|my|) eyes / in what world / on what planet / you wish / hilarious / what joke / is joke
        believe it when / laughs out loud / bursts out laughing / laughs in
        """,
    Cue.IRONY: """
        oh sure / oh yes / oh right / oh great / oh wonderful / oh brilliant / oh fantastic / oh perfect / what (bargain|steal|gift|generous)
        how generous / sure sure / whatever / i will take (ten|dozen) / (king|queen) of / my unicorn / why not million / sarcastically / sarcastic / smirks / mockingly
        throw in (moon|kidney|my) / my firstborn / brilliant idea not / wow thanks / genius
        """,
    Cue.ASIDE: """
        i get (it|that|you|your|where|what|why) / i (understand|see|hear|know|appreciate|guess|mean|suppose|remember|completely|totally|can see|can understand) / it (is|does|has|was|comes|did|includes|runs|still) / they (are|do|come|were)
        (i|we) (have|do|did|was|am here|am interested|had|got) / there (is|are) / let me (see|think|tell|explain|ask|know) / but / (he|she) (is|does|did|was) / once / understandable
        i am (here|interested|looking|still|aware|just) / that is (true|right|correct|understandable) / you are right / true / exactly / here / take your time / go on / i think it is / i think that it is
        """,
    Cue.BUT: """
        but / however / though / although / yet / only that
        """,
    Cue.BREAK: """
        while / whereas / because / since / considering that / given that / given / ; / - / : / despite / whether / so that
        considering (it|how|wear|condition|age|its)
        """,
    Cue.COMMA: ",",
    Cue.OR: "or / alternatively / otherwise",
    Cue.LOGISTICS: """
        pick (it|up|them) / pickup / cash / venmo / paypal / check / deliver / delivery / address / what time / when (can|could|should|would|do|will|shall|may|might|is) / where (can|should|do|shall|could|would)
        pay (you|now|today) / transfer / payment / which day / today or tomorrow / receipt / load it / in person
        """,
    Cue.ANOTHER_TIME: "next time / another time / another day / some other (time|day) / afterwards / after that / next week / next month / later / tomorrow we",
    Cue.NOTHING: """
        (ground|solution|price|deal|something|compromise|agreement|way|arrangement|number|figure|offer|plan|option|time|day) that (works|work|is|would|sounds|seems|suits|will|could) / that (works|work|would work|is fair|is good) for (both|us|everyone|all|each)
        nods (thoughtfully|slowly|politely|understandingly|along|while|and (listens|thinks|considers|waits)|pensively|considering|as he listens|as she listens|in understanding|sympathetically|attentively|to show)
        nod (thoughtfully|slowly|politely|understandingly|along|while|in understanding|sympathetically|attentively)
        if (you|) (do|) not mind / if (that|it|this|you) (is|are) (okay|fine|alright|good|possible|agreeable|acceptable|all right|interested|happy|willing|cool|comfortable|ready|free|serious) (with|for|by|) (you|that|it|this|me|us|to|everyone|)
        if (that|it|this) (works|suits|helps|sounds good|sounds fair|seems fair|makes sense) (for|to|) (you|both of us|us|) / if you (like|want|wish|please|agree|prefer|ask me|insist|say so|would like|know what i mean|change your mind|are up for it)
        if you have any (more|other|further|) (questions|concerns|problems|issues) / if you need (anything|any|help|more|me) / even if / (see|wondering|wonder|know|ask|sure|tell|check|asking|seeing) if
        if i may / if i (remember|recall) / if i am (honest|not mistaken|being honest) / if (possible|anything|not|so|needed|necessary|any) / if we can / if you could / if you (ever|still) (want|need|have|would like) / if there is (anything|any)
        not only / not bad / would not mind / wouldn't say no / not to mention / do not worry / no (doubt|rush|matter|need|pressure|hurry|idea|wonder|issues|scratches|dents|damage|rust|hard feelings|question|pets|children) / do not get me wrong
        not at all / no more (questions|issues) / no longer have / big deal / great deal of / deal with / good deal more / deal breaker / better deal / best deal / good deal / fair deal / great deal / bad deal / real deal / what is deal / sweeten deal
        all done / well done / have done / has done / been done / be done / was done / is done / get (it|this) done / done (it|this|that|some|my|with|before|so|nothing) / not yet
        sounds good so far / okay so / great shape / good (condition|shape|to know|morning|afternoon|evening|day|question|point|luck) / good to (know|hear|see|meet) / great (condition|to|bike|for) / nice (to|bike|day|place|one) / lovely (weather|day|bike|place|to) / perfect (condition|for) / fine (condition|day) / great question
        right now / all right here / right away / right here / no one / no longer new / no other / no signs / sorry to (hear|keep|bother|interrupt) / sorry for / sorry about / thank you for / thanks for / sorry i am late
        i like your / i would like to (know|see|hear|ask|thank|say|point|think) / i would love to (know|see it|hear|ask) / i can (see|understand|assure|tell|imagine|appreciate|not help) / i could not help / i would say that it / i think it is (great|good|nice|lovely)
        or so / or two / more or less / or not / or what / or anything / in or out / and or / that is all / that is (great to|good to|nice to) / of course i (understand|see|know)
        what do you (want|need|have|know|like) / could you tell / can you tell / could you (explain|describe|elaborate|say more) / can you (explain|describe|elaborate|say more) / may i ask / can i ask / would you mind (telling|if i) / may i see / can i (see|try|take look) / could i (see|try|take look) / do you think about
        each other / every day / every time / my friend / old friend / best friend
        i will never / never been / never had / never (used|ridden|crashed|broken) / hardly (used|ridden|any) / hard (to find|work|sell|to say)
        """,
}

TABLES = (VALUE_CUES, ASSENT_CUES, REFUSAL_CUES, SHAPING_CUES)

# Where an interjection ("yes", "deal") may begin and end.
OPENERS = frozenset(
    ", . ! ? - : ; okay yes alright fine then great but so perfect sure right well and oh hmm ah now "
    "no excellent wonderful it's".split()
)
CLOSERS = frozenset(", . ! ? - : ; then at for # and sir my mate friend that let it's".split())

# A value that stands with these words only, between commas, is an offer in itself.
FLUFF = frozenset(
    "okay yes alright all right fine then cash in total only for it this bike today now and so but "
    "no well final flat even right sharp more er um hmm oh ah at let go what you say deal like "
    "here somewhere around about that price dollars to me my friend sir thanks thank great perfect "
    "good maybe wait sorry hm just it is".split()
)
