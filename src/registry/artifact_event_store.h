#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "events/event.h"
#include "registry/artifact.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Session;
}

namespace spindle::registry {

/// Something that happens to a version or a collection.
struct ArtifactEvent {
  events::EventType type = events::EventType::kCreateArtifact;
  const Collection* collection = nullptr;
  const Version* version = nullptr;       ///< null: it happens to the collection
  std::vector<std::string> aliases = {};  ///< given together with the version
  std::string_view alias = {};
  std::string_view tag = {};
  std::string change_id = {};
};

/// Who does it, where, and where it is noted.
struct Deed {
  const events::Outbox& outbox;
  const Place& place;
  const Actor& actor;
};

/// Adds the event to the transaction in progress, with everything that templates can ask for.
Result<void> raise(storage::Session& session, const Deed& deed, const ArtifactEvent& event);

}  // namespace spindle::registry
