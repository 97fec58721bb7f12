#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::weights {

/// The supported families of models.
enum class Family { kLlama, kQwen2, kQwen3 };

/// Returns the family with a name that `config.json` and GGUF files use: `llama`. Empty if it is
/// not supported.
std::optional<Family> familyNamed(std::string_view name);
std::string_view nameOf(Family family);

/// Returns the GGUF name of a layer's matrix: `attn_q` for `self_attn.q_proj`. Empty if the
/// supported families have no such matrix.
std::optional<std::string_view> ggufModuleOf(std::string_view hf_module);

/// Returns the Hugging Face names of the matrices that adapters change: `self_attn.q_proj` and so
/// on.
const std::vector<std::string_view>& projections();

/// Maps a row of a GGUF matrix to the row of the Hugging Face matrix that it contains.
using RowOrder = std::function<std::uint64_t(std::uint64_t row)>;

/// Returns the row order of Llama's query and key matrices. RoPE rotates pairs of neighbouring rows
/// in GGUF files, and pairs from the two halves of a head in Hugging Face files.
RowOrder permutedRows(std::uint64_t head_width);

}  // namespace spindle::weights
