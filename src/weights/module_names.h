#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::weights {

/// What a matrix of a layer is called in GGUF files: `attn_q` for `self_attn.q_proj`. Empty for one
/// that the families here do not have.
std::optional<std::string_view> ggufModuleOf(std::string_view hf_module);

/// The matrices of a layer that adapters change, as folders call them: `self_attn.q_proj` and so
/// on.
const std::vector<std::string_view>& projections();

/// Which row of a folder's matrix stands in a row of the file's.
using RowOrder = std::function<std::uint64_t(std::uint64_t row)>;

/// The order for queries and keys of Llama: the files turn neighbours, the folders turn the two
/// halves of a head.
RowOrder rotatedRows(std::uint64_t head_width);

}  // namespace spindle::weights
