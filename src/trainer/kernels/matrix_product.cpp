#include "trainer/kernels/matrix_product.h"

#include <algorithm>
#include <vector>

#include <dlfcn.h>

#include "trainer/kernels/parallel.h"

namespace spindle::trainer {
namespace {

/// Minimum number of rows or columns per thread.
constexpr std::int64_t kLeast = 16;
/// Rows whose stride is a multiple of this get kGap more.
constexpr std::int64_t kSlowStride = 256;
constexpr std::int64_t kGap = 16;

/// oneDNN's SGEMM, which LibTorch contains: on x86 faster than OpenBLAS, especially for the narrow
/// matrices of adapters.
using Sgemm = int (*)(char transposed_a,
                      char transposed_b,
                      std::int64_t rows,
                      std::int64_t columns,
                      std::int64_t inner,
                      float scale,
                      const float* a,
                      std::int64_t stride_a,
                      const float* b,
                      std::int64_t stride_b,
                      float kept,
                      float* sum,
                      std::int64_t stride);

Sgemm findSgemm() {
#if defined(__x86_64__)
  return reinterpret_cast<Sgemm>(dlsym(RTLD_DEFAULT, "dnnl_sgemm"));
#else
  return nullptr;
#endif
}

at::Tensor tensorOf(const Matrix& matrix, std::int64_t rows, std::int64_t columns) {
  return at::from_blob(const_cast<float*>(matrix.numbers), {rows, columns},  // NOLINT
                       matrix.transposed ? std::vector<std::int64_t>{1, matrix.stride}
                                         : std::vector<std::int64_t>{matrix.stride, 1},
                       at::kFloat);
}

bool isPlain(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == at::kFloat;
}

bool hasRows(const at::Tensor& tensor) {
  return tensor.stride(1) == 1 && tensor.stride(0) >= tensor.size(1);
}

Matrix matrixOf(const at::Tensor& tensor) {
  const bool rows = hasRows(tensor);
  return {tensor.data_ptr<float>(), tensor.stride(rows ? 0 : 1), !rows};
}

/// Returns the submatrix that begins at `row` and `column` of the matrix as it is multiplied.
Matrix from(const Matrix& matrix, std::int64_t row, std::int64_t column) {
  const std::int64_t skipped =
      matrix.transposed ? column * matrix.stride + row : row * matrix.stride + column;
  return {matrix.numbers + skipped, matrix.stride, matrix.transposed};
}

bool isMultiplied(const at::Tensor& tensor) {
  return isPlain(tensor) &&
         (hasRows(tensor) || (tensor.stride(0) == 1 && tensor.stride(1) >= tensor.size(0)));
}

/// Splits the longer side among the threads.
void multiplyInParts(
    const at::Tensor& a, const at::Tensor& b, float scale, float kept, const at::Tensor& sum) {
  const ProductSize size{a.size(0), b.size(1), a.size(1)};
  const Matrix left = matrixOf(a);
  const Matrix right = matrixOf(b);
  auto* numbers = sum.data_ptr<float>();
  const std::int64_t stride = sum.stride(0);
  const bool by_rows = size.rows >= size.columns || size.rows >= 16 * kLeast;
  inParallel(by_rows ? size.rows : size.columns, kLeast, [&](std::int64_t begin, std::int64_t end) {
    if (by_rows) {
      multiply({end - begin, size.columns, size.inner}, scale, from(left, begin, 0), right,
               {numbers + begin * stride, stride, kept});
    } else {
      multiply({size.rows, end - begin, size.inner}, scale, left, from(right, 0, begin),
               {numbers + begin, stride, kept});
    }
  });
}

}  // namespace

void multiply(
    const ProductSize& size, float scale, const Matrix& a, const Matrix& b, const ProductSum& sum) {
  static const Sgemm sgemm = findSgemm();
  if (sgemm != nullptr) {
    sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', size.rows, size.columns, size.inner,
          scale, a.numbers, a.stride, b.numbers, b.stride, sum.kept, sum.numbers, sum.stride);
    return;
  }
  at::Tensor made = tensorOf({sum.numbers, sum.stride, false}, size.rows, size.columns);
  at::addmm_out(made, made, tensorOf(a, size.rows, size.inner),
                tensorOf(b, size.inner, size.columns), sum.kept, scale);
}

at::Tensor emptyRows(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options) {
  if (!options.device().is_cpu() || columns % kSlowStride != 0)
    return at::empty({rows, columns}, options);
  return at::empty({rows, columns + kGap}, options).narrow(1, 0, columns);
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b, double scale) {
  if (!isMultiplied(a) || !isMultiplied(b)) {
    at::Tensor made = at::mm(a, b);
    return scale == 1 ? made : made.mul_(scale);
  }
  at::Tensor made = emptyRows(a.size(0), b.size(1), a.options());
  multiplyInParts(a, b, static_cast<float>(scale), 0, made);
  return made;
}

void addProduct(const at::Tensor& sum, const at::Tensor& a, const at::Tensor& b) {
  if (!isMultiplied(a) || !isMultiplied(b) || !isPlain(sum) || !hasRows(sum)) {
    sum.addmm_(a, b);
    return;
  }
  multiplyInParts(a, b, 1, 1, sum);
}

}  // namespace spindle::trainer
