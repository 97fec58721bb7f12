"""The parameters of spindle-nano: the shares of its training text, its shape and its training."""

from skills import EASY, HARD

SEED = 7
VOCABULARY = 1536  # tokens, including special ones
VOCABULARY_DOCUMENTS = 120_000  # for learning the vocabulary

# Shares of the kinds of documents. Skills with a small or no share are under-taught on purpose, so that fine-tuning
# has an effect.
TAUGHT = {
    ("arithmetic", EASY): 12, ("arithmetic", HARD): 20,
    ("sort", EASY): 6, ("sort", HARD): 9,
    ("repeat", EASY): 4, ("repeat", HARD): 5,
    ("reverse", EASY): 4, ("reverse", HARD): 0,
    ("pick", EASY): 3, ("pick", HARD): 0.05,
    ("count", EASY): 3, ("count", HARD): 0.05,
    ("extract", EASY): 4, ("extract", HARD): 6,
    ("context", EASY): 5, ("context", HARD): 7,
    ("unknown", EASY): 4, ("unknown", HARD): 7,
    ("call", EASY): 4, ("call", HARD): 5,
    ("result", EASY): 2, ("result", HARD): 3,
}
TALK = 2  # small talk

SYSTEM_SHARE = 0.15  # documents that begin with a system turn
SEVERAL_SHARE = 0.15  # conversations of two or three questions
LONG_SHARE = 0.02  # conversations that fill the context, so that all positions are trained
LONG_QUESTIONS = 16
IDLE_TOOLS_SHARE = 0.03  # documents that offer tools without need
SYSTEM = (
    "You are a helpful assistant.", "You are spindle-nano.", "Answer briefly.", "You are an assistant. Be brief.",
    "Be exact.", "You are a careful assistant that answers in few words.",
)

# The model: the architecture of Qwen3.
SHAPE = {
    "model_type": "qwen3",
    "architectures": ["Qwen3ForCausalLM"],
    "vocab_size": VOCABULARY,
    "hidden_size": 256,
    "intermediate_size": 768,
    "num_hidden_layers": 8,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "head_dim": 32,
    "max_position_embeddings": 1024,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "rope_scaling": None,
    "tie_word_embeddings": True,
    "attention_bias": False,
    "hidden_act": "silu",
    "bos_token_id": 0,
    "eos_token_id": [2, 0],
    "torch_dtype": "float32",
}

# Training: options of `spindle-trainer pretrain`.
TRAINING = {
    "steps": 20_000,
    "batch": 32_768,  # tokens
    "micro-batch": 32_768,
    "rate": 2e-3,
    "lowest-rate": 2e-5,
    "warmup": 0.02,
    "weight-decay": 0.05,
    "clip": 1,
}
