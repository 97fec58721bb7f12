#!/usr/bin/env python3
"""Prints the recipe's shape and training as options of `spindle-trainer pretrain`, one word per line."""

import recipe

_NAMES = {
    "vocab_size": "vocabulary", "hidden_size": "width", "intermediate_size": "inner", "num_hidden_layers": "layers",
    "num_attention_heads": "heads", "num_key_value_heads": "kv-heads", "head_dim": "head-width",
    "max_position_embeddings": "context", "rms_norm_eps": "norm-epsilon", "rope_theta": "rope-base",
}


def options():
    words = ["--family", recipe.SHAPE["model_type"], "--tied", "yes", "--document-end", "0", "--seed", recipe.SEED]
    for key, name in _NAMES.items():
        words += [f"--{name}", recipe.SHAPE[key]]
    for name, value in recipe.TRAINING.items():
        words += [f"--{name}", value]
    return [str(word) for word in words]


if __name__ == "__main__":
    print("\n".join(options()))
