#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/row_version.h"
#include "registry/artifact.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Database;
}

namespace spindle::registry {

/// The source collections of projects. Thread-safe; calls block on the database, and every one may
/// return kUnavailable. Events are raised in the transaction of the change.
class CollectionRepository {
 public:
  CollectionRepository(storage::Database& database, events::Outbox& outbox, const Clock& clock)
      : database_(database), outbox_(outbox), clock_(clock) {}

  /// @return kConflict `collection_name_taken`; kInvalidArgument `reserved_name`.
  Result<Collection> insert(const Place& place, const Actor& actor, const NewCollection& fresh);

  /// @return kNotFound.
  Result<Collection> find(std::string_view project_id, std::string_view name);

  /// Newest first.
  Result<identity::Page<Collection>> list(std::string_view project_id,
                                          const identity::PageRequest& page);

  /// @return kNotFound, kPreconditionFailed, kConflict `collection_name_taken`, kInvalidArgument
  /// `reserved_name`.
  Result<Collection> update(std::string_view project_id,
                            std::string_view name,
                            const CollectionChange& change,
                            identity::IfVersion if_version = {});

  /// Its versions go with it; the name is free again.
  /// @return kNotFound, kPreconditionFailed.
  Result<void> remove(std::string_view project_id,
                      std::string_view name,
                      identity::IfVersion if_version = {});

  /// Nothing happens when it is there already. @return kNotFound.
  Result<void> putTag(const Place& place,
                      const Actor& actor,
                      std::string_view name,
                      const std::string& tag);
  /// @return kNotFound for the collection or the tag.
  Result<void> removeTag(const Place& place,
                         const Actor& actor,
                         std::string_view name,
                         const std::string& tag);

 private:
  storage::Database& database_;
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
