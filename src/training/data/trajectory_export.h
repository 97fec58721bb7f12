#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"
#include "tracing/calls/call.h"
#include "tracing/calls/call_query.h"
#include "training/data/agent_traces.h"
#include "training/data/artifact_writer.h"
#include "training/data/chat_row.h"
#include "training/data/training_file_store.h"
#include "training/data/trajectory_preview.h"
#include "training/data/trajectory_spool.h"

namespace spindle::tracing {
class CallStore;
class CallView;
}  // namespace spindle::tracing

namespace spindle::training {

/// The location of the reward of a call or trace.
struct RewardSource {
  std::string feedback_type = {};  ///< empty: in the call itself, or in a span
  std::string path = {};           ///< in the feedback, in the call (`output.score`), or in spans
};

enum class GroupKey { kInput, kTrace, kThread };

/// The parameters of an export.
struct TrajectoryExportOptions {
  tracing::CallQuery selection = {};
  std::optional<query::Query> agents = {};  ///< span query; used if from_agents
  bool from_agents = false;                 ///< export agent traces instead of calls
  std::int64_t limit = 10'000;              ///< maximum number of calls or traces to read
  bool groups = false;                      ///< RL groups; otherwise SFT examples
  bool traces = false;  ///< use the last answer of each call's trace, once per trace, instead of
                        ///< the call's own answer
  std::optional<RewardSource> reward = {};
  std::optional<double> min_reward = {};
  GroupKey group_by = GroupKey::kInput;
  std::string name = {};  ///< name of the artifact
};

/// The work that a preview does at most. A preview that reaches a limit counts what it has read.
struct PreviewLimits {
  std::int64_t calls = 10'000;       ///< calls or traces to read
  std::int64_t counted = 1'000'000;  ///< matching calls to count
  std::size_t bytes = 128UL * 1024 * 1024;
  std::chrono::steady_clock::duration time = std::chrono::seconds(10);
};

/// The numbers of calls, traces or answers that an export leaves out, by reason.
struct Excluded {
  std::int64_t failed = 0;          ///< calls with an exception
  std::int64_t no_answer = 0;       ///< calls or traces without an answer of a model
  std::int64_t repeated_trace = 0;  ///< calls of a trace that is included already
  std::int64_t no_reward = 0;
  std::int64_t below_min_reward = 0;
};

/// The content that an export would have.
struct ExportPreview {
  std::optional<std::int64_t> matching = {};  ///< matching calls; unknown for agent traces
  std::int64_t seen = 0;                      ///< calls or traces read
  bool truncated = false;                     ///< a limit ended the preview early
  Excluded excluded = {};
  std::optional<RewardSummary> rewards = {};  ///< of all answers with a reward
  TrajectoryPreview content;
};

struct Exported {
  registry::Version version;
  std::int64_t seen = 0;          ///< calls or traces read
  std::int64_t trajectories = 0;  ///< trajectories exported
  std::int64_t lines = 0;         ///< examples or groups
};

/// Exports traced calls or agent traces as an artifact. Memory use does not grow with their
/// payloads. Belongs to one request and one thread; blocks.
class TrajectoryExport {
 public:
  struct Parts {
    tracing::CallStore& calls;
    const AgentTraces& agents;
    TrainingFileStore& files;
    ArtifactWriter writer;
    /// Returns the feedback of calls as JSON arrays, by call id.
    std::function<Result<std::unordered_map<std::string, std::string>>(
        const std::vector<std::string>& call_ids)>
        feedback;
    objects::RefProjects& projects;  ///< as the caller may see them
  };
  TrajectoryExport(Parts parts, tracing::ProjectScope project)
      : parts_(std::move(parts)), project_(std::move(project)) {}

  /// Reads as run() would, within limits, and stores nothing. @return errors of the query
  Result<ExportPreview> preview(TrajectoryExportOptions options, const PreviewLimits& limits);

  /// Runs the export. @return kInvalidArgument if there is nothing to export; errors of the query
  Result<Exported> run(const registry::Place& place,
                       const registry::Actor& actor,
                       const TrajectoryExportOptions& options);

 private:
  using Rows = std::unordered_map<std::string, ChatRow>;
  using Rewards = std::unordered_map<std::string, std::vector<double>>;
  /// The source of a trajectory.
  struct Origin {
    std::string trace_id;
    std::string thread_id;
    std::vector<std::pair<std::string, std::string>> notes;
  };

  Result<void> takeCalls(const TrajectoryExportOptions& options, TrajectorySink& sink);
  Result<void> takeTraces(const TrajectoryExportOptions& options, TrajectorySink& sink);
  Result<void> take(const std::vector<tracing::Call>& calls,
                    const TrajectoryExportOptions& options,
                    TrajectorySink& sink);
  Result<void> add(ChatRow row,
                   const std::vector<double>& rewards,
                   Origin origin,
                   const TrajectoryExportOptions& options,
                   TrajectorySink& sink);
  Result<Rows> rowsOfCalls(const std::vector<tracing::Call>& calls);
  Result<Rows> rowsOfTraces(const std::vector<tracing::Call>& calls);
  Result<std::optional<ChatRow>> rowOf(const tracing::Call& call);
  Result<Rewards> rewardsOf(const std::vector<tracing::Call>& calls,
                            const TrajectoryExportOptions& options);
  Result<void> showRefs(ChatRow& row);
  /// Counts payload that was read. Returns false if the limits of a preview are reached.
  bool charge(std::size_t bytes);
  std::string whyNothing(const TrajectoryExportOptions& options) const;

  Parts parts_;
  const tracing::ProjectScope project_;
  std::int64_t seen_ = 0;
  std::int64_t answered_ = 0;  ///< those with a model answer
  std::int64_t rewarded_ = 0;  ///< those with a reward
  Excluded excluded_;
  std::unordered_set<std::string> done_;  ///< ids of traces already exported
  // Used by previews only:
  std::optional<PreviewLimits> limits_;
  std::chrono::steady_clock::time_point began_;
  std::size_t bytes_ = 0;
  bool truncated_ = false;
  std::vector<double> rewards_;  ///< of all answers that have one
};

}  // namespace spindle::training
