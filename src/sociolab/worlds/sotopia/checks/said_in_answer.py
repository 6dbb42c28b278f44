"""What is said in answer to a proposal: assent of several strengths, refusal, delay."""

from __future__ import annotations

from sociolab.worlds.sotopia.checks.cues import Cue

ASSENT: dict[Cue, str] = {
    Cue.DEAL_WORD: "deal / done / sold / agreed / accepted",
    Cue.DEAL: """
        (it|that) is deal / (we|you) have (got|) (yourself|ourselves|) deal
        you have (bought|got) yourself / you have (got|) (yourself|) (buyer|seller)
        (that is|that will be|is) deal then / consider it (deal|done|sold) / consider it yours
        you got (it|yourself deal|deal) / i accept (your|) (offer|terms|proposal|price|it|that)
        i (will|would be happy to|am happy to|am willing to|can) accept (it|that|this)
        i (will|would be happy to) accept (your offer|your price|your proposal|those terms)
        i (am happy to|am willing to|can) accept (your offer|your price)
        i (am happy to|am willing to|can) accept (your proposal|those terms)
        i will (take|buy) (it|them|that) / i will (take|buy) * (at|for) that (price|amount)
        i will go (for|with) (it|that) / it is yours / it is all yours / let us do (it|that|this)
        let us go (ahead|) with (it|that|this|your (suggestion|proposal|idea))
        let us go (ahead|) with (it|that|this|your (plan|offer|price|option)) / let us go for it
        let us go ahead / let us shake (on it|on that|hands) / let us make it (official|happen)
        let us (finalize|close|seal) (it|this|deal) / let us call it deal
        let us (agree|settle) on (that|it|this) / shake on (it|that)
        (shakes|shake|shook|shaking) (hands|hand) / (shakes|shake|shaking) * (hand|hands)
        (shakes|shake) * * hand
        (extends|offers|offering|extending) (hand|his hand|her hand|their hand)
        holds out (hand|his hand|her hand|their hand) / shakes (it|on it)
        accepts (handshake|offer|money|cash|payment|deal) / pleasure doing business
        pleasure to do business
        (glad|happy) (that|) we (could|can|were able to|managed to) (reach|come to|agree|settle)
        (pleased|delighted|great) (that|) we (could|can) (reach|come to|agree|settle)
        (pleased|delighted|great) (that|) we (were able to|managed to) (reach|come to)
        (pleased|delighted|great) (that|) we (were able to|managed to) (agree|settle)
        (glad|happy) (that|) we (could|can) (find|work|sort|figure|make deal)
        (glad|happy) (that|) we (were able to|managed to) (find|work|sort|figure|make deal)
        (pleased|delighted|great) (that|) we (could|can) (find|work|sort|figure|make deal)
        (pleased|delighted|great) (that|) we (were able to|managed to) (find|work)
        (pleased|delighted|great) (that|) we (were able to|managed to) (sort|figure|make deal)
        (glad|happy|pleased|delighted|great) (that|) we (have|) (reached|came to|found|agreed)
        (glad|happy|pleased|delighted|great) (that|) we (have|) (settled|worked|sorted|figured)
        we (were able to|managed to|have) (reach|reached) (agreement|deal|compromise)
        we (were able to|managed to|have) (come to|find|found) (agreement|deal|compromise)
        we (have|) (reached|got) agreement / we are agreed / we are in agreement / we agree
        you win / you (have|) twisted my arm / you have (convinced|persuaded|talked) me
        i am sold / i am in / count me in / i am on board / i give in
        i (am|) (happy|glad) to agree
        (hands|handing|gives|giving) (over|) (money|cash|payment|bills|keys)
        hand over (money|cash) / (hands|gives|passes) * (money|cash|payment|agreed)
        (hands|gives|passes) over * (money|cash) / (counts|counting) out / counts (money|cash)
        (takes|accepts|pockets) (money|cash|payment) / takes out * wallet
        signs (contract|papers|paper|agreement|receipt|it)
        accept your (offer|price|proposal|terms|counteroffer) / accept (it|that) (gladly|then)
        i agree to (that|it|this|your)
        i agree with (that|your price|your offer|your proposal|your suggestion)
        (that is|it is|we are) settled / settled then / i am happy with (that|this|it)
        works for both of us / yes to that
        """,
    Cue.FINE: """
        (sounds|sound) (good|great|fair|perfect|reasonable|fine|wonderful|lovely)
        (sounds|sound) (excellent|okay|alright|ideal|nice|amazing|fantastic|awesome)
        sounds like (good|great|fair|perfect) (plan|deal|idea|compromise)
        sounds like (reasonable|wonderful|lovely|) (plan|deal|idea|compromise)
        sounds like (good|great|fair|perfect) (agreement|price|offer|solution|arrangement)
        sounds like (reasonable|wonderful|lovely|) (agreement|price|offer|solution|arrangement)
        (that|this) works (for me|perfectly|great|fine|) / works for me / works perfectly for me
        that will (work|do) (for me|)
        (that|this|it) is (fine|fair|okay|perfect) (with|by|for) me
        (that|this|it) is (acceptable|alright|good|great) (with|by|for) me
        (that|this) is (fine|fair|okay|perfect|acceptable|doable|reasonable|alright)
        that is fair enough
        (that|this) (would|should) (work|be fine|be great|be good|be perfect)
        (that|this) (would|should) (be okay|be acceptable|be lovely|be wonderful|be fair)
        i am (fine|okay|good|happy|comfortable|cool) with (that|this|it) / i can do that / can do
        i would (like|love) that / yes of course
        (good|great|wonderful|brilliant) (idea|choice|plan|thinking)
        (excellent|nice|lovely|fantastic) (idea|choice|plan|thinking) / i like (that|it|idea|this)
        i like (that|this|your) idea / why not / by all means / as you wish / be my guest
        suits me / good for me / (fine|okay|good) (by|with) me / (gives|with) thumbs up
        thumbs up / nods in (agreement|approval|assent) / agrees
        (nodding|nod) in (agreement|approval) / in agreement
        (that|this) seems (fair|reasonable|good|acceptable|fine)
        i (can|could|would|will) be (happy|fine|content|okay|comfortable) with (that|this|it)
        i can (live|work) with (that|this|it) / i could live with that / could not agree more
        i do not see why not / i (have|see) no objection (to that|)
        can not (argue|say no) (with|to) (that|it) / i do not mind
        i guess that (works|is fine|is fair) / no objection / fine then / alright then / okay then
        (good|great|perfect|wonderful) then / i agree / i am all for (it|that)
        you drive hard bargain but
        """,
    Cue.YES: """
        yes / we do / we have / okay / sure / fine / alright / all right / fair enough / of course
        no problem / not problem / certainly / absolutely / definitely / sure thing / no worries
        gladly / right / mhm / yes yes please / yes please / with pleasure / okay okay
        """,
    Cue.NOD: "nods / nod / nodding / i nod",
    Cue.NICE: """
        great / perfect / excellent / wonderful / awesome / fantastic / brilliant / lovely / super
        cool / good / amazing / splendid / terrific / sweet / nice / thank you / thanks
        thanks so much / thank you so much / hooray
        (that|this) is (good|great|fair) (price|offer|deal|compromise)
        (that|this) is (reasonable|excellent|wonderful) (price|offer|deal|compromise)
        (that|this) is (good|great|fair) (plan|idea|solution|arrangement|proposal)
        (that|this) is (reasonable|excellent|wonderful) (plan|idea)
        (that|this) is (reasonable|excellent|wonderful) (solution|arrangement|proposal)
        """,
    Cue.CLOSE: """
        see you (then|there|tomorrow|soon|later|on|at|next)
        i will (pick|come pick|come and pick) / enjoy (it|your|bike)
        looking forward to (it|picking|seeing|riding|using|meeting|receiving|having)
        i will bring (money|cash|payment|it)
        i will (get|grab|fetch) (my wallet|money|cash|my purse|receipt|paperwork)
        i will (send|transfer|wire|venmo) (you|money)
        here is (money|cash|payment|receipt|key|your money) / here are keys / take good care of it
        i will load it / i will have it ready / let me get (my wallet|money|cash|receipt)
        (i will|let us) arrange (pickup|delivery|payment)
        let us (arrange|sort out|discuss) (pickup|delivery|payment|details|logistics|time)
        when can i pick / when can you pick / i will make (payment|transfer)
        how would you like to pay / how would you like me to pay / let us meet at
        """,
    Cue.CONFIRM: """
        (have|do) we (got|have) (ourselves|) (deal|agreement) / what do you (say|think)
        what would you say / (does|would|will|can) (that|this|it) (work|suit|sound|be)
        how does (that|this|it) sound / is (that|this|it) (okay|fine|fair|acceptable|alright)
        is (that|this|it) (agreeable|deal|good|possible|settled) / sound (good|fair|okay)
        sounds (good|fair) to you / (do|can) we (have|agree|got) (deal|) / are we agreed
        do we agree / would you agree / is not it / are you in
        would you be (okay|fine|happy|willing|comfortable|interested) (with|to|) (that|accept|)
        do you agree / do you accept / are you (okay|fine|happy) with (that|this|it) / agreeable
        shall we do that / can you do that / could you do that / would that be / does that
        would that / will that / is that something / can we (shake|settle) on (it|that|this)
        shall we (shake|settle) on (it|that|this) / can you (meet|match) me / do not you think
        what say you
        """,
}
"""Yes, from "as you like" to a handshake."""

