#include "tracing/calls/otel_resource.h"

#include <utility>

#include "base/crypto/crypto.h"

namespace spindle::tracing {
namespace {

/// 128 bits distinguish the resources of one project, at half the size of SHA-256 in every row.
constexpr std::size_t kDigestCharacters = 32;

}  // namespace

OtelResourcePtr makeOtelResource(std::string json, std::int64_t bytes, Timestamp seen_at) {
  auto made = std::make_shared<OtelResource>();
  made->digest = toHex(sha256(json)).substr(0, kDigestCharacters);
  made->json = std::move(json);
  made->bytes = bytes;
  made->seen_at = seen_at;
  return made;
}

std::string withResource(std::string_view dump, std::string_view resource) {
  constexpr std::string_view kMember = R"(,"resource":)";
  std::string whole;
  whole.reserve(dump.size() + kMember.size() + resource.size());
  whole.append(dump.substr(0, dump.size() - 1)).append(kMember).append(resource) += '}';
  return whole;
}

}  // namespace spindle::tracing
