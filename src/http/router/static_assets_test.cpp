#include "http/router/static_assets.h"

#include <array>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle::http {

/// The files of web/docs, which the build embeds into this test as into the server.
std::span<const Asset> docsAssets();

namespace {

constexpr std::array<Asset, 2> kAssets = {
    Asset{"index.html", "text/html; charset=utf-8", "\"aaa\"", "<!doctype html>"},
    Asset{"assets/app-1a2b3c4d.js", "text/javascript; charset=utf-8", "\"bbb\"", "1;"},
};

Request requestFor(Method method, std::string_view if_none_match = {}) {
  Request request;
  request.method = method;
  if (!if_none_match.empty()) request.headers.add("If-None-Match", if_none_match);
  return request;
}

TEST(StaticAssets, ServesAPageThatMayUseItsOwnOriginOnly) {
  const StaticAssets assets(kAssets);
  const Response page = assets.serve(requestFor(Method::kGet), "index.html");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<!doctype html>");
  EXPECT_EQ(page.headers.get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.get("ETag"), "\"aaa\"");
  EXPECT_EQ(page.headers.get("Cache-Control"), "no-cache");
  EXPECT_EQ(page.headers.get("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(page.headers.get("Referrer-Policy"), "no-referrer");
  const std::string_view policy = page.headers.get("Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'self';")) << policy;
  EXPECT_TRUE(policy.ends_with("frame-ancestors 'none'")) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string_view::npos);
}

TEST(StaticAssets, OnlyHashedNamesAreImmutable) {
  const StaticAssets assets(kAssets);
  const Response script = assets.serve(requestFor(Method::kGet), "assets/app-1a2b3c4d.js");
  EXPECT_EQ(script.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(script.headers.find("Content-Security-Policy"), nullptr);

  for (const std::string_view hashed :
       {"app-1a2b3c4d.js", "app.0123456789abcdef.css", "a/b/index-BfG3xK9_.js"}) {
    EXPECT_TRUE(hasContentHash(hashed)) << hashed;
  }
  for (const std::string_view plain :
       {"app.js", "index.html", "dark-components.js", "app-1a2b3c4.js", "12345678.js",
        "noextension", "a-12345678/app.js", "app-1234567%.js", ""}) {
    EXPECT_FALSE(hasContentHash(plain)) << plain;
  }
}

TEST(StaticAssets, SupportsIfNoneMatch) {
  const StaticAssets assets(kAssets);
  for (const std::string_view tags : {"\"aaa\"", "W/\"aaa\"", "\"x\", \"aaa\"", "*"}) {
    const Response response = assets.serve(requestFor(Method::kGet, tags), "index.html");
    EXPECT_EQ(response.status, 304) << tags;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(response.headers.get("ETag"), "\"aaa\"");
  }
  for (const std::string_view tags : {"\"bbb\"", "aaa", "\"aaa"}) {
    EXPECT_EQ(assets.serve(requestFor(Method::kGet, tags), "index.html").status, 200) << tags;
  }
}

TEST(StaticAssets, SendsCompressedFilesToClientsThatAcceptGzip) {
  constexpr std::array<Asset, 1> kCompressed = {
      Asset{"app-1a2b3c4d.js", "text/javascript", "\"ccc\"", "plain", "zipped"}};
  const StaticAssets assets(kCompressed);
  Request request = requestFor(Method::kGet);
  const Response plain = assets.serve(request, "app-1a2b3c4d.js");
  EXPECT_EQ(plain.body, "plain");
  EXPECT_EQ(plain.headers.get("ETag"), "\"ccc\"");
  EXPECT_EQ(plain.headers.get("Vary"), "Accept-Encoding");
  EXPECT_EQ(plain.headers.find("Content-Encoding"), nullptr);
  for (const std::string_view accepted : {"gzip", "gzip, deflate, br, zstd", "*", "gzip;q=0.1"}) {
    request.headers.set("Accept-Encoding", accepted);
    const Response zipped = assets.serve(request, "app-1a2b3c4d.js");
    EXPECT_EQ(zipped.body, "zipped") << accepted;
    EXPECT_EQ(zipped.headers.get("Content-Encoding"), "gzip");
    EXPECT_EQ(zipped.headers.get("ETag"), "\"ccc-gzip\"");
  }
  request.headers.set("If-None-Match", "\"ccc-gzip\"");
  EXPECT_EQ(assets.serve(request, "app-1a2b3c4d.js").status, 304);
  for (const std::string_view refused : {"br", "gzip;q=0", "identity"}) {
    request.headers.set("Accept-Encoding", refused);
    EXPECT_EQ(assets.serve(request, "app-1a2b3c4d.js").body, "plain") << refused;
  }
}

TEST(StaticAssets, RefusesOtherPathsAndMethods) {
  const StaticAssets assets(kAssets);
  EXPECT_TRUE(assets.has("index.html"));
  for (const std::string_view path : {"", "/index.html", "../index.html", "INDEX.HTML", "assets"}) {
    EXPECT_FALSE(assets.has(path));
    EXPECT_EQ(assets.serve(requestFor(Method::kGet), path).status, 404) << path;
  }
  const Response refusal = assets.serve(requestFor(Method::kPost), "index.html");
  EXPECT_EQ(refusal.status, 405);
  EXPECT_EQ(refusal.headers.get("Allow"), "GET, HEAD");
  EXPECT_EQ(assets.serve(requestFor(Method::kHead), "index.html").status, 200);
}

TEST(StaticAssets, EmbedsFilesUnchanged) {
  const StaticAssets docs(docsAssets());
  for (const std::string_view path : {"index.html", "docs.js", "docs.css"}) {
    ASSERT_TRUE(docs.has(path)) << path;
    const Response file = docs.serve(requestFor(Method::kGet), path);
    const std::string tag = "\"" + toHex(sha256(file.body)).substr(0, 32) + "\"";
    EXPECT_EQ(file.headers.get("ETag"), tag) << path;
  }
  EXPECT_TRUE(
      docs.serve(requestFor(Method::kGet), "index.html").body.starts_with("<!doctype html>"));
}

}  // namespace
}  // namespace spindle::http
