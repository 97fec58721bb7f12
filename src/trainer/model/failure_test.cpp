#include "trainer/model/failure.h"

#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

TEST(Failures, RecognizeOutOfMemory) {
  const std::runtime_error processor(
      "[enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: "
      "you tried to allocate 16715776 bytes. Error code 12");
  const std::runtime_error gpu("CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; …)\nmore");
  for (const std::exception* problem :
       std::initializer_list<const std::exception*>{&processor, &gpu}) {
    EXPECT_EQ(failureOf(*problem).reason(), kOutOfMemory);
  }
  EXPECT_EQ(failureOf(std::bad_alloc()).reason(), kOutOfMemory);
  EXPECT_TRUE(failureOf(std::bad_alloc()).message().starts_with("The trainer ran out of memory: "));
}

TEST(Failures, KeepTheFirstLineOfOtherErrors) {
  const Error failure = failureOf(std::runtime_error("sizes differ\nframe #0: …"));
  EXPECT_EQ(failure.message(), "The computation failed: sizes differ");
  EXPECT_EQ(failure.reason(), kComputationFailed);
  EXPECT_FALSE(isTrainersFault(failure)) << "it would fail elsewhere, too";
}

}  // namespace
}  // namespace spindle::trainer
