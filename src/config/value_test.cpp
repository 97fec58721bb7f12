#include "config/value.h"

#include <gtest/gtest.h>

namespace spindle::config {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

RawValue typed(std::string text) { return RawValue{.value = std::move(text), .typed = true}; }
RawValue typed(std::int64_t number) { return RawValue{.value = number, .typed = true}; }

TEST(Duration, IsAWholeNumberWithAUnit) {
  EXPECT_EQ(parseDuration("250ms"), milliseconds(250));
  EXPECT_EQ(parseDuration("10s"), milliseconds(10s));
  EXPECT_EQ(parseDuration("5m"), milliseconds(5min));
  EXPECT_EQ(parseDuration("2h"), milliseconds(2h));
  EXPECT_EQ(parseDuration("90d"), milliseconds(24h * 90));
  EXPECT_EQ(parseDuration("1h30m"), milliseconds(90min));
}

TEST(Duration, RejectsInvalidText) {
  for (const char* text : {"", "10", "s", "10 s", "-1s", "1.5s", "10sec", "1h30", "10S",
                           "99999999999999999999s", "9223372036854775807d"}) {
    EXPECT_FALSE(parseDuration(text).has_value()) << text;
  }
}

TEST(Duration, IsWrittenInTheLargestUnitThatFits) {
  EXPECT_EQ(formatDuration(250ms), "250ms");
  EXPECT_EQ(formatDuration(75s), "75s");
  EXPECT_EQ(formatDuration(60s), "1m");
  EXPECT_EQ(formatDuration(24h), "1d");
  EXPECT_EQ(formatDuration(0s), "0s");
}

TEST(Size, TakesBinaryAndDecimalUnitsAndPlainBytes) {
  EXPECT_EQ(parseSize("32MiB"), 32U * 1024 * 1024);
  EXPECT_EQ(parseSize("64kB"), 64000U);
  EXPECT_EQ(parseSize("512B"), 512U);
  EXPECT_EQ(parseSize("100"), 100U);
  for (const char* text : {"", "MiB", "32 MiB", "-1", "1.5MiB", "32mib", "99999999999GiB"}) {
    EXPECT_FALSE(parseSize(text).has_value()) << text;
  }
}

TEST(Size, RoundTrips) {
  for (const std::size_t bytes : {0UL, 1UL, 1000UL, 1024UL, 1536UL, 32UL << 20, 5UL << 30}) {
    EXPECT_EQ(parseSize(formatSize(bytes)), bytes);
  }
  EXPECT_EQ(formatSize(32UL << 20), "32MiB");
}

TEST(ListenAddress, TakesNamesAndAddressesOfBothFamilies) {
  EXPECT_EQ(parseListenAddress("127.0.0.1:8080")->host, "127.0.0.1");
  EXPECT_EQ(parseListenAddress("localhost:0")->port, 0);
  EXPECT_EQ(parseListenAddress("[::1]:8443")->host, "::1");
  EXPECT_EQ(parseListenAddress("[::1]:8443")->text(), "[::1]:8443");
  EXPECT_EQ(parseListenAddress("0.0.0.0:65535")->text(), "0.0.0.0:65535");
}

TEST(ListenAddress, RejectsInvalidText) {
  for (const char* text : {"", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                           "127.0.0.1:http", "::1:8080", "[::1]", "[::1", "[]:80", "[abc]:80",
                           "a b:80", "http://localhost:80", "host:-1", "host:8o"}) {
    EXPECT_FALSE(parseListenAddress(text).has_value()) << text;
  }
}

TEST(Codec, RejectsTextForIntegersInFiles) {
  const Codec<std::int64_t> codec = integer(8, 1000, 200);
  EXPECT_EQ(codec.parse(typed(200)), 200);
  EXPECT_EQ(codec.parse(untyped("200")), 200);
  EXPECT_FALSE(codec.parse(typed("200")).has_value());
  EXPECT_FALSE(codec.parse(typed(7)).has_value());
  EXPECT_FALSE(codec.parse(typed(1001)).has_value());
  EXPECT_FALSE(codec.parse(untyped("2OO")).has_value());
  EXPECT_FALSE(codec.parse(untyped("")).has_value());
}

TEST(Codec, AcceptsBooleanWordsOutsideFilesOnly) {
  EXPECT_EQ(boolean().parse(untyped("on")), true);
  EXPECT_EQ(boolean().parse(untyped("0")), false);
  EXPECT_EQ(boolean().parse(RawValue{.value = true, .typed = true}), true);
  EXPECT_FALSE(boolean().parse(typed("true")).has_value());
  EXPECT_FALSE(boolean().parse(untyped("maybe")).has_value());
}

/// Returns the list that a codec reads from text outside files.
std::vector<std::string> listOf(const Codec<std::vector<std::string>>& codec,
                                const std::string& text) {
  const auto parsed = codec.parse(untyped(text));
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(std::vector<std::string>());
}

TEST(Codec, AcceptsListsFromFilesAndCommaSeparatedText) {
  const auto parsed = listOf(origins(), "https://a.example, http://b.example:3000");
  EXPECT_EQ(parsed.size(), 2U);
  EXPECT_EQ(origins().literal(parsed), R"(["https://a.example", "http://b.example:3000"])");
  EXPECT_TRUE(listOf(origins(), "").empty());
  EXPECT_FALSE(origins().parse(untyped("https://a.example/path")).has_value());
  EXPECT_FALSE(origins().parse(untyped("a.example")).has_value());
  EXPECT_FALSE(origins().parse(typed("https://a.example")).has_value());
}

TEST(Codec, AcceptsHostNamesAndSuffixes) {
  EXPECT_EQ(listOf(hosts(), "ci.example.com, *.corp.example.com").size(), 2U);
  for (const char* bad : {"*", "*.", "a.*.b", "https://a.example", "a.example:80", "a b"}) {
    EXPECT_FALSE(hosts().parse(untyped(bad)).has_value()) << bad;
  }
}

TEST(Codec, AcceptsNetworks) {
  EXPECT_EQ(listOf(networks(), "10.1.0.0/16,fd00::/8").size(), 2U);
  EXPECT_EQ(networks().literal({"10.1.0.0/16"}), R"(["10.1.0.0/16"])");
  EXPECT_FALSE(networks().parse(untyped("intranet")).has_value());
}

TEST(Codec, ReadsHttpUrls) {
  const Codec<std::string> codec = httpUrl("https://a.example/v1");
  EXPECT_EQ(codec.parse(untyped("https://a.example/v1/")), "https://a.example/v1");
  EXPECT_EQ(codec.parse(typed("http://127.0.0.1:9000")), "http://127.0.0.1:9000");
  EXPECT_EQ(codec.parse(untyped("")), "");
  EXPECT_EQ(codec.literal("https://a.example"), "\"https://a.example\"");
  for (const char* bad : {"a.example", "ftp://a.example", "http://", "https:///", "http://a b",
                          "http://a/?key=1", "http://a/#x"}) {
    EXPECT_FALSE(codec.parse(untyped(bad)).has_value()) << bad;
  }
}

TEST(Codec, ReadsThePathsOfUrls) {
  const Codec<std::string> codec = urlPath("/spindle");
  EXPECT_EQ(codec.parse(untyped("/custom/")), "/custom");
  EXPECT_EQ(codec.parse(typed("/a/b-1.0_~")), "/a/b-1.0_~");
  EXPECT_EQ(codec.parse(untyped("")), "");
  EXPECT_EQ(codec.parse(untyped("/")), "");
  EXPECT_EQ(codec.literal("/custom"), "\"/custom\"");
  for (const char* bad : {"custom", "//custom", "/a b", "/a?b", "/a%20", "/a//b"})
    EXPECT_FALSE(codec.parse(untyped(bad)).has_value()) << bad;
}

TEST(Codec, ReadsFractions) {
  const Codec<double> codec = fraction("0.25");
  EXPECT_EQ(codec.parse(untyped(" 0.25 ")), 0.25);
  EXPECT_EQ(codec.parse(untyped("1")), 1.0);
  RawValue typed{0.5, true};
  EXPECT_EQ(codec.parse(typed), 0.5);
  typed.value = std::int64_t{0};
  EXPECT_EQ(codec.parse(typed), 0.0);
  typed.value = std::string("0.5");
  EXPECT_FALSE(codec.parse(typed).has_value());
  for (const char* bad : {"", "x", "0.5x", "-0.1", "1.1", "nan"})
    EXPECT_FALSE(codec.parse(untyped(bad)).has_value()) << bad;
  EXPECT_EQ(codec.literal(0.25), "0.25");
  EXPECT_EQ(codec.literal(1), "1.0");
}

TEST(Codec, MasksSecrets) {
  const Codec<Secret> codec = secret(20, "openssl rand -hex 24");
  const std::optional<Secret> key = codec.parse(untyped("0123456789abcdefghij"));
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(codec.literal(*key), "\"***\"");
  EXPECT_EQ(codec.literal(Secret()), "\"\"");
  EXPECT_FALSE(codec.parse(untyped("too-short")).has_value());
  EXPECT_FALSE(codec.parse(untyped("0123456789 abcdefghij")).has_value());
}

TEST(Codec, ShowsOnlyTheSchemeOfAMetadataUri) {
  const Codec<Secret> codec = metadataLocation();
  EXPECT_EQ(codec.literal(*codec.parse(untyped("sqlite"))), "\"sqlite\"");
  const std::optional<Secret> uri = codec.parse(untyped("postgres://u:pw@db/x?password=pw"));
  EXPECT_EQ(codec.literal(*uri), "\"postgres://***\"");
  EXPECT_TRUE(codec.parse(untyped("postgresql:///spindle")).has_value());
  EXPECT_FALSE(codec.parse(untyped("mysql://db")).has_value());
}

TEST(Quote, EscapesForTomlAndJson) {
  EXPECT_EQ(quote("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
}

TEST(Durations, AreReadFromListsAndFromText) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using Durations = std::vector<milliseconds>;
  const auto codec = durations(milliseconds(0), hours(24), 3);
  EXPECT_EQ(codec.parse(untyped("20ms,5m,24h")),
            (Durations{milliseconds(20), std::chrono::minutes(5), hours(24)}));
  EXPECT_EQ(codec.parse({std::vector<std::string>{"5s"}, true}),
            Durations{std::chrono::seconds(5)});
  EXPECT_EQ(codec.parse({std::vector<std::string>{}, true}), Durations());
  for (const char* broken : {"5", "25h", "1s,2s,3s,4s", "soon"}) {
    EXPECT_EQ(codec.parse(untyped(broken)), std::nullopt) << broken;
  }
  EXPECT_EQ(codec.literal({std::chrono::seconds(5), hours(2)}), R"(["5s", "2h"])");
}

}  // namespace
}  // namespace spindle::config
