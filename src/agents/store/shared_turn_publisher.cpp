#include "agents/store/shared_turn_publisher.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "agents/store/ended_turn_tracker.h"
#include "agents/store/log.h"
#include "base/crypto/id.h"
#include "identity/store/project_repository.h"

namespace spindle::agents {
namespace {

/// Turns of one transaction.
constexpr std::size_t kTurnsAtOnce = 1000;
/// Batches of one call of catchUp().
constexpr int kMaxBatches = 50;
/// Longer than a batch takes. When a server ends, another one continues after this time.
constexpr std::chrono::seconds kLease{60};

}  // namespace

SharedTurnPublisher::SharedTurnPublisher(const SharedTurnLog& log,
                                         EndedTurnTracker& turns,
                                         TurnRepository& repository,
                                         identity::ProjectRepository& projects,
                                         const Clock& clock)
    : log_(log),
      turns_(turns),
      repository_(repository),
      projects_(projects),
      clock_(clock),
      worker_(newPrefixedId("turns_", clock.now())) {}

bool SharedTurnPublisher::publishPending() {
  while (true) {
    std::vector<EndedTurn> turns = turns_.takeTurns(kTurnsAtOnce);
    if (turns.empty()) return true;
    const auto publish = [&]() -> Result<std::int64_t> {
      const std::vector<TurnsOfProject> known = TRY(byProject(turns));
      return repository_.publishOnce(known, clock_.now());
    };
    const Result<std::int64_t> published = publish();
    if (published) continue;
    kLog.warning("turn_events_not_published", {{"reason", published.error().message()}});
    turns_.addTurns(std::move(turns));
    return false;
  }
}

bool SharedTurnPublisher::catchUp() {
  const Result<void> scanned = scan();
  if (!scanned) kLog.warning("turn_log_not_read", {{"reason", scanned.error().message()}});
  return scanned.has_value();
}

Result<void> SharedTurnPublisher::scan() {
  for (int batch = 0; batch < kMaxBatches; ++batch) {
    const Timestamp now = clock_.now();
    const std::optional<std::int64_t> position =
        TRY(repository_.leaseScan(worker_, now, now + kLease));
    if (!position) return {};
    const std::int64_t until = microsOf(now - kSettled);
    if (*position >= until) break;
    const std::vector<EndedTurn> turns = TRY(log_.turnsStored(*position, until, kTurnsAtOnce));
    const std::vector<TurnsOfProject> known = TRY(byProject(turns));
    const bool is_last = turns.size() < kTurnsAtOnce;
    const std::int64_t published =
        TRY(repository_.publishOnce(known, now, is_last ? until : turns.back().number));
    if (published > 0) kLog.info("turns_published_late", {{"turns", std::to_string(published)}});
    if (is_last) break;
  }
  TRY(repository_.forgetPublished(clock_.now() - kRemembered));
  return {};
}

Result<std::vector<TurnsOfProject>> SharedTurnPublisher::byProject(
    const std::vector<EndedTurn>& turns) {
  std::vector<TurnsOfProject> found;
  std::unordered_map<std::string, std::optional<std::size_t>> places;
  for (const EndedTurn& turn : turns) {
    const auto [place, is_new] = places.try_emplace(turn.project_id);
    if (is_new) {
      Result<identity::Project> project = projects_.findById(turn.project_id);
      if (!project && project.error().code() != ErrorCode::kNotFound) return project.error();
      if (project) {
        place->second = found.size();
        found.push_back({*std::move(project), {}});
      }
    }
    if (place->second) found[*place->second].turns.push_back(turn);
  }
  return found;
}

}  // namespace spindle::agents
