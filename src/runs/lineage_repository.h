#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "identity/page.h"
#include "registry/artifact.h"

namespace spindle::storage {
class Database;
}

namespace spindle::runs {

/// A version that a run has used or made.
struct RunArtifact {
  std::int64_t id = 0;
  std::string entity;
  std::string project;
  std::string collection;
  std::string type;
  std::optional<std::int64_t> index;
  std::string digest;
  std::int64_t size_bytes = 0;
  Timestamp time;  ///< of the use, or of the commit
};

/// What runs use and make: versions in the registry. Thread-safe; calls block on the database, and
/// every one may return kUnavailable. A run that is not there is kNotFound.
class LineageRepository {
 public:
  LineageRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Notes that a run uses a version; nothing happens when that is noted. @return also kNotFound
  /// when the version has gone.
  Result<void> addInput(std::string_view project_id,
                        std::string_view run_id,
                        std::int64_t version_id,
                        const registry::Actor& actor);

  /// Committed versions by their ids, newest first. A page ends with an id.
  Result<identity::Page<RunArtifact>> inputs(std::string_view project_id,
                                             std::string_view run_id,
                                             const identity::PageRequest& page);
  /// The versions of the run's project that were made with its id.
  Result<identity::Page<RunArtifact>> outputs(std::string_view project_id,
                                              std::string_view run_id,
                                              const identity::PageRequest& page);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::runs
