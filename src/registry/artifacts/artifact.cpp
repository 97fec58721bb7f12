#include "registry/artifacts/artifact.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace spindle::registry {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"PENDING", "COMMITTED", "PENDING_DELETION",
                                                     "DELETED", "GARBAGE_COLLECTED"};

}  // namespace

std::string_view textOf(CollectionKind kind) {
  return kind == CollectionKind::kLinked ? "PORTFOLIO" : "SEQUENCE";
}

std::string textOf(const Source& source) {
  return source.entity + "/" + source.project + "/" + source.collection + ":v" +
         std::to_string(source.index);
}

std::string_view textOf(VersionState state) { return kStates[static_cast<std::size_t>(state)]; }

VersionState versionStateOf(std::string_view text) {
  const auto* const found = std::find(kStates.begin(), kStates.end(), text);
  if (found == kStates.end()) return VersionState::kDeleted;
  return static_cast<VersionState>(found - kStates.begin());
}

}  // namespace spindle::registry
