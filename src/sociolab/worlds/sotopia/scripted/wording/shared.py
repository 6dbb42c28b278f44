"""What anybody may say in any scene: greetings, farewells, asides and gestures."""

from __future__ import annotations

from sociolab.worlds.sotopia.scripted.wording.table import Table

GREET_STRANGER = Table(
    "Hello.",
    "Hi there.",
    "Good day.",
    "Hello there.",
    "Hi.",
    warm=("Hello, how nice to meet somebody friendly.", "Hi, lovely to meet you."),
    cool=("Hello. I'll come to the point.", "Right, hello."),
)
GREET_WITH_NAME = Table(
    "Hello, I'm {me}.",
    "Hi, my name is {me}.",
    "Hi there, {me} is my name.",
    "I'm {me}, by the way.",
    warm=("Hello! I'm {me}, it's good to meet you.", "Hi, I'm {me}. Nice to meet you."),
    cool=("{me}. Hello.", "The name is {me}."),
)
GREET_KNOWN = Table(
    "Hi {name}.",
    "Hello, {name}.",
    "{name}, hello.",
    "There you are, {name}.",
    "Hey {name}.",
    warm=(
        "{name}, it's good to see you.",
        "Hi {name}, how nice that you are here.",
        "Hello, {name}, I was hoping to catch you.",
    ),
    cool=("{name}.", "So, {name}.", "Right, {name}."),
)
GREET_BACK_STRANGER = Table(
    "Hello to you too.",
    "Hello, yes.",
    "Oh, hello.",
    "Good day to you.",
    warm=("Hello! A pleasure.",),
)
GREET_INTRODUCED = Table(
    "Hello, {name}.",
    "Hi {name}, and I'm {me}.",
    "I'm {me}. Hello, {name}.",
    "Nice to meet you, {name}.",
    warm=("It's a pleasure, {name}. I'm {me}.", "Lovely to meet you, {name}."),
    cool=("So you are {name}. I am {me}.",),
)
GREET_BACK_KNOWN = Table(
    "Hello to you, {name}.",
    "Good to see you, {name}.",
    "Oh, {name}, hello.",
    "Yes, hello, {name}.",
    warm=("Always good to see you, {name}.",),
    cool=("Yes, {name}.",),
)
CHAT = Table(
    "It's easier to settle this face to face.",
    "I'm glad that we can talk about it.",
    "I like to have such things out in the open.",
    "Talking is how I get my thoughts in order.",
    "I always say what I think; you may have noticed.",
    "I'd rather say it than carry it about with me.",
    "I simply have to say it out loud.",
    "I find that most things get easier once they're said.",
    "There, now I've said it.",
    "And I do mean that.",
)
BANTER = Table(
    "I do enjoy a bit of haggling.",
    "I'm in no hurry, mind you.",
    "You look like somebody one can talk to.",
    "At home they'll laugh at me.",
    "I could do this all day.",
    "It's a good day for it.",
    "You drive a hard bargain, I can tell.",
    "My friends say that I talk too much.",
    "I hope you've got some time.",
    "That's how I see it, anyway.",
    warm=("You're good company, I must say.",),
)
WORRY = Table(
    "I hope that's all right with you.",
    "Sorry, I get a little nervous about such things.",
    "I don't want any trouble over it.",
    "My heart is beating a bit faster than it should.",
    "Please don't take it the wrong way.",
    "I always worry that I ask for too much.",
    "It would be a weight off my mind.",
    "I'm not good at this, as you can tell.",
)
SETTLED = Table(
    "Good, then we have that settled.",
    "Thanks for being straight with me.",
    "Then there's nothing left to argue about.",
    "Good. I'd call that a result.",
    "I'm pleased that we sorted it out.",
    "Good, I'll keep my side of it.",
    "I feel better now that it's settled.",
    "Right, then we both know where we stand.",
    warm=(
        "Thank you, that means a lot to me.",
        "I'm so glad. Thank you for meeting me on this.",
        "Wonderful, thank you for your patience with me.",
    ),
    cool=("Good. That's all I wanted.", "Fine. Then I'll let you go."),
)
GOODBYE = Table(
    "Goodbye, then.",
    "See you around.",
    "Take care.",
    "Have a good day.",
    "All the best, then.",
    "Goodbye, and thanks for your time.",
    warm=("Take good care of yourself.", "Have a lovely day, really.", "All the very best to you."),
    cool=("Goodbye.", "I have to go now."),
)
GAVE_UP = Table(
    "I don't think we're going to agree on this today.",
    "We keep going round in circles, so let's leave it there.",
    "I don't see us getting any further with this now.",
    "Then I'm afraid there is no agreement between us this time.",
    "I think we have to leave it unsettled for now.",
    "We're too far apart on this, and I'd better go.",
    warm=("I'm sorry that we couldn't find a way. No hard feelings, I hope.",),
    cool=("This leads nowhere. I've heard enough.",),
)
THINKING = Table(
    "pauses and thinks it over",
    "tilts the head and says nothing for a moment",
    "looks at the ground for a while, thinking",
    "lets out a slow breath",
    "rubs the chin and considers",
    warm=("smiles a little and thinks about it", "listens closely and nods now and then"),
    cool=("folds the arms and waits", "raises an eyebrow and says nothing"),
)
PLEASED = Table(
    "nods with a short smile",
    "breathes out, visibly relieved",
    "smiles and nods",
    "gives a small nod of thanks",
    warm=("beams from ear to ear", "laughs with relief"),
    cool=("nods once",),
)
SEALED = Table(
    "holds out a hand to shake on it",
    "shakes hands on it",
    "offers a hand",
    warm=("shakes hands warmly, with both hands",),
    cool=("shakes hands, briefly",),
)
VALUES: dict[str, Table] = {
    "care": Table(
        "I wouldn't want anybody to come off badly here.", "Nobody should be hurt by this."
    ),
    "fairness": Table(
        "I only want what's fair to both of us.", "Fair is fair, I've always thought."
    ),
    "loyalty": Table(
        "I stand by my word, and I count on yours.", "I like to be able to rely on people."
    ),
    "authority": Table(
        "There's an order to such things, after all.", "Rules are there for a reason."
    ),
    "purity": Table(
        "I'd like to do this decently.", "I want to be able to look in the mirror after it."
    ),
    "tradition": Table(
        "I like what has proved itself.", "I don't like to change things for nothing."
    ),
    "security": Table(
        "I'm easier in my mind when things are certain.", "I like to know where I stand."
    ),
    "achievement": Table(
        "When I set out to do something, I see it through.", "I like to get things done."
    ),
    "benevolence": Table(
        "I do want you to be all right with it as well.", "I wish us both well in this."
    ),
    "universalism": Table(
        "I try to look at it from every side.", "Everybody's view counts with me."
    ),
    "self-direction": Table(
        "I prefer to make up my own mind.", "I like to decide such things for myself."
    ),
    "stimulation": Table("At least it isn't a dull day.", "I like a bit of a challenge, I admit."),
    "hedonism": Table("Life is too short to be sour about it.", "Let's not spoil the day over it."),
    "power": Table("I'm used to having a say in things.", "I don't give way easily, I warn you."),
    "conformity": Table("I don't like to make a scene.", "I'd like to do it the way one should."),
}
"""What somebody may add who holds this moral or Schwartz value (lower case)."""
