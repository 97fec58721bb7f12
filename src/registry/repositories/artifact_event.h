#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "events/event.h"
#include "registry/artifacts/artifact.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::registry {

/// A change of a version or a collection that raises an event.
struct ArtifactEvent {
  events::EventType type = events::EventType::kCreateArtifact;
  const Collection* collection = nullptr;
  const Version* version = nullptr;       ///< null for a change of the collection
  std::vector<std::string> aliases = {};  ///< aliases that are set together with the version
  std::string_view alias = {};
  std::string_view tag = {};
  std::string change_id = {};
};

/// The context of a change: the outbox for its events, the project or registry, and the user.
struct ArtifactChangeContext {
  const events::Outbox& outbox;
  const Place& place;
  const Actor& actor;
};

/// Appends the event to the outbox in the open transaction, with all variables that payload
/// templates can use.
Result<void> raise(storage::Session& session,
                   const ArtifactChangeContext& change_context,
                   const ArtifactEvent& event);

}  // namespace spindle::registry
