#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "registry/artifact.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::registry {

/// Aliases and tags of committed versions, in source collections and on links: an alias belongs to
/// the collection, a tag to the version wherever it is shown. A protected alias of a registry is
/// kPermissionDenied `protected_alias` for an actor who does not guard them. Thread-safe; calls
/// block on the database, and every one may return kUnavailable. What is not there is kNotFound; a
/// pending version is kConflict `not_committed`. Events are raised in the transaction of the
/// change, and only by a change.
class VersionLabelRepository {
 public:
  VersionLabelRepository(events::Outbox& outbox, const Clock& clock)
      : outbox_(outbox), clock_(clock) {}

  /// Takes the alias from the version that had it.
  Result<void> putAlias(const Place& place,
                        const Actor& actor,
                        std::string_view collection,
                        const VersionName& name,
                        const std::string& alias);
  Result<void> removeAlias(const Place& place,
                           const Actor& actor,
                           std::string_view collection,
                           const VersionName& name,
                           const std::string& alias);

  Result<void> putTag(const Place& place,
                      const Actor& actor,
                      std::string_view collection,
                      const VersionName& name,
                      const std::string& tag);
  Result<void> removeTag(const Place& place,
                         const Actor& actor,
                         std::string_view collection,
                         const VersionName& name,
                         const std::string& tag);

 private:
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
