#include "evaluation/object_name.h"

#include <utility>

#include "objects/ref.h"

namespace spindle::evaluation {
namespace {

/// The character in an id, or 0 for none.
char inId(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  if (c == ' ' || c == '/') return '_';
  const bool kept =
      (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  return kept ? c : '\0';
}

}  // namespace

std::string objectIdOf(const std::optional<std::string>& name, std::string_view fallback) {
  if (!name) return std::string(fallback);
  std::string id;
  for (const char c : *name) {
    if (const char kept = inId(c); kept != '\0') id += kept;
  }
  return id;
}

std::optional<std::string> nameInRef(std::string_view ref) {
  Result<objects::Ref> parsed = objects::parseRef(ref);
  if (!parsed || !parsed->isObjectOrOp()) return std::nullopt;
  return std::move(parsed->name);
}

}  // namespace spindle::evaluation
