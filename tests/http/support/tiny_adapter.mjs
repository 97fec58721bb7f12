// A LoRA adapter for the tiny model, as PEFT files and as a GGUF file.

import { Bytes } from "./tiny_model.mjs";

/** Returns the PEFT files, {path: bytes}. With `strength` 0 the adapter changes nothing. */
export function tinyAdapter({ strength = 1, rank = 2 } = {}) {
  const width = 32;
  const tensors = {};
  for (const layer of [0, 1]) {
    const module = `base_model.model.model.layers.${layer}.mlp.down_proj`;
    tensors[`${module}.lora_A.weight`] = { shape: [rank, 64], value: (i) => Math.sin(i + layer) };
    tensors[`${module}.lora_B.weight`] = { shape: [width, rank], value: (i) => strength * Math.cos(3 * i + layer) };
  }
  const header = {};
  const pieces = [];
  let offset = 0;
  for (const [name, { shape, value }] of Object.entries(tensors)) {
    const data = Buffer.alloc(4 * shape[0] * shape[1]);
    for (let i = 0; i < data.length / 4; i += 1) data.writeFloatLE(value(i), 4 * i);
    header[name] = { dtype: "F32", shape, data_offsets: [offset, offset + data.length] };
    offset += data.length;
    pieces.push(data);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const config = { peft_type: "LORA", r: rank, lora_alpha: 2 * rank, target_modules: ["down_proj"], bias: "none" };
  return {
    "adapter_config.json": Buffer.from(JSON.stringify(config)),
    "adapter_model.safetensors": Buffer.concat([length, text, ...pieces]),
  };
}

/**
 * Returns the bytes of a GGUF adapter. Dimensions are innermost first, as in the file.
 *
 * values     {key: value} that replace metadata of a valid adapter: strings, {type, bytes}, or undefined to omit
 * tensors    {name: {dimensions, type, data}} that replace tensors of a valid adapter
 * strength   scale of the weights of a valid adapter
 */
export function tinyGgufAdapter({ values = {}, tensors = {}, strength = 1 } = {}) {
  const good = {};
  for (const layer of [0, 1]) {
    const at = `blk.${layer}.ffn_down.weight`;
    good[`${at}.lora_a`] = { dimensions: [64, 2], value: (i) => Math.sin(i + layer) };
    good[`${at}.lora_b`] = { dimensions: [2, 32], value: (i) => strength * Math.cos(3 * i + layer) };
  }
  const allValues = {
    "general.type": "adapter",
    "general.architecture": "llama",
    "adapter.type": "lora",
    "adapter.lora.alpha": { type: 6, bytes: new Bytes().f32(4).whole() },
    ...values,
  };
  const written = Object.entries(allValues).filter(([, value]) => value !== undefined);
  const numbersOf = (dimensions, value = () => 0.5) => {
    const numbers = Buffer.alloc(4 * dimensions.reduce((a, b) => a * b, 1));
    for (let i = 0; i < numbers.length / 4; i += 1) numbers.writeFloatLE(value(i), 4 * i);
    return numbers;
  };
  const allTensors = Object.entries({ ...good, ...tensors }).map(([name, { dimensions, type = 0, value, data }]) => {
    return { name, dimensions, type, data: data ?? numbersOf(dimensions, value) };
  });
  const file = new Bytes().add(Buffer.from("GGUF")).u32(3).u64(allTensors.length).u64(written.length);
  for (const [key, value] of written) {
    file.text(key);
    if (typeof value === "string") file.u32(8).text(value);
    else file.u32(value.type).add(value.bytes);
  }
  let offset = 0;
  for (const { name, dimensions, type, data } of allTensors) {
    file.text(name).u32(dimensions.length);
    for (const size of dimensions) file.u64(size);
    file.u32(type).u64(offset);
    offset += Math.ceil(data.length / 32) * 32;
  }
  file.pad(32);
  for (const { data } of allTensors) file.add(data).pad(32);
  return file.whole();
}
