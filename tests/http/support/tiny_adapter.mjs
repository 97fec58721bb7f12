// A LoRA adapter for the tiny model, in the files that PEFT writes.

/** {path: bytes}. `strength` 0: it changes nothing. */
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
