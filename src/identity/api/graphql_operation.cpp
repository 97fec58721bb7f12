#include "identity/api/graphql_operation.h"

#include <algorithm>

#include "base/core/ascii.h"

namespace spindle::identity {
namespace {

bool isNameLetter(char c) { return isLetterOrDigit(c) || c == '_'; }

/// Skips white space, commas and comments, which GraphQL ignores.
void skipIgnored(std::string_view& text) {
  while (!text.empty()) {
    if (text.front() == '#') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (std::string_view(" \t\r\n,").find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
    } else {
      return;
    }
  }
}

std::string_view takeName(std::string_view& text) {
  skipIgnored(text);
  const auto* end = std::find_if_not(text.begin(), text.end(), isNameLetter);
  const auto size = static_cast<std::size_t>(end - text.begin());
  const std::string_view name = text.substr(0, size);
  text.remove_prefix(size);
  return name;
}

}  // namespace

std::string operationName(std::string_view document) {
  const std::string_view kind = takeName(document);
  if (kind != "query" && kind != "mutation" && kind != "subscription") return {};
  return std::string(takeName(document));
}

}  // namespace spindle::identity
