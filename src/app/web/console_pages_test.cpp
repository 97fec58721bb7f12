#include "app/web/console_pages.h"

#include <array>
#include <stdexcept>

#include <gtest/gtest.h>

#include "app/web/console_assets.h"
#include "http/message/origin.h"

namespace spindle::app {
namespace {

constexpr std::array<http::Asset, 2> kAssets = {
    http::Asset{"index.html", "text/html; charset=utf-8", "\"aaa\"",
                "<head><base href=\"/console/\"><title>x</title></head>", ""},
    http::Asset{"console-0a1b2c3d4.js", "text/javascript; charset=utf-8", "\"bbb\"", "1;",
                "zipped"},
};

http::Request requestBelow(std::string_view prefix) {
  http::Request request;
  if (!prefix.empty()) request.headers.add(http::kForwardedPrefix, prefix);
  return request;
}

TEST(ConsolePages, AnswersEveryScreenWithThePage) {
  const ConsolePages console(kAssets);
  for (const std::string_view path : {"", "index.html", "p/acme/support/traces", "p/acme/v1.2",
                                      "r/some.id", "t/acme", "models"}) {
    const http::Response page = console.serve(requestBelow(""), path);
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_NE(page.body.find("<base href=\"/console/\">"), std::string::npos) << page.body;
    EXPECT_EQ(page.headers.get("Cache-Control"), "private, no-cache");
    const std::string_view policy = page.headers.get("Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self';")) << policy;
    EXPECT_EQ(policy.find("unsafe"), std::string_view::npos);
  }
}

TEST(ConsolePages, KnowsItsPathPrefix) {
  const ConsolePages console(kAssets);
  const http::Response page = console.serve(requestBelow("/tools/spindle"), "");
  EXPECT_NE(page.body.find("<base href=\"/tools/spindle/console/\">"), std::string::npos);
  const http::Response root = console.serve(requestBelow(""), "");
  EXPECT_NE(page.headers.get("ETag"), root.headers.get("ETag"));
  for (const std::string_view hostile : {"/\"><script>", "//evil.example", "javascript:x", "x"}) {
    EXPECT_EQ(console.serve(requestBelow(hostile), "").body, root.body) << hostile;
  }
}

TEST(ConsolePages, RevalidatesThePage) {
  const ConsolePages console(kAssets);
  http::Request request = requestBelow("");
  const std::string etag(console.serve(request, "").headers.get("ETag"));
  request.headers.add("If-None-Match", etag);
  EXPECT_EQ(console.serve(request, "p/a/b").status, 304);
  request.headers.add(http::kForwardedPrefix, "/tools");
  EXPECT_EQ(console.serve(request, "").status, 200);
}

TEST(ConsolePages, ServesFilesAndRefusesUnknownOnes) {
  const ConsolePages console(kAssets);
  const http::Response script = console.serve(requestBelow(""), "console-0a1b2c3d4.js");
  EXPECT_EQ(script.body, "1;");
  EXPECT_EQ(script.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  for (const std::string_view path : {"console-0ffffffff.js", "app.js", "favicon.ico",
                                      "p/acme/console-0a1b2c3d4.js", ".env", ".."}) {
    const http::Response refused = console.serve(requestBelow(""), path);
    EXPECT_EQ(refused.status, 404) << path;
  }
}

TEST(ConsolePages, NeedsAPage) { EXPECT_THROW(ConsolePages({}), std::runtime_error); }

TEST(ConsolePages, EmbedsTheBuiltConsole) {
  const ConsolePages console(http::consoleAssets());
  const http::Response page = console.serve(requestBelow(""), "");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<script type=\"module\""), std::string::npos);
  std::size_t compressed = 0;
  for (const http::Asset& asset : http::consoleAssets()) compressed += asset.gzip.empty() ? 0 : 1;
  EXPECT_GE(compressed, 1U);
}

}  // namespace
}  // namespace spindle::app
