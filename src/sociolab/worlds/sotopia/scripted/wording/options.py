"""What people say who have to agree on one of several options."""

from __future__ import annotations

from sociolab.worlds.sotopia.scripted.wording.table import Table

OPEN = Table(
    "We still have to settle {subject}. I'd say {option}.",
    "About {subject}: my suggestion is {option}.",
    "Let's talk about {subject}. I would like {option}.",
    "As for {subject}, what do you think of {option}?",
    "Now, {subject}: I'm for {option}.",
    warm=("Shall we decide on {subject} together? I'd love {option}.",),
    cool=("Let's not drag out {subject}. I want {option}.",),
)
ANSWER = Table(
    "I was thinking of {option}, to be honest.",
    "I had something else in mind: {option}.",
    "On my side it would rather be {option}.",
    "Left to myself, I'd choose {option}.",
    warm=("I see why you'd like that. My own first thought was {option}.",),
    cool=("That's not what I had in mind. I want {option}.",),
)
ARGUE = Table(
    "It would make things a good deal easier for me. So, {option}?",
    "I've gone through it all, and I keep coming back to {option}.",
    "There are good reasons on my side. I'd still say {option}.",
    "Of all that we could do it's the best one for me: {option}.",
    "I wouldn't ask if it didn't matter to me. Could it be {option}?",
    "The other way would be hard on me. Please think about {option}.",
    "You may not see it at once, but I believe in {option}.",
    "I can only repeat that I'd be happiest with {option}.",
    warm=(
        "I don't want to push you, but {option} would be a great help to me.",
        "It would mean a lot to me if we could say {option}.",
    ),
    cool=(
        "I see no reason to change my mind. It should be {option}.",
        "Your way costs me more than you think. I say {option}.",
    ),
)
CONCEDE = Table(
    "Perhaps we can find something in between. How about {option}?",
    "I could also do with {option}, if that helps.",
    "Let me come towards you a little: {option}?",
    "What if we said {option}?",
    "I've thought again. I'd be prepared to go with {option}.",
    "Then let me offer you {option}.",
    "Would you like {option} any better?",
    warm=(
        "I want you to be content as well. Would {option} suit you?",
        "Let's look for something for both of us. Maybe {option}?",
    ),
    cool=("I'll go as far as {option}, and no further.", "Well, then {option}, for all I care."),
)
LAST_WORD = Table(
    "The most I can do is {option}.",
    "Beyond {option} I really can't go.",
    "That's as far as I can bend: {option}.",
    "I have nothing more to give than {option}.",
    cool=("It's {option} or nothing.",),
)
ACCEPT = Table(
    "All right, agreed: {option}.",
    "Fine, that works for me. Let's say {option}.",
    "Good, I can live with that. So it's {option}, agreed.",
    "Agreed, we'll go with {option}.",
    "You've talked me round. It's a deal: {option}.",
    "Then it's settled, and I agree to {option}.",
    warm=("Yes, happily. Agreed, {option}!", "That sounds good to me. So, {option}, agreed."),
    cool=("Very well, agreed: {option}.", "Have it your way, agreed: {option}."),
)
SEAL = Table(
    "Good, then we both know: {option}.",
    "I'll note that down: {option}.",
    "So we've decided. I'll keep to it: {option}.",
    "Right, then I count on {option}.",
    warm=("I'm so glad that we found something. Then it's {option}.",),
    cool=("Good: {option}, and no more about it.",),
)
WALK = Table(
    "Then there is no agreement, and each of us sees to it alone.",
    "We won't agree on this, so I'd rather stop.",
    "I can't go along with that. Let's leave it undecided.",
    "Then we have no agreement, and that's that.",
    warm=("I'm sorry, I can't. Let's sleep on it and stay on good terms.",),
)
