#include "weights/huggingface/module_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spindle::weights {
namespace {

/// The names of the families, in the order of the enumeration.
constexpr std::array<std::string_view, 3> kFamilies = {"llama", "qwen2", "qwen3"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kModules = {{
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
}};

}  // namespace

std::optional<Family> familyNamed(std::string_view name) {
  const auto* const found = std::find(kFamilies.begin(), kFamilies.end(), name);
  if (found == kFamilies.end()) return std::nullopt;
  return static_cast<Family>(found - kFamilies.begin());
}

std::string_view nameOf(Family family) { return kFamilies.at(static_cast<std::size_t>(family)); }

std::optional<std::string_view> ggufModuleOf(std::string_view hf_module) {
  for (const auto& [hf, gguf] : kModules) {
    if (hf == hf_module) return gguf;
  }
  return std::nullopt;
}

const std::vector<std::string_view>& projections() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    all.reserve(kModules.size());
    for (const auto& [hf, gguf] : kModules) all.push_back(hf);
    return all;
  }();
  return names;
}

RowOrder permutedRows(std::uint64_t head_width) {
  return [head_width](std::uint64_t row) {
    const std::uint64_t within = row % head_width;
    return row - within + within % 2 * (head_width / 2) + within / 2;
  };
}

}  // namespace spindle::weights
