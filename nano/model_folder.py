#!/usr/bin/env python3
"""Writes the files of a model folder other than the weights: configuration, vocabulary, chat template.

  model_folder.py FOLDER
"""

import json
import pathlib
import sys

import chat
import recipe

HERE = pathlib.Path(__file__).resolve().parent
VOCABULARY = HERE / "vocabulary.txt"


def byte_aliases():
    """Returns the character for each byte in vocabularies."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return [chr(byte) if byte in shown else chr(256 + hidden.index(byte)) for byte in range(256)]


def tokenizer(vocabulary_text):
    special, merges = vocabulary_text.rstrip("\n").split("\n\n")
    special, merges = special.split("\n"), merges.split("\n")
    assert special == [*chat.SPECIAL, *chat.MARKERS]
    tokens = special + byte_aliases() + [merge.replace(" ", "") for merge in merges]
    added = [{"id": number, "content": text, "special": text in chat.SPECIAL, "normalized": False, "lstrip": False,
              "rstrip": False, "single_word": False} for number, text in enumerate(special)]
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Digits", "individual_digits": True},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "byte_fallback": False, "vocab": {text: number for number, text in enumerate(tokens)},
                  "merges": merges},
    }


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    made = tokenizer(VOCABULARY.read_text(encoding="utf-8"))
    settings = {"bos_token": chat.END_OF_TEXT, "eos_token": chat.END, "pad_token": chat.END_OF_TEXT,
                "add_bos_token": False, "tokenizer_class": "PreTrainedTokenizerFast",
                "model_max_length": recipe.SHAPE["max_position_embeddings"]}
    for name, content in (("config.json", recipe.SHAPE), ("tokenizer.json", made), ("tokenizer_config.json", settings)):
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (folder / "chat_template.jinja").write_bytes((HERE / "chat_template.jinja").read_bytes())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(pathlib.Path(sys.argv[1]))
