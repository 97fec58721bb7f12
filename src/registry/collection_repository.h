#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql_text.h"
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

/// A collection and where it is.
struct PlacedCollection {
  Place place;
  std::string id;
  std::string name;
};

/// The collections of projects and registries (`place_id`). Thread-safe; calls block on the
/// database, and every one may return kUnavailable. Events are raised in the transaction of the
/// change.
class CollectionRepository {
 public:
  CollectionRepository(storage::Database& database, events::Outbox& outbox, const Clock& clock)
      : database_(database), outbox_(outbox), clock_(clock) {}

  /// @return kConflict `collection_name_taken`; kInvalidArgument `reserved_name`,
  /// `type_not_accepted` by the registry.
  Result<Collection> insert(const Place& place, const Actor& actor, const NewCollection& fresh);

  /// @return kNotFound.
  Result<Collection> find(std::string_view place_id, std::string_view name);

  /// Newest first.
  Result<identity::Page<Collection>> list(std::string_view place_id,
                                          const identity::PageRequest& page);

  /// Those in which versions of a type are made, of all projects, newest first.
  Result<identity::Page<PlacedCollection>> listOfType(std::string_view type,
                                                      const identity::PageRequest& page);

  /// The aliases of its versions that begin so. @return kNotFound.
  Result<std::vector<std::string>> aliases(std::string_view place_id,
                                           std::string_view name,
                                           std::string_view prefix);

  /// @return kNotFound, kPreconditionFailed, kConflict `collection_name_taken`, kInvalidArgument
  /// `reserved_name`.
  Result<Collection> update(std::string_view place_id,
                            std::string_view name,
                            const CollectionChange& change,
                            identity::IfVersion if_version = {});

  /// Its versions go with it, or its links; the name is free again.
  /// @return kNotFound, kPreconditionFailed, kConflict `protected_alias` while a link in it or to
  /// one of its versions holds one.
  Result<void> remove(std::string_view place_id,
                      std::string_view name,
                      identity::IfVersion if_version = {});

  /// Takes every link to versions of a project out of the collections that have them, before the
  /// project goes. @return kConflict `protected_alias` while one of them holds such an alias.
  Result<void> releaseProject(std::string_view project_id);
  /// The same for all projects of a team.
  Result<void> releaseTeam(std::string_view team_id);

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
  Result<void> release(SqlView condition, std::string_view id);

  storage::Database& database_;
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
