#include "wire/profile.h"

#include <algorithm>
#include <array>

#include "base/core/ascii.h"

namespace spindle::wire {
namespace {

constexpr auto kHeaderPrefixes = std::to_array<std::string_view>({"x-weave-", "wandb-"});
constexpr auto kAgentWords = std::to_array<std::string_view>({"weave", "wandb"});

bool sameLetter(char a, char b) { return toLower(a) == b; }

bool startsWith(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(),
                    [](char a, char b) { return sameLetter(b, a); });
}

bool contains(std::string_view text, std::string_view lower_word) {
  return std::search(text.begin(), text.end(), lower_word.begin(), lower_word.end(), sameLetter) !=
         text.end();
}

}  // namespace

bool isVendorSdkHeader(std::string_view header, std::string_view value) {
  for (const std::string_view prefix : kHeaderPrefixes) {
    if (startsWith(header, prefix)) return true;
  }
  constexpr std::string_view kUserAgent = "user-agent";
  if (header.size() != kUserAgent.size() || !startsWith(header, kUserAgent)) return false;
  return std::any_of(kAgentWords.begin(), kAgentWords.end(),
                     [value](std::string_view word) { return contains(value, word); });
}

}  // namespace spindle::wire
