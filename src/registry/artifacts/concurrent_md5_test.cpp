#include "registry/artifacts/concurrent_md5.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle::registry {
namespace {

TEST(ConcurrentMd5, HashesAllChunksWithAndWithoutThread) {
  for (const bool beside : {false, true}) {
    ConcurrentMd5 hash(beside);
    std::string whole;
    for (int i = 0; i < 100; ++i) {
      const std::string piece(static_cast<std::size_t>(i) * 997, static_cast<char>('a' + i % 26));
      whole += piece;
      hash.begin(piece);
      hash.wait();
    }
    EXPECT_EQ(hash.finish(), md5(whole));
  }
}

TEST(ConcurrentMd5, CanBeDestroyedAtAnyTime) {
  const ConcurrentMd5 unused(true);
  ConcurrentMd5 begun(true);
  const std::string piece(1 << 20, 'x');
  begun.begin(piece);
  begun.wait();
}

}  // namespace
}  // namespace spindle::registry
