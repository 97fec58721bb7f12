#include "trainer/model/network_weights.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "trainer/kernels/matrix_product.h"

namespace spindle::trainer {
namespace {

constexpr double kInitialSpread = 0.02;

std::vector<std::int64_t> sizes(std::uint64_t a) { return {static_cast<std::int64_t>(a)}; }
std::vector<std::int64_t> sizes(std::uint64_t a, std::uint64_t b) {
  return {static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)};
}

std::vector<std::int64_t> shapeOf(const FusedTensor& piece) {
  std::uint64_t rows = 0;
  for (const std::uint64_t count : piece.rows) rows += count;
  return piece.columns == 0 ? sizes(rows) : sizes(rows, piece.columns);
}

Result<at::Tensor> readFusedTensor(const WeightSource& source, const FusedTensor& piece) {
  if (piece.is_optional && !source.has(piece.names.front())) return at::Tensor();
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < piece.names.size(); ++i) {
    const std::vector<float> numbers = TRY(source.read(piece.names[i]));
    const std::uint64_t wanted = piece.rows[i] * std::max<std::uint64_t>(1, piece.columns);
    if (numbers.size() != wanted) {
      return Error::invalidArgument("The model's tensor " + piece.names[i] + " has " +
                                    std::to_string(numbers.size()) + " numbers instead of " +
                                    std::to_string(wanted) + ".");
    }
    parts.push_back(tensorOf(
        numbers, piece.columns == 0 ? sizes(piece.rows[i]) : sizes(piece.rows[i], piece.columns)));
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts);
}

/// Returns normally distributed numbers around 0; a seed gives the same ones on every machine.
at::Tensor normal(std::mt19937_64& random, const std::vector<std::int64_t>& shape, double spread) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) {
    const double first = static_cast<double>((random() >> 11) + 1) * 0x1p-53;
    const double second = static_cast<double>(random() >> 11) * 0x1p-53;
    number = static_cast<float>(spread * std::sqrt(-2 * std::log(first)) *
                                std::cos(6.283185307179586 * second));
  }
  return tensorOf(numbers, shape);
}

/// Moves a tensor to the device, with a row stride that suits the processor.
at::Tensor placed(const at::Tensor& tensor, const at::Device& device, at::ScalarType type) {
  at::Tensor moved = tensor.to(device, type);
  if (moved.dim() != 2) return moved;
  at::Tensor rows = emptyRows(moved.size(0), moved.size(1), moved.options());
  return rows.is_contiguous() ? moved : rows.copy_(moved);
}

bool isAbsent(const ModelShape& shape, const FusedTensor& piece) {
  return piece.is_optional && shape.family != weights::Family::kQwen2;
}

}  // namespace

std::vector<FusedTensor> fusedTensorsOf(const ModelShape& shape) {
  const std::uint64_t queries = shape.heads * shape.head_width;
  const std::uint64_t keys = shape.kv_heads * shape.head_width;
  const auto vector = [](std::string name, std::uint64_t size) {
    return FusedTensor{.names = {std::move(name)}, .rows = {size}, .is_norm = true};
  };
  std::vector<FusedTensor> pieces = {
      {.names = {"model.embed_tokens.weight"}, .rows = {shape.vocabulary}, .columns = shape.width}};
  for (std::uint64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    const std::string heads = at + "self_attn.";
    pieces.push_back(vector(at + "input_layernorm.weight", shape.width));
    if (shape.family == weights::Family::kQwen3) {
      pieces.push_back(vector(heads + "q_norm.weight", shape.head_width));
      pieces.push_back(vector(heads + "k_norm.weight", shape.head_width));
    }
    pieces.push_back(
        {.names = {heads + "q_proj.weight", heads + "k_proj.weight", heads + "v_proj.weight"},
         .rows = {queries, keys, keys},
         .columns = shape.width});
    pieces.push_back(
        {.names = {heads + "q_proj.bias", heads + "k_proj.bias", heads + "v_proj.bias"},
         .rows = {queries, keys, keys},
         .is_optional = true});
    pieces.push_back({.names = {heads + "o_proj.weight"},
                      .rows = {shape.width},
                      .columns = queries,
                      .is_residual = true});
    pieces.push_back(vector(at + "post_attention_layernorm.weight", shape.width));
    pieces.push_back({.names = {at + "mlp.gate_proj.weight", at + "mlp.up_proj.weight"},
                      .rows = {shape.inner_width, shape.inner_width},
                      .columns = shape.width});
    pieces.push_back({.names = {at + "mlp.down_proj.weight"},
                      .rows = {shape.width},
                      .columns = shape.inner_width,
                      .is_residual = true});
  }
  pieces.push_back(vector("model.norm.weight", shape.width));
  if (!shape.tied) {
    pieces.push_back(
        {.names = {"lm_head.weight"}, .rows = {shape.vocabulary}, .columns = shape.width});
  }
  return pieces;
}

