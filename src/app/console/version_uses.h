#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "registry/artifacts/artifact.h"
#include "runs/lineage_repository.h"
#include "training/jobs/job.h"

namespace spindle::identity {
class Access;
}
namespace spindle::objects {
class ObjectRepository;
}
namespace spindle::registry {
class VersionRepository;
}
namespace spindle::tracing {
class CallStore;
}
namespace spindle::training {
class JobRepository;
}

namespace spindle::app {

/// An evaluation run of a model that is an artifact version.
struct EvaluationUse {
  std::string team;
  std::string project;
  std::string run_id;
  std::string model;  ///< name of the model object
  Timestamp started_at;
};

/// The runs, training jobs and evaluation runs that used an artifact version.
struct VersionUse {
  std::vector<runs::RunUse> runs;
  std::vector<training::Job> jobs;
  std::vector<EvaluationUse> evaluations;
  bool truncated = false;  ///< there may be more
};

/// The stores with the uses of versions. All must outlive the object that reads them.
struct VersionUsePorts {
  identity::Access& access;
  registry::VersionRepository& versions;
  runs::LineageRepository& lineage;
  training::JobRepository& jobs;
  objects::ObjectRepository& objects;
  tracing::CallStore& calls;
};

/// Names of model objects by their references.
using NamesByRef = std::map<std::string, std::string>;

/// Finds the uses of an artifact version. Thread-safe; blocks on the stores and may return
/// kUnavailable and kTimeout.
///
/// - Runs: those that recorded the version as an input.
/// - Training jobs: those that trained on a file of the version, by its digest, and named its
///   collection. A job that named an alias counts for every version with the same file.
/// - Evaluation runs: those in the project of the version whose model object names the version or
///   one of its current aliases.
class VersionUses {
 public:
  static constexpr int kMaxUses = 200;  ///< of each kind

  explicit VersionUses(const VersionUsePorts& ports) : ports_(ports) {}

  /// Returns the uses in projects that the user may read, newest first.
  Result<VersionUse> find(const std::string& user_id,
                          const registry::Place& place,
                          const registry::Version& version) const;

 private:
  Result<void> addRuns(const std::string& user_id,
                       const registry::Version& version,
                       VersionUse& use) const;
  Result<void> addJobs(const std::string& user_id,
                       const registry::Source& source,
                       const registry::Version& version,
                       VersionUse& use) const;
  Result<void> addEvaluations(const std::string& user_id,
                              const registry::Source& source,
                              const registry::Version& version,
                              VersionUse& use) const;
  /// Returns the model objects of the project that name the version.
  Result<NamesByRef> modelsWith(const std::string& project_id,
                                const registry::Source& source,
                                const registry::Version& version) const;
  Result<bool> reads(const std::string& user_id,
                     std::string_view team,
                     std::string_view project) const;

  const VersionUsePorts ports_;
};

}  // namespace spindle::app
