#include "app/web/console_pages.h"

#include <stdexcept>

#include "base/crypto/crypto.h"
#include "http/message/origin.h"
#include "http/router/router.h"

namespace spindle::app {
namespace {

using http::Context, http::Request, http::Response, http::Route;

constexpr std::string_view kPage = "index.html";
constexpr std::string_view kBase = "<base href=\"";
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "media-src 'self' blob:; connect-src 'self'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// Escapes text for an attribute value in double quotes.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Returns true for a path that can only be meant as a file: `app.js`, or any name with a content
/// hash, such as that of an earlier version. Screens have paths with names of projects and models,
/// which may contain dots.
bool isFileName(std::string_view path) {
  if (http::hasContentHash(path)) return true;
  return path.find('/') == std::string_view::npos && path.find('.') != std::string_view::npos;
}

Response redirectToConsole(const Context& context) {
  Response response(302);
  // Without a scheme: the server does not know whether a proxy terminates TLS.
  response.headers.add("Location", std::string(http::prefixOf(context.request)) + "/console/");
  return response;
}

/// Returns a route without an operation id, which /openapi.json omits.
Route consoleRoute(std::string_view path, std::function<Response(const Context&)> run) {
  Route route;
  route.method = http::Method::kGet;
  route.path = path;
  route.policy.credentials = http::Credentials::kOpen;
  route.policy.errors = http::ErrorShape::kDetail;
  route.policy.body_limit = 0;
  route.run = std::move(run);
  return route;
}

}  // namespace

ConsolePages::ConsolePages(std::span<const http::Asset> assets) : files_(assets) {
  for (const http::Asset& asset : assets) {
    if (asset.path != kPage) continue;
    const std::size_t base = asset.bytes.find(kBase);
    const std::size_t begin = base + kBase.size();
    const std::size_t end = asset.bytes.find('"', begin);
    if (base == std::string_view::npos || end == std::string_view::npos) break;
    before_ = asset.bytes.substr(0, begin);
    after_ = asset.bytes.substr(end);
    return;
  }
  throw std::runtime_error("the console has no index.html with a <base href>");
}

Response ConsolePages::serve(const Request& request, std::string_view path) const {
  if (path != kPage && files_.has(path)) return files_.serve(request, path);
  if (path != kPage && isFileName(path)) return Response(404);
  return page(request);
}

Response ConsolePages::page(const Request& request) const {
  std::string html = before_ + escaped(http::prefixOf(request)) + "/console/" + after_;
  const std::string etag = "\"" + toHex(sha256(html)).substr(0, 32) + "\"";
  Response response(200);
  response.headers.add("ETag", etag);
  // A shared cache must not keep a page whose prefix another client sent.
  response.headers.add("Cache-Control", "private, no-cache");
  if (http::matchesETag(request.headers.get("If-None-Match"), etag)) {
    response.status = 304;
    return response;
  }
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", kPolicy);
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "same-origin");
  response.headers.add("Cross-Origin-Opener-Policy", "same-origin");
  response.body = std::move(html);
  return response;
}

void addConsoleRoutes(http::Router& router, const ConsolePages& console) {
  router.addRoute(consoleRoute("/", redirectToConsole));
  router.addRoute(consoleRoute("/console", redirectToConsole));
  router.addRoute(consoleRoute("/console/", [&console](const Context& context) {
    return console.serve(context.request, "index.html");
  }));
  router.addRoute(consoleRoute("/console/{path...}", [&console](const Context& context) {
    return console.serve(context.request, context.path_parameters.front().second);
  }));
}

}  // namespace spindle::app