Network::Weights assignWeights(const ModelShape& shape, const std::vector<Parameter>& tensors) {
  auto next = tensors.begin();
  Network::Weights weights;
  weights.embedding = *next++;
  for (std::uint64_t i = 0; i < shape.layers; ++i) {
    Network::LayerWeights layer;
    layer.attention_norm = *next++;
    if (shape.family == weights::Family::kQwen3) {
      layer.query_norm = *next++;
      layer.key_norm = *next++;
    }
    layer.qkv.weight = *next++;
    layer.qkv.bias = *next++;
    layer.out.weight = *next++;
    layer.mlp_norm = *next++;
    layer.gate_up.weight = *next++;
    layer.down.weight = *next++;
    weights.layers.push_back(std::move(layer));
  }
  weights.norm = *next++;
  weights.head = shape.tied ? weights.embedding : *next;
  return weights;
}

std::vector<at::Tensor> flattenedWeights(const ModelShape& shape, const Network::Weights& weights) {
  std::vector<at::Tensor> tensors = {weights.embedding.value};
  for (const Network::LayerWeights& layer : weights.layers) {
    tensors.push_back(layer.attention_norm.value);
    if (shape.family == weights::Family::kQwen3) {
      tensors.push_back(layer.query_norm.value);
      tensors.push_back(layer.key_norm.value);
    }
    for (const at::Tensor& tensor :
         {layer.qkv.weight.value, layer.qkv.bias.value, layer.out.weight.value,
          layer.mlp_norm.value, layer.gate_up.weight.value, layer.down.weight.value})
      tensors.push_back(tensor);
  }
  tensors.push_back(weights.norm.value);
  if (!shape.tied) tensors.push_back(weights.head.value);
  return tensors;
}

Result<std::vector<Parameter>> readTensors(const WeightSource& source,
                                           const at::Device& device,
                                           at::ScalarType type) {
  std::vector<Parameter> tensors;
  for (const FusedTensor& piece : fusedTensorsOf(source.shape())) {
    const at::Tensor tensor = TRY(readFusedTensor(source, piece));
    tensors.push_back({tensor.defined() ? placed(tensor, device, type) : at::Tensor(), {}});
  }
  return tensors;
}

std::vector<Parameter> randomTensors(const ModelShape& shape,
                                     std::uint64_t seed,
                                     const at::Device& device,
                                     at::ScalarType type,
                                     ParameterSet& parameters) {
  std::mt19937_64 random(seed);
  const double narrower = 1 / std::sqrt(2 * static_cast<double>(shape.layers));
  const std::vector<FusedTensor> pieces = fusedTensorsOf(shape);
  std::vector<at::Tensor> initial;
  for (const FusedTensor& piece : pieces) {
    if (isAbsent(shape, piece)) continue;
    if (piece.is_norm) {
      initial.push_back(at::ones(shapeOf(piece)));
    } else if (piece.is_optional) {
      initial.push_back(at::zeros(shapeOf(piece)));
    } else {
      initial.push_back(
          normal(random, shapeOf(piece), kInitialSpread * (piece.is_residual ? narrower : 1)));
    }
  }
  const std::vector<Parameter> made = parameters.set(initial, device, type);
  std::vector<Parameter> tensors;
  tensors.reserve(pieces.size());
  auto next = made.begin();
  for (const FusedTensor& piece : pieces)
    tensors.push_back(isAbsent(shape, piece) ? Parameter{} : *next++);
  return tensors;
}

at::Tensor tensorOf(const std::vector<float>& numbers, const std::vector<std::int64_t>& shape) {
  return at::tensor(numbers, at::kFloat).view(shape);
}

std::vector<float> floatsOf(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.to(at::kCPU, at::kFloat).contiguous();
  const auto* numbers = plain.data_ptr<float>();
  return {numbers, numbers + plain.numel()};
}

}  // namespace spindle::trainer
