#include "tracing/ingest/redaction.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/core/ascii.h"

namespace spindle::tracing {
namespace {

using namespace std::string_view_literals;

constexpr std::array kWholeNames = {
    "authheaders"sv, "authorization"sv,     "authtoken"sv,  "awsaccesskey"sv,  "awsaccesskeyid"sv,
    "bearertoken"sv, "vertexcredentials"sv, "webhookkey"sv, "webhooksecret"sv,
};
constexpr std::array kEndings = {
    "accesstoken"sv,  "apikey"sv,          "apitoken"sv,  "clientsecret"sv, "privatekey"sv,
    "refreshtoken"sv, "secretaccesskey"sv, "secretkey"sv, "sessiontoken"sv,
};

/// Only this many trailing characters of a name are compared; all rules are shorter.
constexpr std::size_t kMaxCompared = 64;

}  // namespace

bool namesCredential(std::string_view member) {
  std::array<char, kMaxCompared> letters{};
  // Compare from the end, so that a long prefix cannot hide a suffix.
  std::size_t kept = 0;
  bool cut = false;
  for (auto at = member.rbegin(); at != member.rend(); ++at) {
    if (*at == '_' || *at == '-') continue;
    if (kept == letters.size()) {
      cut = true;
      break;
    }
    letters[kept++] = toLower(*at);
  }
  std::reverse(letters.begin(), letters.begin() + static_cast<std::ptrdiff_t>(kept));
  const std::string_view name(letters.data(), kept);
  if (!cut && std::find(kWholeNames.begin(), kWholeNames.end(), name) != kWholeNames.end())
    return true;
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [name](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace spindle::tracing
