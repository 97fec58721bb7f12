#pragma once

#include <cstdint>

// Steps between matrix products that a CUDA device does in one go each. Numbers are brain floats
// unless it says float; pointers are the device's, `stream` is a cudaStream_t. Present where
// SPINDLE_HAS_CUDA_KERNELS is defined.

namespace spindle::trainer {

/// Heads of rows: norms them where there are weights, then turns them.
struct HeadRows {
  const void* fused = nullptr;  ///< [tokens, stride]: the heads first in every row
  std::int64_t stride = 0;
  const void* weights = nullptr;   ///< [heads, width]; null: they are not normed
  const float* cosines = nullptr;  ///< [tokens, width / 2]
  const float* sines = nullptr;
  std::int64_t tokens = 0;
  std::int64_t heads = 0;
  std::int64_t width = 0;  ///< a multiple of 4, at most 256
  float epsilon = 0;
};
/// Writes [tokens, heads, width], and what norms multiplied by: float, [tokens, heads].
void turnHeads(const HeadRows& rows, void* turned, float* inverse, void* stream);
/// Writes the gradient where `fused` has its rows: into `changed`, of the same stride.
void turnHeadsBack(
    const HeadRows& rows, const void* gradient, const float* inverse, void* changed, void* stream);

/// silu(gate) * up of [tokens, 2 * inner]; `inner` is a multiple of 8.
void gateRows(
    const void* gate_up, void* gated, std::int64_t tokens, std::int64_t inner, void* stream);
void gateRowsBack(const void* gradient,
                  const void* gate_up,
                  void* changed,
                  std::int64_t tokens,
                  std::int64_t inner,
                  void* stream);

}  // namespace spindle::trainer
