"""Play at small tables that tells plainly who checks what."""

from __future__ import annotations

from pathlib import Path

from sociolab.worlds import anteval

DOING = {
    "stealth": "I keep low and creep past the sleeping guards.",
    "athletics": "I climb the wet wall with both hands.",
    "arcana": "I study the glowing runes on the ring.",
    "medicine": "I kneel and bind the wounds of the boy.",
}
NAMES = ("Osric", "Wenna", "Tharbold")


def example(number: int, who: str, skill: str) -> anteval.Example:
    """The DM sets a scene, one player chats, and `who` does what calls for the skill."""
    other = NAMES[(NAMES.index(who) + 1) % len(NAMES)]
    turns = (
        anteval.Turn(anteval.DM, "The hall lies before you, dim and cold."),
        anteval.Turn(other, "What a place to spend the night!"),
        anteval.Turn(who, DOING[skill]),
    )
    label = anteval.Label(who, skill)
    return anteval.Example(f"e{number}", f"g{number % 4}", turns, NAMES, frozenset({label}))


def examples(number: int) -> tuple[anteval.Example, ...]:
    """Examples in which characters and skills take turns."""
    skills = tuple(DOING)
    return tuple(example(i, NAMES[i % len(NAMES)], skills[i % len(skills)]) for i in range(number))


def causal_checkpoint(folder: Path, positions: int) -> None:
    """A random model of two layers, with a tokenizer trained on the texts of four examples."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    texts = [
        anteval.prompt_head(),
        *(
            text
            for one in examples(4)
            for text in (anteval.prompt_body(one), anteval.expected_reply(one))
        ),
    ]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        texts, vocab_size=900, special_tokens=["<end>"], show_progress=False
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, eos_token="<end>")
    fast.save_pretrained(str(folder))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(fast),
                hidden_size=64,
                intermediate_size=128,
                num_hidden_layers=2,
                num_attention_heads=4,
                max_position_embeddings=positions,
                initializer_range=0.1,
                bos_token_id=None,
                eos_token_id=fast.eos_token_id,
            )
        )
    model.save_pretrained(str(folder))


def encoder_checkpoint(folder: Path, kind: str = "bert", positions: int = 64) -> None:
    """A random encoder of one layer that reads letters."""
    folder.mkdir(exist_ok=True)
    from transformers import BertConfig, BertModel, BertTokenizer, DistilBertConfig, DistilBertModel

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "one", "two", "three", "master", ":"]
    (folder / "vocab.txt").write_text("\n".join([*words, *"abcdefghijklmnopqrstuvwxyz"]))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(str(folder))
    small: dict[str, int] = {"vocab_size": 40, "max_position_embeddings": positions}
    if kind == "bert":
        bert = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, **small)
        BertModel(bert).save_pretrained(str(folder))
    else:
        distilled = DistilBertConfig(dim=16, hidden_dim=32, n_layers=1, n_heads=2, **small)
        DistilBertModel(distilled).save_pretrained(str(folder))
