"""What people say who divide goods."""

from __future__ import annotations

from sociolab.worlds.sotopia.scripted.wording.table import Table

ASK_WHAT_MATTERS = Table(
    "Before we start, what would you most like to have?",
    "Tell me first what matters most to you here.",
    "What are you after in all this?",
    "Which of these things do you care about most?",
    warm=("I'd like us both to be happy with it. What would you enjoy most?",),
    cool=("What is it you want out of this?",),
)
TELL_WHAT_MATTERS = Table(
    "I care most about the {good}.",
    "I set most store by the {good}.",
    "Above all I'd like the {good}.",
    "For me it's mainly about the {good}.",
    "I have my eye on the {good}, I admit.",
)
PROPOSE_FIRST = Table(
    "Let me make a start: I take {mine}, and you get {yours}.",
    "How about this for a beginning: I take {mine}, and you take {yours}.",
    "I've thought about it: I get {mine}, and you get {yours}.",
    "My first idea: I have {mine}, and you have {yours}.",
    "Let me suggest something: I keep {mine}, and you keep {yours}.",
    warm=("Tell me what you think: I take {mine}, and you get {yours}.",),
    cool=("It's simple, I think: I take {mine}, and you get {yours}.",),
)
PROPOSE = Table(
    "I'd rather do it so: I take {mine}, and you get {yours}.",
    "How about this: I take {mine}, and you take {yours}.",
    "What if I have {mine}, and you have {yours}?",
    "Let me suggest something: I get {mine}, and you get {yours}.",
    "Suppose I keep {mine}, and you keep {yours}.",
    "My idea: I take {mine}, you take {yours}.",
    "We could do it like this: I have {mine}, you have {yours}.",
    "Here's another way: I get {mine}, you get {yours}.",
    "Could you live with this? I take {mine}, and you get {yours}.",
    "Then let me try again: I keep {mine}, and you keep {yours}.",
    "Let me turn it round: I have {mine}, and you get {yours}.",
    warm=(
        "I want it to be good for you too. I take {mine}, you take {yours}?",
        "You should have something you like. I get {mine}, and you have {yours}.",
    ),
    cool=(
        "I'd say I take {mine}, and you get {yours}.",
        "Let's be practical: I have {mine}, you have {yours}.",
    ),
)
LAST_WORD = Table(
    "This is as far as I can go: I take {mine}, and you get {yours}.",
    "My last offer: I have {mine}, and you have {yours}.",
    "More I can't give up. I keep {mine}, and you keep {yours}.",
    cool=("That's my final word: I take {mine}, you take {yours}.",),
)
ACCEPT = Table(
    "Agreed. I take {mine}, and you get {yours}.",
    "All right, it's a deal: I have {mine}, and you have {yours}.",
    "Fine, that works for me. I get {mine}, and you get {yours}.",
    "Good, I agree to that: I keep {mine}, and you keep {yours}.",
    "Done. I take {mine}, you take {yours}.",
    warm=("That sounds fair. So I take {mine}, and you take {yours}. Agreed!",),
    cool=("Very well, agreed. I get {mine}, you get {yours}.",),
)
SEAL = Table(
    "Good, then let's do it exactly like that.",
    "Then it's settled. I'll put mine to one side.",
    "I can be happy with that. Thanks for talking it through.",
    "Right, that's how we share it, then.",
    warm=("I'm glad. I think we both did well there.",),
    cool=("Good. Then let's get on with it.",),
)
WALK = Table(
    "Then we leave everything as it is for today.",
    "I can't agree to that, so we'd better stop here.",
    "We won't get any further today, I'm afraid.",
    "No, then we have no agreement, and I'll go.",
    warm=("I'm sorry, I can't make this work. Let's not fall out over it.",),
)
SORT = Table(
    "begins to sort everything into piles",
    "makes a small drawing of who gets what",
    "scribbles a few numbers on a scrap of paper",
    "looks from one pile to the other",
    "counts the {good} once more",
    "picks something up, looks at it and puts it back",
    "moves a few things from one side to the other",
)
