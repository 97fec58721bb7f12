#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "training/artifact_writer.h"
#include "training/chat_row_json.h"
#include "training/training_file_store.h"

namespace spindle::training {

/// A conversation that is to be trained on, and where it came from.
struct Trajectory {
  ChatRow row = {};
  std::size_t answer = 0;  ///< which of the row's
  double reward = 0;
  std::string group = {};  ///< those with the same are one group
  std::vector<std::pair<std::string, std::string>> notes = {};  ///< its metadata
};

/// Trajectories on their way into an artifact: written down one by one, in memory that does not
/// grow with them. Belongs to one request and one thread; blocks.
class TrajectorySpool {
 public:
  /// With `groups` a line is a group, else an example. `files` must outlive this.
  static Result<TrajectorySpool> open(TrainingFileStore& files, bool groups);

  Result<void> add(const Trajectory& trajectory);

  std::int64_t trajectories() const { return trajectories_; }
  /// Examples, or groups.
  std::int64_t lines() const;

  /// The artifact of all that was added: `trajectories.jsonl` and `metadata.json`, of type
  /// `dataset`. Once.
  Result<registry::Version> publish(ArtifactWriter& writer,
                                    const registry::Place& place,
                                    const registry::Actor& actor,
                                    const std::string& name,
                                    const std::string& project);

 private:
  /// Where a trajectory stands in the file.
  struct Spooled {
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };
  using Group = std::vector<Spooled>;

  TrajectorySpool(TrainingFileStore& files, std::unique_ptr<FileIntake> intake, bool groups)
      : files_(&files), intake_(std::move(intake)), by_group_(groups) {}

  Result<KeptFile> groupLines(const KeptFile& spool);

  TrainingFileStore* files_;
  std::unique_ptr<FileIntake> intake_;
  bool by_group_;
  std::uint64_t written_ = 0;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> group_of_;
  std::int64_t trajectories_ = 0;
};

}  // namespace spindle::training
