#include "trainer/model/network.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <unistd.h>

namespace spindle::trainer {
namespace {

/// Limit for kept activations on a CPU, together with a quarter of the machine's memory: other
/// processes need memory too.
constexpr std::uint64_t kMostKept = std::uint64_t{4} << 30U;

std::uint64_t keepBytes(const Compute& compute) {
  if (!compute.recompute) return std::numeric_limits<std::uint64_t>::max();
  if (compute.keep_bytes > 0 || compute.cuda) return compute.keep_bytes;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return 0;
  return std::min(kMostKept,
                  static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) / 4);
}

std::uint64_t bytesOf(const Network::LayerActivations& kept) {
  std::uint64_t bytes = 0;
  for (const at::Tensor& tensor :
       {kept.x, kept.attention_in.y, kept.qkv.y, kept.qkv.narrow, kept.attended.y,
        kept.attended.rotated, kept.out_narrow, kept.middle, kept.mlp_in.y, kept.gate_up.y,
        kept.gate_up.narrow, kept.gated, kept.down_narrow}) {
    if (tensor.defined()) bytes += tensor.nbytes();
  }
  return bytes;
}

}  // namespace

Network::Network(const ModelShape& shape,
                 const Compute& compute,
                 const Frequencies& frequencies,
                 Weights weights)
    : shape_(shape),
      compute_(compute),
      device_(compute.cuda ? at::kCUDA : at::kCPU),
      type_(compute.half ? at::kBFloat16 : at::kFloat),
      heads_{static_cast<std::int64_t>(shape.heads), static_cast<std::int64_t>(shape.kv_heads),
             static_cast<std::int64_t>(shape.head_width), shape.norm_epsilon},
      weights_(std::move(weights)),
      inverse_frequencies_(toDevice(frequencies.inverse)),
      rope_scale_(static_cast<double>(frequencies.scale)),
      keep_bytes_(keepBytes(compute)) {}

at::Tensor Network::toDevice(const std::vector<std::int64_t>& numbers) const {
  return at::tensor(numbers, at::kLong).to(device_);
}

at::Tensor Network::toDevice(const std::vector<float>& numbers) const {
  return at::tensor(numbers, at::kFloat).to(device_);
}

std::unique_ptr<Network::Pass> Network::forward(const Row& row,
                                                const std::vector<std::int64_t>& at,
                                                const std::vector<LayerLora>* lora,
                                                bool learning) const {
  auto pass = std::make_unique<Pass>(row, device_);
  pass->lora = lora;
  pass->tokens = toDevice(row.tokens);
  pass->at = toDevice(at);
  const at::Tensor angles =
      at::outer(toDevice(row.positions).to(at::kFloat), inverse_frequencies_).unsqueeze(1);
  const at::Tensor cosines = at::cos(angles).mul_(rope_scale_);
  const at::Tensor sines = at::sin(angles).mul_(rope_scale_);
  pass->rotation = {cosines.to(type_), sines.to(type_), cosines, sines};

  at::Tensor x = weights_.embedding.value.index_select(0, pass->tokens);
  const std::uint64_t layers = weights_.layers.size();
  std::uint64_t kept_layers = 0;
  for (std::size_t i = 0; i < weights_.layers.size(); ++i) {
    LayerActivations kept;
    at::Tensor y =
        forwardLayer(weights_.layers[i], lora == nullptr ? nullptr : &(*lora)[i], *pass, x, kept);
    if (learning) {
      // The last layer is always kept: its backward pass comes next, so recomputing it would be
      // wasted.
      if (i == 0) kept_layers = std::max<std::uint64_t>(1, keep_bytes_ / bytesOf(kept));
      if (kept_layers < layers - i) {
        kept = LayerActivations();
        kept.x = x;
      }
      pass->kept.push_back(std::move(kept));
    }
    x = std::move(y);
  }
  pass->rows = x.size(0);
  pass->last = x.index_select(0, pass->at);
  pass->normed = norm(pass->last, weights_.norm.value, shape_.norm_epsilon);
  return pass;
}

