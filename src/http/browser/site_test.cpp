#include "http/browser/site.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

Request requestTo(std::string_view host, Method method = Method::kGet) {
  Request request;
  request.method = method;
  request.headers.add("Host", host);
  request.peer_address = "127.0.0.1";
  return request;
}

Site site() {
  return Site({"0.0.0.0",
               "https://spindle.example.com/tools",
               {"other.example.net", "*.corp.example.com"},
               {"127.0.0.0/8", "10.1.0.0/16"}});
}

std::string problem(const Request& request) {
  const std::optional<Error> found = site().problemOf(request);
  return found ? found->reason() : "";
}

TEST(Site, AcceptsAddressesLocalhostAndListedNames) {
  for (const std::string_view host :
       {"127.0.0.1:8080", "localhost:9000", "LOCALHOST", "dev.localhost", "192.168.1.7:8080",
        "[::1]:8080", "[2001:db8::1]", "spindle.example.com", "SPINDLE.example.com:443",
        "spindle.example.com.", "other.example.net:8080", "a.corp.example.com"}) {
    EXPECT_EQ(problem(requestTo(host)), "") << host;
  }
}

TEST(Site, RefusesNamesThatAnAttackerCanRebind) {
  for (const std::string_view host :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "xspindle.example.com", "spindle.example.com.evil.example", "corp.example.com",
        "evilcorp.example.com", "", ":8080", "[::1", "0x7f000001", "2130706433"}) {
    EXPECT_EQ(problem(requestTo(host)), "foreign_host") << host;
  }
}

