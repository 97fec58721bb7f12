#include "http/router/static_assets.h"

#include <algorithm>

#include "base/core/ascii.h"
#include "http/message/compression.h"

namespace spindle::http {
namespace {

constexpr std::string_view kPagePolicy =
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

std::string_view withoutWeakness(std::string_view tag) {
  return tag.substr(0, 2) == "W/" ? tag.substr(2) : tag;
}

/// Returns the tag of the compressed form: strong tags differ between forms.
std::string gzipTag(std::string_view etag) {
  etag.remove_suffix(1);
  return std::string(etag).append("-gzip\"");
}

}  // namespace

// A compressing proxy weakens the tag.
bool matchesETag(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    const std::size_t comma = if_none_match.find(',');
    std::string_view tag = if_none_match.substr(0, comma);
    if_none_match.remove_prefix(comma == std::string_view::npos ? if_none_match.size() : comma + 1);
    while (!tag.empty() && (tag.front() == ' ' || tag.front() == '\t')) tag.remove_prefix(1);
    while (!tag.empty() && (tag.back() == ' ' || tag.back() == '\t')) tag.remove_suffix(1);
    if (tag == "*" || withoutWeakness(tag) == etag) return true;
  }
  return false;
}

bool hasContentHash(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view stem = path.substr(0, dot);
  const std::size_t mark = stem.find_last_of("-./");
  if (mark == std::string_view::npos || stem[mark] == '/') return false;
  const std::string_view hash = stem.substr(mark + 1);
  const auto is_plain = [](char c) { return isLetterOrDigit(c) || c == '_'; };
  return hash.size() >= 8 && std::ranges::all_of(hash, is_plain) &&
         std::ranges::any_of(hash, isDigit);
}

StaticAssets::StaticAssets(std::span<const Asset> assets) {
  for (const Asset& asset : assets) assets_.emplace(asset.path, &asset);
}

const Asset* StaticAssets::find(std::string_view path) const {
  const auto found = assets_.find(path);
  return found == assets_.end() ? nullptr : found->second;
}

Response StaticAssets::serve(const Request& request, std::string_view path) const {
  const Asset* asset = find(path);
  if (asset == nullptr) return Response(404);
  if (request.method != Method::kGet && request.method != Method::kHead) {
    Response refusal(405);
    refusal.headers.add("Allow", "GET, HEAD");
    return refusal;
  }
  const bool zipped = !asset->gzip.empty() && acceptsGzip(request.headers.get("Accept-Encoding"));
  const std::string etag = zipped ? gzipTag(asset->etag) : std::string(asset->etag);
  Response response(200);
  response.headers.add("ETag", etag);
  if (!asset->gzip.empty()) response.headers.add("Vary", "Accept-Encoding");
  response.headers.add("Cache-Control",
                       hasContentHash(path) ? "public, max-age=31536000, immutable" : "no-cache");
  if (matchesETag(request.headers.get("If-None-Match"), etag)) {
    response.status = 304;
    return response;
  }
  response.headers.add("Content-Type", asset->media_type);
  response.headers.add("X-Content-Type-Options", "nosniff");
  if (asset->media_type.starts_with("text/html")) {
    response.headers.add("Content-Security-Policy", kPagePolicy);
    response.headers.add("Referrer-Policy", "no-referrer");
  }
  if (zipped) response.headers.add("Content-Encoding", "gzip");
  response.body = zipped ? asset->gzip : asset->bytes;
  return response;
}

}  // namespace spindle::http
