#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "training/data/artifact_writer.h"
#include "training/data/training_file_store.h"
#include "training/data/trajectory_sink.h"

namespace spindle::training {

/// Writes trajectories one by one to a file that becomes an artifact. Memory use does not grow with
/// the trajectories. Belongs to one request and one thread; blocks.
class TrajectorySpool final : public TrajectorySink {
 public:
  /// Opens an empty spool. `groups`: a line is a group; otherwise an example. `files` must outlive
  /// the spool.
  static Result<TrajectorySpool> open(TrainingFileStore& files, bool groups);

  Result<void> add(const Trajectory& trajectory) override;

  std::int64_t trajectories() const { return trajectories_; }
  /// Returns the number of examples or groups.
  std::int64_t lines() const;

  /// Publishes all added trajectories as an artifact of type `dataset` with `trajectories.jsonl`
  /// and `metadata.json`. Call at most once.
  Result<registry::Version> publish(ArtifactWriter& writer,
                                    const registry::Place& place,
                                    const registry::Actor& actor,
                                    const std::string& name,
                                    const std::string& project);

 private:
  /// The position of a trajectory in the file.
  struct Spooled {
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };
  using Group = std::vector<Spooled>;

  TrajectorySpool(TrainingFileStore& files, std::unique_ptr<TrainingFileWriter> intake, bool groups)
      : files_(&files), intake_(std::move(intake)), by_group_(groups) {}

  Result<StoredFile> groupLines(const StoredFile& spool);

  TrainingFileStore* files_;
  std::unique_ptr<TrainingFileWriter> intake_;
  bool by_group_;
  std::uint64_t written_ = 0;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> group_of_;
  std::int64_t trajectories_ = 0;
};

}  // namespace spindle::training
