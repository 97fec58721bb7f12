#include "http/client/egress_policy.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

EgressPolicy rulesOf(const EgressOptions& options = {}) { return EgressPolicy(options); }

std::string problemOf(const EgressPolicy& rules,
                      std::string_view host,
                      bool secure = true,
                      std::uint16_t port = 443) {
  return rules.problemOf(secure, host, std::nullopt, port).value_or("");
}

constexpr std::string_view kAlwaysClosed[] = {
    "169.254.0.1", "169.254.169.254", "168.63.129.16",         "100.100.100.200",
    "fe80::1",     "fd00:ec2::254",   "::ffff:169.254.169.254"};
constexpr std::string_view kOwnNetwork[] = {
    "10.0.0.1",    "10.255.255.255", "100.64.0.1",       "100.127.255.255", "127.0.0.1",
    "127.255.0.1", "172.16.0.1",     "172.31.255.255",   "192.168.1.1",     "::1",
    "fc00::1",     "fdff::1",        "::ffff:127.0.0.1", "2002:7f00:1::",   "2002:c0a8:1::1"};
constexpr std::string_view kReserved[] = {
    "0.0.0.0",           "0.1.2.3",
    "192.0.0.1",         "192.0.2.1",
    "192.88.99.1",       "198.18.0.1",
    "198.19.255.255",    "198.51.100.7",
    "203.0.113.9",       "224.0.0.1",
    "239.1.1.1",         "240.0.0.1",
    "255.255.255.255",   "::",
    "::7f00:1",          "64:ff9b::1.2.3.4",
    "64:ff9b:1::1",      "100::1",
    "2001:db8::1",       "fec0::1",
    "ff02::1",           "2002:e000:1::",
    "2001::1",           "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",        "2001:1ff::1",
    "3fff::1",           "::ffff:0:127.0.0.1",
    "::ffff:0:8.8.8.8",  "::1.2.3.4",
    "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1",
    "1fff::1",           "4000::1",
    "5f00::1",           "8000::1"};
constexpr std::string_view kPublic[] = {
    "1.1.1.1",         "8.8.8.8",         "172.15.255.255", "172.32.0.1",  "100.63.0.1",
    "100.128.0.1",     "192.0.1.1",       "198.17.0.1",     "198.20.0.1",  "223.255.255.255",
    "2606:4700::1111", "2002:808:808::1", "::ffff:8.8.8.8", "2001:200::1", "2001:4860:4860::8888"};

TEST(EgressAddresses, NonPublicAddressesAreBlocked) {
  const EgressPolicy rules = rulesOf();
  for (const std::string_view address : kAlwaysClosed)
    EXPECT_FALSE(rules.allowsAddress("h", address));
  for (const std::string_view address : kOwnNetwork)
    EXPECT_FALSE(rules.allowsAddress("h", address));
  for (const std::string_view address : kReserved) EXPECT_FALSE(rules.allowsAddress("h", address));
  for (const std::string_view address : kPublic) {
    EXPECT_TRUE(rules.allowsAddress("h", address)) << address;
  }
  EXPECT_FALSE(rules.allowsAddress("h", "not an address"));
}

TEST(EgressAddresses, PrivateNetworksCanBeAllowed) {
  const EgressPolicy rules = rulesOf({.allow_private = true});
  for (const std::string_view address : kOwnNetwork) {
    EXPECT_TRUE(rules.allowsAddress("h", address)) << address;
  }
  for (const std::string_view address : kAlwaysClosed)
    EXPECT_FALSE(rules.allowsAddress("h", address));
  for (const std::string_view address : kReserved) EXPECT_FALSE(rules.allowsAddress("h", address));
}

TEST(EgressPrivateAddresses, AreBlockedWhileTheConditionIsFalse) {
  bool is_local = true;
  EgressOptions options;
  options.allow_private = true;
  options.private_condition = [&is_local] { return is_local; };
  const EgressPolicy rules = rulesOf(options);
  EXPECT_TRUE(rules.allowsAddress("h", "127.0.0.1"));
  EXPECT_EQ(problemOf(rules, "localhost", false, 8080), "");
  is_local = false;
  EXPECT_FALSE(rules.allowsAddress("h", "127.0.0.1"));
  EXPECT_EQ(problemOf(rules, "localhost", true, 8080), "The host is not allowed.");
  EXPECT_EQ(problemOf(rules, "hooks.example.com", false, 8080), "The scheme must be https.");
  EXPECT_TRUE(rules.problemOf(true, "10.0.0.1", "10.0.0.1", 443));
  EXPECT_TRUE(rules.allowsAddress("h", "8.8.8.8"));
}

TEST(EgressPrivateAddresses, AreBlockedWithoutTheSetting) {
  EgressOptions options;
  options.private_condition = [] { return true; };
  EXPECT_FALSE(rulesOf(options).allowsAddress("h", "127.0.0.1"));
}

