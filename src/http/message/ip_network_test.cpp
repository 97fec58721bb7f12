#include "http/message/ip_network.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

bool contains(std::string_view network, std::string_view address) {
  const std::optional<IpNetwork> parsed = parseIpNetwork(network);
  const std::optional<IpAddress> wanted = parseIpAddress(address);
  return parsed && wanted && parsed->contains(*wanted);
}

TEST(IpNetwork, ContainsItsAddresses) {
  EXPECT_TRUE(contains("10.1.0.0/16", "10.1.255.3"));
  EXPECT_FALSE(contains("10.1.0.0/16", "10.2.0.1"));
  EXPECT_TRUE(contains("127.0.0.0/8", "::ffff:127.0.0.1"));
  EXPECT_TRUE(contains("fd00::/8", "fd12::1"));
  EXPECT_FALSE(contains("fd00::/8", "fe80::1"));
  EXPECT_TRUE(contains("10.0.0.12/30", "10.0.0.15"));
  EXPECT_FALSE(contains("10.0.0.12/30", "10.0.0.16"));
  EXPECT_TRUE(contains("::1", "::1"));
  EXPECT_TRUE(contains("0.0.0.0/0", "8.8.8.8"));
  EXPECT_FALSE(contains("0.0.0.0/0", "2001:db8::1"));
}

TEST(IpNetwork, RejectsOtherText) {
  for (const std::string_view text :
       {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8x", "::/129", "host/8", "10.1"}) {
    EXPECT_FALSE(parseIpNetwork(text).has_value()) << text;
  }
  for (const std::string_view text :
       {"", "[::1]", "127.1", "0x7f.0.0.1", "localhost", "1.2.3.4:5"}) {
    EXPECT_FALSE(parseIpAddress(text).has_value()) << text;
  }
}

TEST(IpNetwork, JoinsTheAddressesOfASubscriber) {
  EXPECT_EQ(addressBlock("203.0.113.9"), "203.0.113.9");
  EXPECT_EQ(addressBlock("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(addressBlock("2001:db8:1:2::ffff"), "2001:db8:1:2::");
  EXPECT_EQ(addressBlock(""), "");
}

TEST(IpNetwork, KnowsTheFamily) {
  EXPECT_TRUE(isIpv4(*parseIpAddress("10.0.0.1")));
  EXPECT_FALSE(isIpv4(*parseIpAddress("::1")));
}

}  // namespace
}  // namespace spindle::http