TEST(Site, AcceptsChangesOfItsOwnPagesOnly) {
  Request request = requestTo("localhost:8080", Method::kPost);
  EXPECT_EQ(problem(request), "cross_site") << "neither Sec-Fetch-Site nor Origin";
  for (const std::string_view value : {"cross-site", "same-site", "none", "", "Same-Origin"}) {
    request.headers.set("Sec-Fetch-Site", value);
    request.headers.set("Origin", "http://localhost:8080");
    EXPECT_EQ(problem(request), "cross_site") << value;
  }
  request.headers.set("Sec-Fetch-Mode", "navigate");
  request.headers.set("Sec-Fetch-Dest", "document");
  request.headers.set("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(problem(request), "cross_site") << "a form of another site";
  request.headers.set("Sec-Fetch-Site", "same-origin");
  EXPECT_EQ(problem(request), "");
}

TEST(Site, ComparesTheOriginOfOldBrowsers) {
  const auto with = [](std::string_view host, std::string_view origin) {
    Request request = requestTo(host, Method::kDelete);
    request.headers.add("Origin", origin);
    return problem(request);
  };
  EXPECT_EQ(with("localhost:8080", "http://localhost:8080"), "");
  EXPECT_EQ(with("localhost", "http://localhost"), "");
  EXPECT_EQ(with("localhost:80", "http://localhost"), "");
  EXPECT_EQ(with("127.0.0.1:8080", "https://spindle.example.com"), "") << "a proxy changed Host";
  EXPECT_EQ(with("spindle.example.com", "https://spindle.example.com"), "");
  EXPECT_EQ(with("spindle.example.com", "http://spindle.example.com"), "cross_site");
  EXPECT_EQ(with("localhost:8080", "http://localhost:3000"), "cross_site");
  EXPECT_EQ(with("localhost:8080", "http://localhost"), "cross_site");
  EXPECT_EQ(with("localhost:8080", "http://127.0.0.1:8080"), "cross_site");
  for (const std::string_view origin :
       {"null", "", "localhost:8080", "ftp://localhost:8080", "http://localhost:8080.evil.example",
        "http://evil.example", "http://localhost:8080/", "HTTP://localhost:8080"}) {
    EXPECT_EQ(with("localhost:8080", origin), "cross_site") << origin;
  }
}

TEST(Site, RefusesReadsOfOtherOrigins) {
  for (const Method method : {Method::kGet, Method::kHead}) {
    Request request = requestTo("localhost:8080", method);
    EXPECT_EQ(problem(request), "") << "an old browser";
    request.headers.set("Origin", "http://localhost:8080");
    EXPECT_EQ(problem(request), "");
    for (const std::string_view origin : {"https://evil.example", "null", ""}) {
      request.headers.set("Origin", origin);
      EXPECT_EQ(problem(request), "cross_site") << origin;
    }
    request.headers.set("Sec-Fetch-Site", "cross-site");
    request.headers.set("Sec-Fetch-Mode", "navigate");
    request.headers.set("Sec-Fetch-Dest", "document");
    EXPECT_EQ(problem(request), "cross_site");
  }
}

TEST(Site, LetsOtherSitesNavigateHereOnly) {
  Request request = requestTo("localhost:8080");
  for (const std::string_view value : {"same-origin", "none"}) {
    request.headers.set("Sec-Fetch-Site", value);
    EXPECT_EQ(problem(request), "") << value;
  }
  for (const std::string_view value : {"same-site", "cross-site"}) {
    request.headers.set("Sec-Fetch-Site", value);
    request.headers.set("Sec-Fetch-Mode", "no-cors");
    request.headers.set("Sec-Fetch-Dest", "script");
    EXPECT_EQ(problem(request), "cross_site") << value;
    request.headers.set("Sec-Fetch-Mode", "navigate");
    request.headers.set("Sec-Fetch-Dest", "iframe");
    EXPECT_EQ(problem(request), "cross_site") << value;
    request.headers.set("Sec-Fetch-Dest", "document");
    EXPECT_EQ(problem(request), "") << value;
  }
}

TEST(Site, BelievesTrustedProxiesAlone) {
  Request request = requestTo("localhost:8080");
  EXPECT_FALSE(site().isSecure(request));
  request.headers.add("X-Forwarded-Proto", "http, https");
  request.headers.add("X-Forwarded-For", "1.1.1.1, 203.0.113.9");
  request.headers.add("X-Forwarded-For", "10.1.2.3");
  EXPECT_TRUE(site().isSecure(request));
  EXPECT_EQ(site().clientAddress(request), "203.0.113.9") << "not the forged first address";
  request.peer_address = "203.0.113.50";
  EXPECT_FALSE(site().isSecure(request));
  EXPECT_EQ(site().clientAddress(request), "203.0.113.50");
  request.secure = true;
  EXPECT_TRUE(site().isSecure(request));
}

TEST(Site, ToleratesMalformedForwardedAddresses) {
  Request request = requestTo("localhost");
  EXPECT_EQ(site().clientAddress(request), "127.0.0.1");
  for (const std::string_view list : {"", ",", "unknown", "1.2.3.4, <script>", "1.2.3.4,,"}) {
    request.headers.set("X-Forwarded-For", list);
    EXPECT_EQ(site().clientAddress(request), "127.0.0.1") << list;
  }
  request.headers.set("X-Forwarded-For", "10.1.0.1,10.1.0.2");
  EXPECT_EQ(site().clientAddress(request), "10.1.0.1") << "every proxy is trusted";
}

TEST(Site, UsesHttpsAtItsPublicUrl) {
  EXPECT_TRUE(site().isSecure(requestTo("spindle.example.com")));
  EXPECT_TRUE(site().isSecure(requestTo("Spindle.example.com:443")));
  EXPECT_FALSE(site().isSecure(requestTo("spindle.example.com:8080")));
}

TEST(Site, RejectsInvalidSettings) {
  EXPECT_THROW(Site({.public_url = "spindle.example.com"}), std::runtime_error);
  EXPECT_THROW(Site({.trusted_proxies = {"10.0.0.0/99"}}), std::runtime_error);
}

}  // namespace
}  // namespace spindle::http
