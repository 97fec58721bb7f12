#pragma once

#include <cstdint>

#include <ATen/ATen.h>

namespace spindle::trainer {

/// A float32 matrix with rows `stride` apart; if transposed, columns.
struct Matrix {
  const float* numbers = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;
};

/// The size of a product: `rows` x `inner` times `inner` x `columns`.
struct ProductSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
};

/// The matrix that a product is added to, with rows `stride` apart.
struct ProductSum {
  float* numbers = nullptr;
  std::int64_t stride = 0;
  float kept = 0;  ///< factor of the numbers before the product is added
};

/// Computes sum = kept * sum + scale * a b on the calling thread of a CPU, with the faster of the
/// available libraries.
void multiply(
    const ProductSize& size, float scale, const Matrix& a, const Matrix& b, const ProductSum& sum);

/// Returns an uninitialized [rows, columns] tensor. On a CPU the row stride is never a large power
/// of two, because such rows would evict each other from the caches.
at::Tensor emptyRows(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options);

/// Returns a b * scale. On a CPU every thread computes its own rows or columns. Library threads are
/// not used: they spin while they wait, which is slow on a busy machine (see inParallel()).
at::Tensor product(const at::Tensor& a, const at::Tensor& b, double scale = 1);
/// Adds the product to `sum`.
void addProduct(const at::Tensor& sum, const at::Tensor& a, const at::Tensor& b);

}  // namespace spindle::trainer
