#include "trainer/kernels/matrix_product.h"

#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/kernels/parallel.h"

namespace spindle::trainer {
namespace {

at::Tensor sineMatrix(std::int64_t rows, std::int64_t columns, double from) {
  return at::arange(rows * columns, at::kFloat).mul_(0.37).add_(from).sin_().view({rows, columns});
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

at::Tensor exactly(const at::Tensor& a, const at::Tensor& b) {
  return at::mm(a.to(at::kDouble), b.to(at::kDouble));
}

class Products : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { setThreads(GetParam()); }
};

TEST_P(Products, SupportAllLayouts) {
  for (const auto& [rows, columns, inner] :
       {std::tuple{1, 1, 1}, {7, 5, 3}, {100, 48, 33}, {40, 512, 16}, {16, 300, 70}}) {
    const at::Tensor a = sineMatrix(rows, inner, 1);
    const at::Tensor b = sineMatrix(inner, columns, 2);
    const at::Tensor expected = exactly(a, b);
    const at::Tensor a_across = a.t().contiguous().t();
    const at::Tensor b_across = b.t().contiguous().t();
    for (const at::Tensor& left : {a, a_across}) {
      for (const at::Tensor& right : {b, b_across}) {
        EXPECT_LT(distance(product(left, right), expected), 1e-4);
        EXPECT_LT(distance(product(left, right, -0.5), expected * -0.5), 1e-4);
        at::Tensor sum = at::ones({rows, columns});
        addProduct(sum, left, right);
        EXPECT_LT(distance(sum, expected + 1), 1e-4);
      }
    }
  }
}

TEST_P(Products, SupportStridedRows) {
  const at::Tensor wide = sineMatrix(64, 90, 3);
  const at::Tensor a = wide.narrow(1, 10, 40);
  const at::Tensor b = sineMatrix(90, 64, 4).narrow(0, 7, 40);
  at::Tensor place = at::zeros({64, 200});
  addProduct(place.narrow(1, 100, 64), a, b);
  EXPECT_LT(distance(place.narrow(1, 100, 64), exactly(a, b)), 1e-4);
  EXPECT_EQ(place.narrow(1, 0, 100).abs().sum().item<float>(), 0);
  EXPECT_EQ(place.narrow(1, 164, 36).abs().sum().item<float>(), 0);
}

TEST_P(Products, GiveTheSameBitsEveryTime) {
  const at::Tensor a = sineMatrix(130, 77, 5);
  const at::Tensor b = sineMatrix(77, 65, 6);
  EXPECT_TRUE(at::equal(product(a, b), product(a, b)));
}

INSTANTIATE_TEST_SUITE_P(OfThreads, Products, ::testing::Values(1, 2, 3));

TEST(EmptyRows, AvoidSlowStrides) {
  const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat);
  EXPECT_EQ(emptyRows(3, 512, options).sizes(), (std::vector<std::int64_t>{3, 512}));
  EXPECT_NE(emptyRows(3, 512, options).stride(0) % 256, 0);
  EXPECT_EQ(emptyRows(3, 384, options).stride(0), 384);
}

}  // namespace
}  // namespace spindle::trainer
