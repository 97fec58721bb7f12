#include "http/message/uri.h"

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"

namespace spindle::http {
namespace {

using namespace std::string_view_literals;

TEST(Uri, DecodesEscapes) {
  expectTexts(percentDecode, {{"", ""},
                              {"plain+text", "plain+text"},
                              {"a%20b%2Fc%2f", "a b/c/"},
                              {"%C3%A9%F0%9F%98%80", "\xC3\xA9\xF0\x9F\x98\x80"},
                              {"100%25", "100%"}});
}

TEST(Uri, RejectsInvalidText) {
  for (const std::string_view bad :
       {"%"sv, "%1"sv, "abc%"sv, "%zz"sv, "%2x"sv, "%00"sv, "a\0b"sv, "%ff"sv, "%C3"sv, "%C3%28"sv,
        "%C0%AF"sv, "%ED%A0%80"sv, "%E0%80%80"sv, "%F4%90%80%80"sv, "%F0%80%80%80"sv, "%F5"sv}) {
    EXPECT_EQ(percentDecode(bad), std::nullopt) << bad;
  }
}

TEST(Uri, RoundTripsThroughEncoding) {
  EXPECT_EQ(percentEncode("a b/c?d=é~"), "a%20b%2Fc%3Fd%3D%C3%A9~");
  EXPECT_EQ(percentEncode("a b/c", "/"), "a%20b/c");
  std::string every;
  for (int c = 1; c < 128; ++c) every.push_back(static_cast<char>(c));
  EXPECT_EQ(percentDecode(percentEncode(every)), every);
}

TEST(Uri, ReadsAQueryInOrder) {
  const auto parameters = parseQuery("b=2&a=1&b=3&flag&empty=&t=two+words%2B&&k%3D=a=b");
  const QueryParameters expected = {{"b", "2"},    {"a", "1"},          {"b", "3"},   {"flag", ""},
                                    {"empty", ""}, {"t", "two words+"}, {"k=", "a=b"}};
  ASSERT_TRUE(parameters);
  EXPECT_EQ(*parameters, expected);
  EXPECT_EQ(parseQuery(""), QueryParameters{});
  EXPECT_EQ(parseQuery("a=1&b=%4"), std::nullopt);
  EXPECT_EQ(parseQuery("%=1"), std::nullopt);
}

TEST(Uri, ReadsAbsoluteUrls) {
  struct Case {
    std::string_view text, origin, authority, target;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"http://example.org", "http://example.org:80", "example.org", "/"},
           {"HTTP://Example.ORG:80/", "http://example.org:80", "example.org", "/"},
           {"https://example.org/a/b?c=d#part", "https://example.org:443", "example.org",
            "/a/b?c=d"},
           {"https://example.org:8443?q", "https://example.org:8443", "example.org:8443", "/?q"},
           {"http://example.org#part", "http://example.org:80", "example.org", "/"},
           {"http://example.org:/x", "http://example.org:80", "example.org", "/x"},
           {"http://[::1]:8080/x", "http://[::1]:8080", "[::1]:8080", "/x"},
           {"https://[2001:DB8::1]", "https://[2001:db8::1]:443", "[2001:db8::1]", "/"},
           {"http://127.0.0.1:9/a@b:c", "http://127.0.0.1:9", "127.0.0.1:9", "/a@b:c"},
           {"unix:/run/engine.sock:/v1/models?x=1", "unix:/run/engine.sock", "localhost",
            "/v1/models?x=1"},
           {"unix:/run/engine.sock", "unix:/run/engine.sock", "localhost", "/"}}) {
    const Result<Url> url = parseUrl(c.text);
    ASSERT_TRUE(url) << c.text << ": " << url.error().message();
    EXPECT_EQ(url->origin(), c.origin);
    EXPECT_EQ(url->authority(), c.authority);
    EXPECT_EQ(url->target, c.target);
  }
}

TEST(Uri, RejectsAmbiguousUrls) {
  const std::string long_path = "unix:/" + std::string(120, 'x') + ":/";
  const std::string long_host = "http://" + std::string(300, 'x') + "/";
  for (const std::string_view bad : {""sv,
                                     "example.org"sv,
                                     "/path"sv,
                                     "ftp://example.org"sv,
                                     "http:example.org"sv,
                                     "http:/x"sv,
                                     "http://"sv,
                                     "http:///x"sv,
                                     "http://user@example.org/"sv,
                                     "http://u:p@example.org/"sv,
                                     "http://example.org:0/"sv,
                                     "http://example.org:65536/"sv,
                                     "http://example.org:8o/"sv,
                                     "http://example.org:-1/"sv,
                                     "http://:80/"sv,
                                     "http://exa mple.org/"sv,
                                     "http://example.org\\@evil/"sv,
                                     "http://ex%61mple.org/"sv,
                                     "http://[::1/"sv,
                                     "http://[::1]x/"sv,
                                     "http://[fe80::1%25eth0]/"sv,
                                     "http://[127.0.0.1]/"sv,
                                     "http://[]/"sv,
                                     "http://[/"sv,
                                     "http://example.org/a b"sv,
                                     "http://example.org/\r\nHost: x"sv,
                                     "http://example.org/\xC3\xA9"sv,
                                     "http://a\0b/"sv,
                                     "http://[::1\0]/"sv,
                                     "unix:"sv,
                                     "unix:relative:/x"sv,
                                     "unix::/x"sv,
                                     std::string_view(long_path),
                                     std::string_view(long_host)}) {
    const Result<Url> url = parseUrl(bad);
    ASSERT_FALSE(url) << bad;
    EXPECT_EQ(url.error().code(), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace spindle::http
