#pragma once

#include <cstdint>

#include <ATen/ATen.h>

namespace spindle::trainer {

/// Numbers of 32 bits in rows, `stride` apart; transposed: in columns.
struct Matrix {
  const float* numbers = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;
};

/// What is multiplied: `rows` x `inner` with `inner` x `columns`.
struct ProductSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
};

/// sum = kept * sum + scale * a b, on the calling thread and a CPU. With the faster of the
/// libraries that are there.
void multiply(const ProductSize& size,
              float scale,
              const Matrix& a,
              const Matrix& b,
              float kept,
              float* sum,
              std::int64_t stride);

/// [rows, columns], whatever stands there. On a CPU rows do not begin a power of two apart: what
/// stands below one another would drive one another out of the caches.
at::Tensor emptyRows(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options);

/// a b * scale. On a CPU every thread has rows, or columns, of its own: libraries' threads wait for
/// one another by spinning, and wait long where others want the processor (see inParallel()).
at::Tensor product(const at::Tensor& a, const at::Tensor& b, double scale = 1);
/// Adds it to what stands in `sum`.
void addProduct(at::Tensor sum, const at::Tensor& a, const at::Tensor& b);

}  // namespace spindle::trainer
