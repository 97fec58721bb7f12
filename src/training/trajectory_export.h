#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "objects/ref_conversion.h"
#include "tracing/call.h"
#include "tracing/call_selection.h"
#include "training/artifact_writer.h"
#include "training/chat_row_json.h"
#include "training/training_file_store.h"

namespace spindle::tracing {
class CallStore;
class CallView;
}  // namespace spindle::tracing

namespace spindle::training {

/// Where the reward of a call stands.
struct RewardSource {
  std::string feedback_type = {};  ///< empty: in the call itself
  std::string path = {};  ///< in the payload of the feedback, or in the call: `output.score`
};

enum class GroupKey { kInput, kTrace, kThread };

/// Which calls become training data, and how.
struct ExportWish {
  tracing::CallSelection selection = {};
  std::int64_t limit = 10'000;  ///< calls that are looked at
  bool groups = false;          ///< RL, else examples
  bool traces = false;          ///< the last answer in the trace of each call, in place of its own
  std::optional<RewardSource> reward = {};
  std::optional<double> min_reward = {};
  GroupKey group_by = GroupKey::kInput;
  std::string name = {};  ///< of the artifact
};

struct Exported {
  registry::Version version;
  std::int64_t calls = 0;         ///< that were looked at
  std::int64_t trajectories = 0;  ///< that came of them
  std::int64_t lines = 0;         ///< examples, or groups
};

/// Makes an artifact of traced calls, in memory that does not grow with their payloads. Belongs to
/// one request and one thread; blocks.
class TrajectoryExport {
 public:
  struct Parts {
    tracing::CallStore& calls;
    TrainingFileStore& files;
    ArtifactWriter writer;
    /// The feedback of calls as JSON lists, by call id.
    std::function<Result<std::unordered_map<std::string, std::string>>(
        const std::vector<std::string>& call_ids)>
        feedback;
    objects::RefProjects& projects;  ///< as the reader may know them
  };
  TrajectoryExport(Parts parts, tracing::ProjectScope project)
      : parts_(std::move(parts)), project_(std::move(project)) {}

  /// @return kInvalidArgument when nothing came of it; the errors of the query.
  Result<Exported> run(const registry::Place& place,
                       const registry::Actor& actor,
                       const ExportWish& wish);

 private:
  /// Where a trajectory stands in the spool.
  struct Spooled {
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };
  struct Group {
    std::vector<Spooled> trajectories;
  };

  Result<void> take(const std::vector<tracing::Call>& calls, const ExportWish& wish);
  Result<void> takeRow(const tracing::Call& call,
                       const ChatRow& row,
                       std::optional<double> reward,
                       const ExportWish& wish);
  Result<std::unordered_map<std::string, ChatRow>> rowsOf(const std::vector<tracing::Call>& calls,
                                                          const ExportWish& wish);
  Result<std::optional<ChatRow>> rowOf(const tracing::Call& call);
  Result<std::unordered_map<std::string, double>> rewardsOf(const std::vector<tracing::Call>& calls,
                                                            const ExportWish& wish);
  Result<KeptFile> groupLines(const KeptFile& spool);

  Parts parts_;
  const tracing::ProjectScope project_;
  std::unique_ptr<FileIntake> lines_;
  std::uint64_t written_ = 0;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> group_of_;  ///< by a digest of the key
  std::int64_t trajectories_ = 0;
};

}  // namespace spindle::training
