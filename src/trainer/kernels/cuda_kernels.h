#pragma once

#include <cstdint>

// Fused CUDA kernels for the operations between matrix products. Numbers are bfloat16 unless
// declared as float. Pointers are device pointers; `stream` is a cudaStream_t. Compiled if
// SPINDLE_HAS_CUDA_KERNELS is defined.

namespace spindle::trainer {

/// Heads to process: RMS norm, if there are weights, and then rotary embedding.
struct HeadRows {
  const void* fused = nullptr;  ///< [tokens, stride]; each row begins with the heads
  std::int64_t stride = 0;
  const void* weights = nullptr;   ///< [heads, width]; null: no norm
  const float* cosines = nullptr;  ///< [tokens, width / 2]
  const float* sines = nullptr;
  std::int64_t tokens = 0;
  std::int64_t heads = 0;
  std::int64_t width = 0;  ///< a multiple of 4, at most 256
  float epsilon = 0;
};
/// Writes the rotated heads, [tokens, heads, width], and the inverse RMS of each head: float,
/// [tokens, heads].
void rotateHeads(const HeadRows& rows, void* rotated, float* inverse, void* stream);
/// Writes the gradient into `changed`, in the layout and with the stride of `fused`.
void rotateHeadsBackward(
    const HeadRows& rows, const void* gradient, const float* inverse, void* changed, void* stream);

/// Computes silu(gate) * up of [tokens, 2 * inner]; `inner` must be a multiple of 8.
void gateRows(
    const void* gate_up, void* gated, std::int64_t tokens, std::int64_t inner, void* stream);
void gateRowsBackward(const void* gradient,
                      const void* gate_up,
                      void* changed,
                      std::int64_t tokens,
                      std::int64_t inner,
                      void* stream);

}  // namespace spindle::trainer