REFUSAL: dict[Cue, str] = {
    Cue.NO: """
        no / sorry / unfortunately / i am afraid
        too (low|high|much|little|steep|expensive|far|early|late|small)
        (bit|little|rather|still) (low|steep|high|short|much|far|tight)
        (out of|over|above|beyond) (my|our) (budget|range|limit|price range) / not enough
        more than i (can|want|was|planned|am|had|wanted)
        less than i (can|want|was|planned|hoped|had|need) / can not afford / not sure
        my budget is (tight|limited) / lower than i / higher than i / hesitate / hesitant
        reluctant / i was hoping for (more|less|bit more|little more|bit less|better)
        not (quite|) there yet / not (quite|) what i
        can not go (that|any|so) (low|high|lower|higher) / i am not (sure|convinced|certain)
        do not think so / but that is / i do not think (that is|that works|i can)
        """,
    Cue.NEVER: """
        i do not want (it|this|that) / i have gone off it / i would (rather|sooner) not buy
        i would (rather|sooner) not sell
        no deal / no agreement / no way / (i would|i will|) rather leave it / what pity
        leave it undecided / can not go along / wish you luck / no (thanks|thank you)
        i (will|must|would|will have to) (pass|decline|refuse|reject)
        i (have to|would have to|am going to have to|think i will) (pass|decline|refuse|reject)
        not interested / can not (do|accept|agree to|take|agree with) (that|this|it)
        can not (do|accept|agree to|take|agree with) (your offer|your price|your proposal)
        can not agree / can not (do|accept|agree|take) / do not accept
        will not (do|accept|sell|work|take|buy|agree|happen|pay|go)
        (would|does|do|will) not work / i do not agree
        not going to (work|happen|sell|pay|accept|take|do|buy|agree|go) / absolutely not
        not chance / out of question / i refuse / i decline / i reject / i am out / look elsewhere
        go elsewhere / keep looking / take my business elsewhere / try somewhere else
        forget about it / (shakes|shaking|shake) (his|her|their|my|) head / never / not acceptable
        unacceptable / that is not (fair|acceptable|enough|possible|going to work|happening|deal)
        robbery / rip off / ripoff / outrageous / insulting / insult / absurd / let us not
        do not have deal / have no deal / agree to disagree / too late / not for sale
        suit yourself / i would rather not / i am not (willing|able|ready|prepared|going)
        i am not (comfortable|selling|buying|interested|accepting) / thanks but no thanks
        we can not (agree|reach|come) / not deal / not (agree|willing|possible|worth it)
        certainly not / of course not / i will not / count me out / i will leave it
        i would not do that / i said no / no and no / walks away / turns away
        could not (agree|come to|reach) / (were|are) not able to (agree|reach|come)
        we did not (agree|reach)
        """,
    Cue.WAVER: """
        i was hoping (to|we|that|you|it) / i was (really|still) hoping / i was looking (to|for)
        any (room|flexibility|leeway|wiggle room|possibility|way|chance)
        is there (any|) (room|flexibility|possibility|chance)
        (any|little|bit) (lower|better|further|more)
        (go|do|come|come down) (lower|better|further)
        (bit|little|slightly|something) (less|lower|cheaper|better) / still (bit|too|little)
        """,
    Cue.LATER: """
        think about it / think it over / let me think / (have|need) to think / sleep on it
        get back to you / need (some|more|bit more|little|) time
        i will (consider|think) (it|that|your offer|about it|about that|your proposal|)
        consider your / talk to my / check with my / speak to my / discuss it with
        i will let you know / maybe later / not right now / mull it over / consider other options
        keep (your offer|that|it) in mind / shop around / look around / another offer
        wait and see
        """,
    Cue.OFF: """
        (i|i will|i would|) (take|taking|took|takes) (that|it|my offer) back
        (i|i will|i would|) (take|taking|took|takes) (this|offer|what i said|my word) back
        take back my / (deal|offer|it|that|everything) is off (table|) / off table
        changed my mind / change my mind
        (changing|reconsider|reconsidering) my (mind|offer|decision) / forget it / never mind
        nevermind / i (withdraw|retract|cancel) / withdraw my / call it off / calling it off
        scratch that / not for sale (anymore|any more|any longer)
        no longer (for sale|available|selling|interested|want|wish|on offer|stands)
        (keeping|keep) it (after all|myself|for myself) / backing out / back out
        not selling (it|) (anymore|any more|after all) / decided (not to|against)
        on second (thought|thoughts) (, |)i (do not want (it|this|that)|would rather not)
        on second (thought|thoughts) (, |)i will leave it
        on second (thought|thoughts) (, |)(no|not|i will keep it|i will pass|keep it|leave it)
        i do not (want|need) (it|this|that|them) (any more|anymore|any longer|after all)
        i do not (think i|) want (it|to) (after all|any more|anymore)
        (thought better of|having second thoughts about|had second thoughts about) (it|this|that)
        i would (rather|sooner) not after all / (pull|pulling|pulled) out of (it|this|deal|sale)
        deal is cancelled / cancel (deal|it) / sold it to (someone|somebody)
        """,
    Cue.CHEAT: """
        without paying / without (giving|handing|leaving) / runs (off|away)
        refuses to (pay|hand) / (steals|snatches|grabs) * and (runs|leaves|rides)
        keeps (money|cash) / pockets * and (runs|leaves|refuses)
        """,
}
"""No, not yet, and not any more."""
