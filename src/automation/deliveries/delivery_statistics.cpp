#include "automation/deliveries/delivery_statistics.h"

#include <algorithm>
#include <map>
#include <utility>

#include "automation/rules/automation_rows.h"
#include "automation/rules/delivery_rows.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using storage::Row, storage::Rows, storage::Session;

/// The columns of scopeColumns(), for GROUP BY.
constexpr SqlView kScopeGroup =
    "a.scope_type, a.team_id, t.name, a.project_id, p.name, a.registry_id, g.name, "
    "a.collection_id, c.name";

/// Attempts by duration, and statistics that the caller does not see.
struct WebhookSums {
  WebhookStatistics statistics;
  std::map<std::int64_t, std::int64_t> durations;  ///< number of attempts by milliseconds
  std::optional<Timestamp> last_failure_at;
};
using Sums = std::map<std::string, WebhookSums, std::less<>>;

/// Groups of rows with the same scope.
struct Groups {
  Rows states;
  Rows attempts;
};

void setLater(std::optional<Timestamp>& time, Timestamp other) {
  time = time ? std::max(*time, other) : other;
}

/// Returns the number of the last delivery before `since`: numbers ascend with the creation time.
Result<std::int64_t> lastNumberBefore(Session& session, Timestamp since) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT number FROM deliveries WHERE created_at < ? ORDER BY number DESC LIMIT 1", {since}));
  return row ? row->integer("number") : 0;
}

Result<Sums> webhooksOf(Session& session, std::string_view team_id) {
  const Rows rows =
      TRY(session.query("SELECT id, name, status, disabled_reason FROM webhooks WHERE team_id = ? "
                        "ORDER BY name LIMIT ?",
                        {team_id, DeliveryStatistics::kMaxWebhooks}));
  Sums sums;
  for (const Row& row : rows) {
    WebhookStatistics statistics;
    statistics.webhook_id = row.text("id");
    statistics.name = row.text("name");
    statistics.status = row.text("status") == textOf(WebhookStatus::kActive)
                            ? WebhookStatus::kActive
                            : WebhookStatus::kDisabled;
    statistics.disabled_reason = row.optionalText("disabled_reason");
    sums.emplace(row.text("id"), WebhookSums{std::move(statistics), {}, {}});
  }
  return sums;
}

Result<Groups> groupsOf(Session& session, std::string_view team_id, std::int64_t after) {
  const SqlText from = "JOIN webhooks w ON w.id = a.webhook_id " + SqlText(scopeJoins()) +
                       "WHERE w.team_id = ? AND a.number > ? GROUP BY a.webhook_id, ";
  Rows states =
      TRY(session.query("SELECT a.webhook_id, a.status, count(*) AS n, " + SqlText(scopeColumns()) +
                            "FROM deliveries a " + from + "a.status, " + SqlText(kScopeGroup),
                        {team_id, after}));
  Rows attempts =
      TRY(session.query("SELECT a.webhook_id, s.duration_ms, s.response_status, count(*) AS n, "
                        "max(s.started_at) AS last, " +
                            SqlText(scopeColumns()) +
                            "FROM delivery_attempts s JOIN deliveries a ON a.number = s.delivery " +
                            from + "s.duration_ms, s.response_status, " + SqlText(kScopeGroup),
                        {team_id, after}));
  return Groups{std::move(states), std::move(attempts)};
}

void addAttempts(WebhookSums& sums, const Row& row) {
  const std::optional<std::int64_t> status = row.optionalInteger("response_status");
  sums.statistics.attempts += row.integer("n");
  if (status) sums.durations[row.integer("duration_ms")] += row.integer("n");
  const bool succeeded = status && *status >= 200 && *status < 300;
  setLater(succeeded ? sums.statistics.last_success_at : sums.last_failure_at, row.time("last"));
}

/// Returns the smallest duration that at least this part of the attempts does not exceed.
std::optional<std::int64_t> percentile(const std::map<std::int64_t, std::int64_t>& durations,
                                       std::int64_t percent) {
  std::int64_t total = 0;
  for (const auto& [duration, count] : durations) total += count;
  std::int64_t seen = 0;
  for (const auto& [duration, count] : durations) {
    seen += count;
    if (seen * 100 >= total * percent) return duration;
  }
  return std::nullopt;
}

/// Reads the failed attempt of a webhook at a time.
Result<std::optional<FailedAttempt>> failureAt(Session& session,
                                               const std::string& webhook_id,
                                               Timestamp at,
                                               std::int64_t after) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT a.id, s.response_status, s.error_code, s.error_message FROM deliveries a "
      "JOIN delivery_attempts s ON s.delivery = a.number "
      "WHERE a.webhook_id = ? AND a.number > ? AND s.started_at = ? "
      "ORDER BY a.number DESC LIMIT 1",
      {webhook_id, after, at}));
  if (!row) return std::optional<FailedAttempt>();
  return std::optional(FailedAttempt{at, row->text("id"), row->optionalInteger("response_status"),
                                     deliveryErrorAt(*row)});
}

}  // namespace

std::optional<double> WebhookStatistics::successRate() const {
  const std::int64_t succeeded = count(DeliveryStatus::kSucceeded);
  const std::int64_t finished = succeeded + count(DeliveryStatus::kFailed);
  if (finished == 0) return std::nullopt;
  return static_cast<double>(succeeded) / static_cast<double>(finished);
}

Result<std::vector<WebhookStatistics>> DeliveryStatistics::ofTeam(std::string_view team_id,
                                                                  Timestamp since,
                                                                  const SeesScope& sees) {
  struct Read {
    std::int64_t after = 0;
    Sums sums;
    Groups groups;
  };
  Read read = TRY(database_.read([&](Session& session) -> Result<Read> {
    const std::int64_t after = TRY(lastNumberBefore(session, since));
    Sums sums = TRY(webhooksOf(session, team_id));
    Groups groups = TRY(groupsOf(session, team_id, after));
    return Read{after, std::move(sums), std::move(groups)};
  }));
  // The checks of scopes read the database themselves, so they run outside the transaction.
  const auto visit = [&](const Rows& rows, const auto& add) -> Result<void> {
    for (const Row& row : rows) {
      const auto webhook = read.sums.find(row.text("webhook_id"));
      if (webhook == read.sums.end()) continue;
      const bool visible = TRY(sees(scopeAt(row)));
      if (visible) add(webhook->second, row);
    }
    return {};
  };
  TRY(visit(read.groups.states, [](WebhookSums& sums, const Row& row) {
    const std::optional<DeliveryStatus> state = deliveryStatusOf(row.text("status"));
    if (state) sums.statistics.counts[static_cast<std::size_t>(*state)] += row.integer("n");
  }));
  TRY(visit(read.groups.attempts, addAttempts));

  std::vector<WebhookStatistics> all;
  for (auto& [id, sums] : read.sums) {
    WebhookStatistics& statistics = sums.statistics;
    statistics.latency_p50_ms = percentile(sums.durations, 50);
    statistics.latency_p95_ms = percentile(sums.durations, 95);
    if (sums.last_failure_at) {
      const Timestamp at = *sums.last_failure_at;
      std::optional<FailedAttempt> failure =
          TRY(database_.read([&, &webhook_id = id](Session& session) {
            return failureAt(session, webhook_id, at, read.after);
          }));
      statistics.last_failure = std::move(failure);
    }
    all.push_back(std::move(statistics));
  }
  std::sort(all.begin(), all.end(),
            [](const WebhookStatistics& a, const WebhookStatistics& b) { return a.name < b.name; });
  return all;
}

}  // namespace spindle::automation