void Network::backward(const Pass& pass, const at::Tensor& gradient) const {
  const at::Tensor of_last = normBackward(gradient, pass.last, pass.normed.inverse, weights_.norm);
  at::Tensor of_x = at::zeros({pass.rows, of_last.size(1)}, of_last.options());
  of_x.index_add_(0, pass.at, of_last);
  for (std::size_t i = weights_.layers.size(); i-- > 0;) {
    const LayerLora* lora = pass.lora == nullptr ? nullptr : &(*pass.lora)[i];
    const bool wanted = i > 0 || weights_.embedding.gradient.defined();
    if (pass.kept[i].middle.defined()) {
      of_x = backwardLayer(weights_.layers[i], lora, pass, pass.kept[i], of_x, wanted);
    } else {
      LayerActivations again;
      forwardLayer(weights_.layers[i], lora, pass, pass.kept[i].x, again);
      of_x = backwardLayer(weights_.layers[i], lora, pass, again, of_x, wanted);
    }
  }
  if (weights_.embedding.gradient.defined())
    weights_.embedding.gradient.index_add_(0, pass.tokens, of_x.to(at::kFloat));
}

at::Tensor Network::forwardLayer(const LayerWeights& layer,
                                 const LayerLora* lora,
                                 const Pass& pass,
                                 const at::Tensor& x,
                                 LayerActivations& kept) const {
  kept.x = x;
  kept.attention_in = norm(x, layer.attention_norm.value, shape_.norm_epsilon);
  kept.qkv = layer.qkv.forward(kept.attention_in.y, lora == nullptr ? nullptr : &lora->qkv);
  kept.attended = attend(kept.qkv.y, headNorms(layer).value, {pass.rotation, heads_, pass.plan});
  const Projected out = layer.out.forward(kept.attended.y, lora == nullptr ? nullptr : &lora->out);
  kept.out_narrow = out.narrow;
  kept.middle = addInPlace(out.y, x);
  kept.mlp_in = norm(kept.middle, layer.mlp_norm.value, shape_.norm_epsilon);
  kept.gate_up = layer.gate_up.forward(kept.mlp_in.y, lora == nullptr ? nullptr : &lora->gate_up);
  kept.gated = gated(kept.gate_up.y);
  const Projected down = layer.down.forward(kept.gated, lora == nullptr ? nullptr : &lora->down);
  kept.down_narrow = down.narrow;
  return addInPlace(down.y, kept.middle);
}

at::Tensor Network::backwardLayer(const LayerWeights& layer,
                                  const LayerLora* lora,
                                  const Pass& pass,
                                  const LayerActivations& kept,
                                  const at::Tensor& gradient,
                                  bool wanted) const {
  const at::Tensor of_gated = layer.down.backward(gradient, kept.gated, kept.down_narrow,
                                                  lora == nullptr ? nullptr : &lora->down, true);
  const at::Tensor of_mlp_in =
      layer.gate_up.backward(gatedBackward(of_gated, kept.gate_up.y), kept.mlp_in.y,
                             kept.gate_up.narrow, lora == nullptr ? nullptr : &lora->gate_up, true);
  const at::Tensor of_middle =
      normBackward(of_mlp_in, kept.middle, kept.mlp_in.inverse, layer.mlp_norm, gradient);
  const at::Tensor of_attended = layer.out.backward(of_middle, kept.attended.y, kept.out_narrow,
                                                    lora == nullptr ? nullptr : &lora->out, true);
  const Parameter norms = headNorms(layer);
  const at::Tensor of_qkv = attendBackward(of_attended, kept.qkv.y, kept.attended, norms,
                                           {pass.rotation, heads_, pass.plan});
  addHeadNorms(layer, norms);
  const at::Tensor of_in = layer.qkv.backward(of_qkv, kept.attention_in.y, kept.qkv.narrow,
                                              lora == nullptr ? nullptr : &lora->qkv, wanted);
  if (!wanted) return {};
  return normBackward(of_in, kept.x, kept.attention_in.inverse, layer.attention_norm, of_middle);
}

Parameter Network::headNorms(const LayerWeights& layer) const {
  if (!layer.query_norm.defined()) return {};
  Parameter norms{at::cat({layer.query_norm.value.expand({heads_.heads, heads_.width}),
                           layer.key_norm.value.expand({heads_.kv_heads, heads_.width})}),
                  {}};
  if (layer.query_norm.gradient.defined())
    norms.gradient = at::zeros(norms.value.sizes(), layer.query_norm.gradient.options());
  return norms;
}

void Network::addHeadNorms(const LayerWeights& layer, const Parameter& norms) const {
  if (!norms.gradient.defined()) return;
  layer.query_norm.addGradient(norms.gradient.narrow(0, 0, heads_.heads).sum(0));
  layer.key_norm.addGradient(norms.gradient.narrow(0, heads_.heads, heads_.kv_heads).sum(0));
}

}  // namespace spindle::trainer
