"""What buyers and sellers say."""

from __future__ import annotations

from sociolab.worlds.sotopia.scripted.wording.table import Table

ASK_AVAILABLE = Table(
    "Is the {item} still to be had?",
    "I've come about the {item}. Is it still for sale?",
    "I read about the {item}, and I'm interested.",
    "So this is the {item}. May I have a closer look?",
    cool=("I'm here for the {item}, if the price is right.",),
    warm=("This {item} is just what I've been looking for.",),
)
OPEN_SELL = Table(
    "The {item} is {price}, as listed.",
    "I'm asking {price} for the {item}.",
    "For the {item} I'd like {price}.",
    "You know the price of the {item}: {price}.",
    "Here is the {item}. The price is {price}.",
    warm=("Do take your time with the {item}. I'm asking {price} for it.",),
    cool=("The {item} costs {price}, and it's worth that.",),
)
OPEN_BUY = Table(
    "I like the {item}. Would you let it go for {price}?",
    "I'd give you {price} for the {item}.",
    "My offer for the {item} would be {price}.",
    "What would you say to {price} for the {item}?",
    "I could pay {price} for the {item} right away.",
    warm=("The {item} is lovely. Would {price} be all right for you?",),
    cool=("I'm not paying the full price for the {item}. I'd say {price}.",),
)
INVITE_SELL = Table(
    "Have a good look first. What would it be worth to you?",
    "Tell me what you'd be ready to pay.",
    "And what had you thought of paying?",
    "It's in good hands here, but I do want to sell it. What do you offer?",
    cool=("I've named my price. What's yours?",),
)
INVITE_BUY = Table(
    "What do you say to my offer?",
    "Could you come down to something like that?",
    "I'd need to hear a price from you now.",
    "Would you think about it, at least?",
)
COUNTER_SELL = Table(
    "I could come down to {price}.",
    "Let's say {price}, since you came all this way.",
    "You can have it for {price}.",
    "At {price} I'd be content.",
    "I hear you. My price is now {price}.",
    "Make it {price}, and it's yours.",
    "I've had other people ask, but you could have it for {price}.",
    "It hurts a little, but I'd go to {price}.",
    "Would {price} suit you better?",
    "It has been well looked after. For {price} it goes with you.",
    warm=(
        "I'd like you to have it, so let me say {price}.",
        "You seem to care for it. Shall we say {price}?",
        "I'm sure we can get there. How would {price} be?",
    ),
    cool=(
        "I'm not giving it away. It's {price}.",
        "That's not serious. I could do {price}.",
        "You drive it hard. I'd take {price}, and that's generous.",
    ),
)
COUNTER_BUY = Table(
    "I could go up to {price}.",
    "What about {price}? I'd take it with me today.",
    "Let me say {price}.",
    "I'd stretch to {price}.",
    "I see what you mean. How about {price}?",
    "There are a few marks on it, so I'd say {price}.",
    "I've seen similar ones for less, but I'd pay {price}.",
    "I can put {price} on the table.",
    "Could you live with {price}?",
    "Let me meet you part of the way, with {price}.",
    warm=(
        "I really would like to have it. Would {price} do?",
        "You've been patient with me, so I'll say {price}.",
        "I don't want to be rude. Could it be {price}?",
    ),
    cool=(
        "That's too much for what it is. I offer {price}.",
        "I know what these go for. I'll pay {price}.",
        "I have another one to look at later. Here I'd pay {price}.",
    ),
)
HOLD = Table(
    "I still think that {price} is right.",
    "I'd rather stay with {price} for now.",
    "For me it stays at {price}, I'm afraid.",
    "I've gone as far as {price}, and I'd like to see you move too.",
    "We've talked a lot, but {price} is where I am.",
    cool=("You've heard my price. It's {price}.", "Nothing new from me: {price}."),
    warm=("I do want us to agree, only {price} is where I am just now.",),
)
MEET_BETWEEN = Table(
    "Shall we meet in the middle, at {price}?",
    "Let's split the difference and say {price}.",
    "We're not far apart any more. What about {price}?",
    "Halfway between us is about {price}. Shall we?",
    "Why don't we both give a little and make it {price}?",
)
LAST_WORD = Table(
    "My last word is {price}.",
    "I can't do better than {price}, really.",
    "That's the end of the road for me: {price}.",
    "I've done my sums, and {price} is my limit.",
    "Beyond {price} I'd be sorry afterwards.",
    cool=("Take it or leave it: {price}.",),
    warm=("I wish I could do more, but {price} is as far as I can go.",),
)
ACCEPT = Table(
    "Done, {price}.",
    "All right, {price} it is. We have a deal.",
    "Agreed, {price}.",
    "You've got a deal at {price}.",
    "Fine, {price}, and it's settled.",
    "Let's shake on it: {price}.",
    "Good, I agree to {price}.",
    warm=("With pleasure. It's a deal at {price}.", "You've won me over. Agreed, {price}."),
    cool=("Deal, {price}.", "Very well, {price}, and it's a deal."),
)
SEAL_SELL = Table(
    "Good, {price} then. I'll help you to get it ready.",
    "Then it's yours for {price}. I hope it serves you well.",
    "So we say {price}. You can take it whenever you like.",
    "Right, {price}, and thanks for coming.",
    warm=("Lovely, {price}. I'm glad it goes to somebody who wants it.",),
    cool=("Right. {price}, on the spot.",),
)
SEAL_BUY = Table(
    "Good, {price} then. I'll pay you right away.",
    "Then I'm taking it for {price}. Thanks.",
    "So it's {price}. Let me get the money out.",
    "Right, {price}. I'll come round with the money.",
    warm=("Lovely, {price}. I'll take good care of it.",),
    cool=("Right. {price}, and I take it now.",),
)
WALK = Table(
    "Then we won't do business today, I'm afraid.",
    "That's too far apart for me. I'll leave it.",
    "I'd rather leave it than regret it. Thanks for your time.",
    "No deal, then. I wish you luck with it.",
    warm=("What a pity, I'd have liked to agree. All the best with it.",),
    cool=("Then no deal. Good luck elsewhere.",),
)
LOOK = Table(
    "takes another close look at the {item}",
    "walks slowly round the {item}",
    "runs a finger along the {item}",
    "bends down for a closer look at the {item}",
)
PRESENT = Table(
    "steps aside to give a better view of the {item}",
    "glances at the {item} with some pride",
    "wipes some dust off the {item}",
    "points out a detail of the {item}",
)
