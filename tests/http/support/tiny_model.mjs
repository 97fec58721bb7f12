// Writes a GGUF file with a tiny model of the Llama architecture: random weights from a seed, a vocabulary
// of bytes, a ChatML template with tools. It generates meaningless text, fast.

import { writeFileSync } from "node:fs";

const TEXT = 8;
const ARRAY = 9;

export class Bytes {
  #parts = [];
  size = 0;
  add(buffer) {
    this.#parts.push(buffer);
    this.size += buffer.length;
    return this;
  }
  u32(value) {
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32LE(value);
    return this.add(buffer);
  }
  u64(value) {
    const buffer = Buffer.alloc(8);
    buffer.writeBigUInt64LE(BigInt(value));
    return this.add(buffer);
  }
  f32(value) {
    const buffer = Buffer.alloc(4);
    buffer.writeFloatLE(value);
    return this.add(buffer);
  }
  text(value) {
    const buffer = Buffer.from(value, "utf8");
    return this.u64(buffer.length).add(buffer);
  }
  pad(alignment) {
    return this.add(Buffer.alloc((alignment - (this.size % alignment)) % alignment));
  }
  whole() {
    return Buffer.concat(this.#parts);
  }
}

/** Returns the printable character for each byte in byte-level vocabularies. */
function byteTokens() {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCodePoint(itself ? byte : next++);
  });
}

const TEMPLATE = `{%- if tools %}<|im_start|>system
# Tools
{%- for tool in tools %}
{{ tool | tojson }}{%- endfor %}
Call a tool as <tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{%- endif %}{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}
{%- if message.tool_calls %}{%- for call in message.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{%- endfor %}{%- endif %}<|im_end|>
{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Generates numbers in [-1, 1) from the seed. */
function* numbers(seed) {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 31 - 1;
  }
}

export function writeTinyModel(path, options) {
  writeFileSync(path, tinyModel(options));
}

/** Returns the bytes of the file. */
export function tinyModel({ seed = 7, context = 1024 } = {}) {
  const width = 32;
  const inner = 64;
  const heads = 4;
  const kvHeads = 2;
  const headWidth = 8;
  const layers = 2;
  const tokens = [...byteTokens(), "he", "<|endoftext|>", "<|im_end|>", "<|im_start|>", "<tool_call>", "</tool_call>"];
  const types = tokens.map((_, id) => (id < 257 ? 1 : id < 260 ? 3 : 4));

  const values = new Bytes();
  let count = 0;
  const value = (key, type) => {
    ++count;
    return values.text(key).u32(type);
  };
  const u32 = (key, number) => value(key, 4).u32(number);
  const text = (key, words) => value(key, TEXT).text(words);
  text("general.architecture", "llama");
  text("general.name", "tiny");
  u32("llama.vocab_size", tokens.length);
  u32("llama.block_count", layers);
  u32("llama.context_length", context);
  u32("llama.embedding_length", width);
  u32("llama.feed_forward_length", inner);
  u32("llama.attention.head_count", heads);
  u32("llama.attention.head_count_kv", kvHeads);
  u32("llama.rope.dimension_count", headWidth);
  value("llama.attention.layer_norm_rms_epsilon", 6).f32(1e-5);
  value("llama.rope.freq_base", 6).f32(10000);
  text("tokenizer.ggml.model", "gpt2");
  text("tokenizer.ggml.pre", "smollm");
  value("tokenizer.ggml.tokens", ARRAY).u32(TEXT).u64(tokens.length);
  for (const token of tokens) values.text(token);
  value("tokenizer.ggml.token_type", ARRAY).u32(5).u64(types.length);
  for (const type of types) values.u32(type);
  value("tokenizer.ggml.merges", ARRAY).u32(TEXT).u64(1).text("h e");
  u32("tokenizer.ggml.bos_token_id", 257);
  u32("tokenizer.ggml.eos_token_id", 258);
  value("tokenizer.ggml.add_bos_token", 7).add(Buffer.from([0]));
  text("tokenizer.chat_template", TEMPLATE);

  const tensors = [];
  const random = numbers(seed);
  const tensor = (name, shape, around = 0) => {
    const data = Buffer.alloc(4 * shape.reduce((a, b) => a * b, 1));
    for (let i = 0; i < data.length; i += 4) {
      data.writeFloatLE(around + random.next().value * (around === 0 ? 0.4 : 0.2), i);
    }
    tensors.push({ name, shape, data });
  };
  tensor("token_embd.weight", [tokens.length, width]);
  tensor("output_norm.weight", [width], 1);
  tensor("output.weight", [tokens.length, width]);
  for (let layer = 0; layer < layers; ++layer) {
    const at = `blk.${layer}.`;
    tensor(`${at}attn_norm.weight`, [width], 1);
    tensor(`${at}attn_q.weight`, [heads * headWidth, width]);
    tensor(`${at}attn_k.weight`, [kvHeads * headWidth, width]);
    tensor(`${at}attn_v.weight`, [kvHeads * headWidth, width]);
    tensor(`${at}attn_output.weight`, [width, heads * headWidth]);
    tensor(`${at}ffn_norm.weight`, [width], 1);
    tensor(`${at}ffn_gate.weight`, [inner, width]);
    tensor(`${at}ffn_up.weight`, [inner, width]);
    tensor(`${at}ffn_down.weight`, [width, inner]);
  }
  const file = new Bytes().add(Buffer.from("GGUF")).u32(3).u64(tensors.length).u64(count);
  file.add(values.whole());
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    file.text(name).u32(shape.length);
    for (const size of [...shape].reverse()) file.u64(size);
    file.u32(0).u64(offset);
    offset += Math.ceil(data.length / 32) * 32;
  }
  file.pad(32);
  for (const { data } of tensors) file.add(data).pad(32);
  return file.whole();
}
