#include "objects/values/object_id.h"

namespace spindle::objects {
namespace {

/// Returns the character to use in an id, or 0 for none.
char inId(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  if (c == ' ' || c == '/') return '_';
  const bool kept =
      (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  return kept ? c : '\0';
}

}  // namespace

std::string idFromName(std::string_view name) {
  std::string id;
  for (const char c : name) {
    if (const char kept = inId(c); kept != '\0') id += kept;
  }
  return id;
}

}  // namespace spindle::objects
