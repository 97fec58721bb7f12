#include "config/service_variable.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace spindle::config {
namespace {

/// The service name `spindle` in the form that Kubernetes uses in variable names.
constexpr std::string_view kServicePrefix = "SPINDLE_";

bool isAddress(std::string_view value) {
  constexpr std::array<std::string_view, 3> kSchemes = {"tcp://", "udp://", "sctp://"};
  return std::any_of(kSchemes.begin(), kSchemes.end(),
                     [value](std::string_view scheme) { return value.starts_with(scheme); });
}

/// Removes `word` from the front of the text. Returns false if the text does not start with it.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool takeAny(std::string_view& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&text](std::string_view word) { return take(text, word); });
}

/// Returns true for `8080_TCP`, `8080_TCP_ADDR`.
bool isPortMember(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 5) return false;
  text.remove_prefix(digits);
  if (!takeAny(text, {"_TCP", "_UDP", "_SCTP"})) return false;
  return text.empty() || text == "_PROTO" || text == "_PORT" || text == "_ADDR";
}

/// Checks the part after `SPINDLE_`, or after the rest of a service name.
bool isServiceMember(std::string_view text, std::string_view value) {
  if (text == "SERVICE_HOST" || text == "SERVICE_PORT") return true;
  if (take(text, "SERVICE_PORT_")) return !text.empty();
  if (text == "PORT") return isAddress(value);
  return take(text, "PORT_") && isPortMember(text);
}

}  // namespace

bool isServiceVariable(std::string_view name, std::string_view value) {
  if (!take(name, kServicePrefix)) return false;
  while (true) {
    if (isServiceMember(name, value)) return true;
    const std::size_t next = name.find('_');
    if (next == std::string_view::npos) return false;
    name.remove_prefix(next + 1);
  }
}

}  // namespace spindle::config
