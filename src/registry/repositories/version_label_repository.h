#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "registry/artifacts/artifact.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::registry {

/// A version in a collection, and the user who changes its labels.
struct LabelTarget {
  const Place& place;
  const Actor& actor;
  std::string_view collection;
  const VersionName& name;
};

/// Sets and removes aliases and tags of committed versions and of links. An alias belongs to the
/// collection; a tag belongs to the version in all its collections. Raises events in the
/// transaction of the change, and only for a change. Thread-safe; calls block on the database.
/// Every call can return kUnavailable; kNotFound; kConflict `not_committed` for a pending version;
/// and kPermissionDenied `protected_alias` for a protected alias, unless the actor may manage
/// those.
class VersionLabelRepository {
 public:
  VersionLabelRepository(events::Outbox& outbox, const Clock& clock)
      : outbox_(outbox), clock_(clock) {}

  /// Points the alias at the version. Another version in the collection loses the alias.
  Result<void> putAlias(const LabelTarget& target, const std::string& alias);
  Result<void> removeAlias(const LabelTarget& target, const std::string& alias);
  Result<void> putTag(const LabelTarget& target, const std::string& tag);
  Result<void> removeTag(const LabelTarget& target, const std::string& tag);

 private:
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
