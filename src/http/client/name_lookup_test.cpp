#include "http/client/name_lookup.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"

namespace spindle::http {
namespace {

TEST(NameLookup, NormalizesAddressLiterals) {
  expectResults<std::string, std::string_view>(addressLiteral, {{"127.0.0.1", "127.0.0.1"},
                                                                {"0:0:0:0:0:0:0:1", "::1"},
                                                                {"::ffff:10.1.2.3", "10.1.2.3"},
                                                                {"::FFFF:7f00:1", "127.0.0.1"}});
  for (const std::string name : {"", "localhost", "127.1", "0x7f000001", "2130706433", "::g"}) {
    EXPECT_EQ(addressLiteral(name), std::nullopt) << name;
  }
}

TEST(NameLookup, FindsTheLocalHostWithoutANetwork) {
  const std::vector<std::string> found = lookUpAddresses("localhost");
  EXPECT_TRUE(std::ranges::count(found, "127.0.0.1") + std::ranges::count(found, "::1") > 0);
}

TEST(NameLookup, ResolvesUnusualNotationsOfAnAddress) {
  EXPECT_EQ(lookUpAddresses("127.1"), std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(lookUpAddresses("2130706433"), std::vector<std::string>{"127.0.0.1"});
}

}  // namespace
}  // namespace spindle::http
