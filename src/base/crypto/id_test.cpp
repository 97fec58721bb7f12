#include "base/crypto/id.h"

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spindle {
namespace {

constexpr Timestamp kNow = timestampOfMicros(1714557600000000);  // 2024-05-01T10:00:00Z

TEST(Id, UuidContainsTimeVersionAndVariant) {
  const std::string id = newUuid(kNow);
  ASSERT_EQ(id.size(), 36U);
  EXPECT_EQ(id.substr(0, 13), "018f3398-c100");  // 1714557600000 ms
  EXPECT_EQ(id[14], '7');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
  EXPECT_NE(newUuid(kNow), id);
}

TEST(Id, PrefixedIdsSortByTime) {
  const std::string early = newPrefixedId("usr_", kNow);
  const std::string late = newPrefixedId("usr_", kNow + std::chrono::milliseconds(1));
  EXPECT_EQ(early.size(), 4U + 26U);
  EXPECT_EQ(early.substr(0, 14), "usr_01HWSSHG80");
  EXPECT_LT(early, late);
}

TEST(Id, IdsOfOneInstantSortInCreationOrder) {
  std::vector<std::string> uuids;
  std::vector<std::string> prefixed;
  for (int i = 0; i < 5000; ++i) {
    uuids.push_back(newUuid(kNow));
    prefixed.push_back(newPrefixedId("usr_", kNow));
  }
  EXPECT_TRUE(std::is_sorted(uuids.begin(), uuids.end()));
  EXPECT_TRUE(std::is_sorted(prefixed.begin(), prefixed.end()));
  EXPECT_EQ(uuids.back().substr(0, 15), "018f3398-c100-7");
  EXPECT_EQ(prefixed.back().substr(0, 14), "usr_01HWSSHG80");
}

TEST(Id, IdsSortByMicrosecond) {
  const std::string early = newUuid(kNow + std::chrono::microseconds(400));
  newUuid(kNow - std::chrono::hours(1));
  EXPECT_LT(early, newUuid(kNow + std::chrono::microseconds(401)));
  EXPECT_GT(early, newUuid(kNow - std::chrono::hours(1)));
}

TEST(Id, ThreadsCreateDistinctIds) {
  constexpr std::size_t kEach = 2000;
  constexpr std::size_t kPositionDigits = 14;  // the bits that are not random, and four more
  const Timestamp instant = kNow + std::chrono::seconds(1);
  std::vector<std::vector<std::string>> made(4);
  std::vector<std::thread> threads;
  threads.reserve(made.size());
  for (std::vector<std::string>& own : made) {
    threads.emplace_back([&own, instant] {
      for (std::size_t i = 0; i < kEach; ++i) own.push_back(newPrefixedId("", instant));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> places;
  for (const std::vector<std::string>& own : made) {
    EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
    for (const std::string& id : own) places.insert(id.substr(0, kPositionDigits));
  }
  EXPECT_EQ(places.size(), made.size() * kEach);
}

}  // namespace
}  // namespace spindle
