#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "events/event.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "registry/artifacts/artifact.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::registry {

/// A collection with its project.
struct CollectionLocation {
  Place place;
  std::string id;
  std::string name;
};

/// SQL access to the collections of projects and registries (`place_id` is the id of either).
/// Raises events in the transaction of the change. Thread-safe; calls block on the database. Every
/// call can return kUnavailable.
class CollectionRepository {
 public:
  CollectionRepository(storage::Database& database, events::Outbox& outbox, const Clock& clock)
      : database_(database), outbox_(outbox), clock_(clock) {}

  /// Creates a collection. @return kConflict `collection_name_taken`; kInvalidArgument
  /// `reserved_name`, or `type_not_accepted` if the registry does not accept the type.
  Result<Collection> insert(const Place& place, const Actor& actor, const NewCollection& fresh);

  /// @return kNotFound.
  Result<Collection> find(std::string_view place_id, std::string_view name);

  /// Returns a page of collections, newest first.
  Result<identity::Page<Collection>> list(std::string_view place_id,
                                          const identity::PageRequest& page);

  /// Returns a page of the source collections of one type in all projects, newest first.
  Result<identity::Page<CollectionLocation>> listOfType(std::string_view type,
                                                        const identity::PageRequest& page);

  /// Returns the aliases in the collection that begin with `prefix`. @return kNotFound.
  Result<std::vector<std::string>> aliases(std::string_view place_id,
                                           std::string_view name,
                                           std::string_view prefix);

  /// @return kNotFound, kPreconditionFailed, kConflict `collection_name_taken`, kInvalidArgument
  /// `reserved_name`.
  Result<Collection> update(std::string_view place_id,
                            std::string_view name,
                            const CollectionChange& change,
                            identity::IfVersion if_version = {});

  /// Removes a collection with its versions or links, and frees its name.
  /// @return kNotFound, kPreconditionFailed, kConflict `protected_alias` if a link in the
  /// collection, or a link to one of its versions, has a protected alias.
  Result<void> remove(std::string_view place_id,
                      std::string_view name,
                      identity::IfVersion if_version = {});

  /// Removes all links to versions of a project, before the project is deleted.
  /// @return kConflict `protected_alias` if one of the links has a protected alias.
  Result<void> unlinkVersionsOfProject(std::string_view project_id);
  /// Like unlinkVersionsOfProject(), for all projects of a team.
  Result<void> unlinkVersionsOfTeam(std::string_view team_id);

  /// Adds a tag; has no effect if the collection has it already. @return kNotFound.
  Result<void> putTag(const Place& place,
                      const Actor& actor,
                      std::string_view name,
                      const std::string& tag);
  /// Removes a tag. @return kNotFound for the collection or the tag.
  Result<void> removeTag(const Place& place,
                         const Actor& actor,
                         std::string_view name,
                         const std::string& tag);

 private:
  struct TagChange {
    const Place& place;
    const Actor& actor;
    std::string_view collection;
    const std::string& tag;
  };

  Result<void> release(SqlView condition, std::string_view id);
  /// Executes the statement with the id of the collection and the tag, and raises the event if it
  /// changed a row. Returns `if_unchanged` if it did not.
  Result<void> changeTag(const TagChange& change,
                         SqlView statement,
                         events::EventType event,
                         const Result<void>& if_unchanged);

  storage::Database& database_;
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