TEST(EgressPrivateAddresses, ListedAddressesIgnoreTheCondition) {
  EgressOptions options;
  options.allow_private = true;
  options.private_condition = [] { return false; };
  options.allow_cidrs = {"10.1.0.0/16"};
  options.allow_hosts = {"ci.example.com"};
  const EgressPolicy rules = rulesOf(options);
  EXPECT_TRUE(rules.allowsAddress("h", "10.1.2.3"));
  EXPECT_TRUE(rules.allowsAddress("ci.example.com", "192.168.1.1"));
  EXPECT_FALSE(rules.allowsAddress("h", "192.168.1.1"));
}

TEST(EgressAddresses, CanBeAllowedByNetwork) {
  const EgressPolicy rules =
      rulesOf({.allow_cidrs = {"10.1.0.0/16", "127.0.0.1/32", "fd12::/16", "169.254.0.0/16"}});
  EXPECT_TRUE(rules.allowsAddress("h", "10.1.200.3"));
  EXPECT_FALSE(rules.allowsAddress("h", "10.2.0.1"));
  EXPECT_TRUE(rules.allowsAddress("h", "127.0.0.1"));
  EXPECT_TRUE(rules.allowsAddress("h", "::ffff:127.0.0.1"));
  EXPECT_FALSE(rules.allowsAddress("h", "127.0.0.2"));
  EXPECT_TRUE(rules.allowsAddress("h", "fd12:3::1"));
  EXPECT_FALSE(rules.allowsAddress("h", "fd13::1"));
  EXPECT_FALSE(rules.allowsAddress("h", "169.254.169.254")) << "only that very address would do";
}

TEST(EgressAddresses, MetadataServicesMustBeListedIndividually) {
  const EgressPolicy rules = rulesOf(
      {.allow_hosts = {"meta.example.com"}, .allow_cidrs = {"169.254.169.254", "fe80::1/128"}});
  EXPECT_TRUE(rules.allowsAddress("h", "169.254.169.254"));
  EXPECT_TRUE(rules.allowsAddress("h", "fe80::1"));
  EXPECT_FALSE(rules.allowsAddress("meta.example.com", "169.254.169.253"));
}

TEST(EgressAddresses, CanBeAllowedByHost) {
  const EgressPolicy rules = rulesOf({.allow_hosts = {"CI.example.com", "*.corp.example"}});
  EXPECT_TRUE(rules.allowsAddress("ci.example.com", "10.0.0.1"));
  EXPECT_FALSE(rules.allowsAddress("other.example.com", "10.0.0.1"));
  EXPECT_TRUE(rules.allowsAddress("a.b.corp.example", "192.168.0.1"));
  EXPECT_FALSE(rules.allowsAddress("corp.example", "192.168.0.1"));
  EXPECT_FALSE(rules.allowsAddress("evilcorp.example", "192.168.0.1"));
}

TEST(EgressNetworks, InvalidNetworkThrows) {
  for (const char* bad :
       {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "host", "::/129", "10.0.0/8"}) {
    EXPECT_THROW(rulesOf({.allow_cidrs = {bad}}), std::runtime_error) << bad;
  }
}

TEST(EgressEndpoints, RequirePublicNamesAndAllowedPorts) {
  const EgressPolicy rules = rulesOf();
  EXPECT_EQ(problemOf(rules, "hooks.example.com"), "");
  EXPECT_EQ(problemOf(rules, "hooks.example.com", true, 8443), "");
  EXPECT_EQ(problemOf(rules, "hooks.example.com", true, 80), "");
  EXPECT_NE(problemOf(rules, "hooks.example.com", true, 22), "");
  EXPECT_NE(problemOf(rules, "hooks.example.com", false, 80), "");
  for (const char* host : {"localhost", "localhost.", "a.localhost", "db.internal", "printer.local",
                           "metadata", "metadata.google.internal", "metadata.example.com"}) {
    EXPECT_NE(problemOf(rules, host), "") << host;
  }
  EXPECT_TRUE(rules.problemOf(true, "127.0.0.1", "127.0.0.1", 443));
  EXPECT_FALSE(rules.problemOf(true, "8.8.8.8", "8.8.8.8", 443));
}

TEST(EgressEndpoints, PrivateNetworksMayUsePlainHttp) {
  const EgressPolicy own = rulesOf({.allow_private = true});
  EXPECT_EQ(problemOf(own, "localhost", false, 8080), "");
  EXPECT_FALSE(own.problemOf(false, "127.0.0.1", "127.0.0.1", 8080));
  EXPECT_NE(problemOf(own, "metadata.google.internal"), "");
  const EgressPolicy listed = rulesOf({.allow_hosts = {"ci.internal"}});
  EXPECT_EQ(problemOf(listed, "ci.internal", false, 80), "");
  EXPECT_NE(problemOf(listed, "cd.internal"), "");
  EXPECT_EQ(problemOf(rulesOf({.allow_http = true}), "hooks.example.com", false, 80), "");
}

}  // namespace
}  // namespace spindle::http
