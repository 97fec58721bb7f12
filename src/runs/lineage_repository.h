#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "registry/artifacts/artifact.h"
#include "runs/run.h"
#include "storage/database/forward.h"

namespace spindle::runs {

/// An artifact version that is an input or an output of a run.
struct RunArtifact {
  std::int64_t id = 0;
  std::string entity;
  std::string project;
  std::string collection;
  std::string type;
  std::optional<std::int64_t> index;
  std::string digest;
  std::int64_t size_bytes = 0;
  Timestamp time;  ///< first use for an input, commit for an output
};

/// A run that uses an artifact version.
struct RunUse {
  std::string entity;
  std::string project;
  std::string run_id;
  std::string name;
  RunState state = RunState::kRunning;
  Timestamp used_at;
};

/// SQL access to the lineage of runs: the artifact versions that runs use and create. Thread-safe;
/// calls block on the database. Every call can return kUnavailable, and kNotFound if the run does
/// not exist.
class LineageRepository {
 public:
  LineageRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Records that a run uses a version. A repeated call has no effect. @return also kNotFound if
  /// the version does not exist.
  Result<void> addInput(const RunKey& key, std::int64_t version_id, const registry::Actor& actor);

  /// Returns a page of committed input versions, greatest id first. The page cursor is an id.
  Result<identity::Page<RunArtifact>> inputs(const RunKey& key, const identity::PageRequest& page);
  /// Returns a page of the versions in the project of the run that were created with its run id.
  Result<identity::Page<RunArtifact>> outputs(const RunKey& key, const identity::PageRequest& page);

  /// Returns the runs of all projects that use a version, latest use first.
  Result<std::vector<RunUse>> usersOf(std::int64_t version_id, int limit);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::runs
