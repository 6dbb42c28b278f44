"""What people say around the cards of a goal (what is asked, why, what would still do)."""

from __future__ import annotations

from sociolab.worlds.sotopia.scripted.wording.table import Table

BEFORE_ASK = Table(
    "There is something I have to say.",
    "I'd like to be open with you.",
    "Could we talk for a minute?",
    "I'll tell you how it looks to me.",
    "Let me say it straight away.",
    "I have something to ask of you.",
    warm=("I hope you don't mind my asking.", "I've been wanting to talk to you."),
    cool=("I'll be short.", "Let's not beat about the bush."),
)
HEAR = Table(
    "I hear what you say.",
    "I see that it matters to you.",
    "I can see where you're coming from.",
    "I understand that, I do.",
    "That's one way to look at it.",
    "I didn't know you felt so strongly about it.",
    "Let me answer that.",
    "I've listened to you, and now please hear me.",
    "I follow you so far.",
    "Yes, I thought you'd say that.",
    warm=(
        "Thank you for telling me so openly.",
        "I'm sorry that it's hard on you.",
        "I'd feel much the same in your place.",
    ),
    cool=("So you say.", "That may be.", "I'm not sure that's the point.", "You would say that."),
)
BEFORE_REASON = Table(
    "Look at it from my side.",
    "Let me tell you why.",
    "There's a simple reason.",
    "Please see it my way for a moment.",
    "It's like this.",
    "You should know one thing.",
    "And there is one more thing.",
    "I'd ask you to bear this in mind.",
)
INSIST = Table(
    "I've told you what I need, and I can't take it back.",
    "I know that I'm being stubborn, but it matters to me.",
    "I still see it the way I did when we began.",
    "You haven't convinced me yet, I'm afraid.",
    "Think about what I asked, that's all I want for now.",
    "I'd be lying if I said that I had changed my mind.",
    "Is there really no way that you could do it?",
    "What would it cost you to say yes?",
    warm=(
        "I don't like to press you, and yet I must.",
        "You'd do me a great kindness, truly.",
    ),
    cool=("I'm not going to move on this.", "I can wait. My mind is made up."),
)
ASK_WAY = Table(
    "How do you want to solve this, then?",
    "What would you do in my place?",
    "Is there something that would suit us both?",
    "Where could you give a little?",
    "What do you suggest that we do?",
)
BEFORE_MIDDLE = Table(
    "Perhaps there's something in between.",
    "Let me meet you halfway.",
    "Here's a compromise.",
    "I could come towards you a little.",
    "Suppose we each give up something.",
    "Maybe this would suit us both.",
    warm=("I want us both to be all right with it, so here's a compromise.",),
    cool=("One compromise, and only one.",),
)
TAKE_MIDDLE = Table(
    "All right, I can live with that.",
    "That sounds fair to me. Agreed.",
    "Yes, that works for me.",
    "Good, let's do it that way. It's a deal.",
    "I think that's fair. I agree.",
    "Fine by me, let's do that.",
    "Then we agree, and I'm glad of it.",
    warm=("That's kind of you. Yes, agreed.", "I like that. Let's do it that way."),
    cool=("Very well, agreed.", "It'll do. Agreed."),
)
REFUSE_MIDDLE = Table(
    "I see that you're trying, but that's only half of what I need.",
    "That's a step, but it doesn't go far enough for me.",
    "Not like that, I'm afraid. I'd be the one who pays for it.",
    "I'd rather not settle for that yet.",
    "No, I can't quite say yes to that.",
    cool=("No, half measures won't do.", "That's not much of an offer."),
    warm=("It's good of you to offer, but it isn't quite enough for me.",),
)
YIELD = Table(
    "You know what, let's do it your way. Agreed.",
    "All right, I'll give in. You can have it your way.",
    "I don't want to quarrel. Let's do it your way.",
    "It matters more to you than to me. All right, your way, then.",
    warm=("You've persuaded me, and I'm glad to. We'll do it your way.",),
)
LAST_APPEAL = Table(
    "I ask you one last time to think about it.",
    "If you can't, I'd better go, and we leave it open.",
    "I have said all that I can say about it.",
    "There's nothing more that I can offer you.",
    cool=("That's all from me. It's up to you.",),
)
TOPIC = Table(
    "What do you make of the {topic}?",
    "I wanted to ask you about the {topic}.",
    "I've had the {topic} on my mind.",
    "We should talk about the {topic}, I think.",
    "So, the {topic}. How do you see that?",
)
TOPICLESS = Table(
    "What do you make of all this?",
    "I wanted to hear what you think about it.",
    "This has been on my mind for a while.",
    "We should talk about it, I think.",
)
VIEW = Table(
    "I do have a wish of my own in this, I admit.",
    "I've got my own idea of how it should go.",
    "To me it isn't a small thing.",
    "I'd be sorry if we left it to chance.",
    "I'd like us to decide it together and not just let it happen.",
    "It would be good to know what you're hoping for.",
    "There's more than one way to go about it.",
    "I keep asking myself what would be best.",
    "I'd like to hear how you see it before I say more.",
    "What matters to you most about it?",
    "I had hoped that we would get round to this.",
    "It's one of those things that look simple until you start.",
    "I could be talked into something else, but not easily.",
    "Tell me what speaks for your way, and I'll listen.",
    "Something tells me that we want different things here.",
    "There must be a way that neither of us regrets.",
    warm=(
        "Your view counts a good deal with me.",
        "I'd like you to be happy with how it turns out.",
        "I'm really curious what you would like.",
    ),
    cool=(
        "I'd rather have it my way, and I say so.",
        "I don't care for long debates about it.",
        "Let's be honest with each other about what we want.",
    ),
)
SUGGEST = Table(
    "How about a compromise: a bit of what you want and a bit of what I want?",
    "What if we take turns, you this time and me the next?",
    "Perhaps we can meet halfway. You begin, and I'll follow.",
    "Suppose we try it your way first and then see.",
)
