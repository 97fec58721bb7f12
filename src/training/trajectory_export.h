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
#include "training/agent_traces.h"
#include "training/artifact_writer.h"
#include "training/chat_row_json.h"
#include "training/training_file_store.h"
#include "training/trajectory_spool.h"

namespace spindle::tracing {
class CallStore;
class CallView;
}  // namespace spindle::tracing

namespace spindle::training {

/// Where the reward of a call or trace stands.
struct RewardSource {
  std::string feedback_type = {};  ///< empty: in the call itself, or in a span
  std::string path = {};           ///< in the feedback, in the call (`output.score`), or in spans
};

enum class GroupKey { kInput, kTrace, kThread };

/// What becomes training data, and how.
struct ExportWish {
  tracing::CallSelection selection = {};
  std::optional<query::Query> agents = {};  ///< of spans, when from_agents
  bool from_agents = false;                 ///< traces of agents, in place of calls
  std::int64_t limit = 10'000;              ///< calls or traces that are looked at
  bool groups = false;                      ///< RL, else examples
  bool traces = false;  ///< the last answer in the trace of each call, in place of its own
  std::optional<RewardSource> reward = {};
  std::optional<double> min_reward = {};
  GroupKey group_by = GroupKey::kInput;
  std::string name = {};  ///< of the artifact
};

struct Exported {
  registry::Version version;
  std::int64_t seen = 0;          ///< calls or traces that were looked at
  std::int64_t trajectories = 0;  ///< that came of them
  std::int64_t lines = 0;         ///< examples, or groups
};

/// Makes an artifact of traced calls or of traces of agents, in memory that does not grow with
/// their payloads. Belongs to one request and one thread; blocks.
class TrajectoryExport {
 public:
  struct Parts {
    tracing::CallStore& calls;
    const AgentTraces& agents;
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
  Result<std::int64_t> takeCalls(const ExportWish& wish, TrajectorySpool& spool);
  Result<std::int64_t> takeTraces(const ExportWish& wish, TrajectorySpool& spool);
  Result<void> take(const std::vector<tracing::Call>& calls,
                    const ExportWish& wish,
                    TrajectorySpool& spool);
  Result<std::unordered_map<std::string, ChatRow>> rowsOf(const std::vector<tracing::Call>& calls,
                                                          const ExportWish& wish);
  Result<std::optional<ChatRow>> rowOf(const tracing::Call& call);
  Result<std::unordered_map<std::string, double>> rewardsOf(const std::vector<tracing::Call>& calls,
                                                            const ExportWish& wish);
  Result<void> showRefs(ChatRow& row);

  Parts parts_;
  const tracing::ProjectScope project_;
};

}  // namespace spindle::training
