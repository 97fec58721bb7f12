#include "automation/rules/trace_metric_evaluator.h"

#include <chrono>

#include "automation/rules/automation_rows.h"
#include "automation/rules/event_facts.h"
#include "automation/rules/event_matcher.h"
#include "automation/rules/metric_condition.h"
#include "events/outbox.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using storage::Row;
using storage::Session;

}  // namespace

/// A project that an automation watches.
struct TraceMetricEvaluator::WatchedProject {
  std::string team_id;
  std::string team;
  std::string project_id;
  std::string project;
};

struct TraceMetricEvaluator::Watch {
  EnabledAutomation automation;
  std::vector<WatchedProject> projects;

  const MetricSpec& metric() const { return *automation.event.metric; }
};

Result<std::vector<TraceMetricEvaluator::Watch>> TraceMetricEvaluator::watches() {
  return database_.read([](Session& session) -> Result<std::vector<Watch>> {
    std::vector<EnabledAutomation> enabled = TRY(enabledAutomations(session));
    std::vector<Watch> watches;
    for (EnabledAutomation& automation : enabled) {
      if (automation.event_type != EventType::kTraceMetricThreshold || !automation.event.metric)
        continue;
      const Scope& scope = automation.scope;
      std::vector<WatchedProject> projects = TRY(collectRows(
          session.query("SELECT p.id AS id, p.name AS name, t.id AS team_id, t.name AS team "
                        "FROM published_projects p JOIN published_teams t ON t.id = p.team_id "
                        "WHERE (? = '' OR t.id = ?) AND (? = '' OR p.id = ?) ORDER BY p.id",
                        {scope.team_id, scope.team_id, scope.project_id, scope.project_id}),
          [](const Row& row) {
            return WatchedProject{row.text("team_id"), row.text("team"), row.text("id"),
                                  row.text("name")};
          }));
      watches.push_back({std::move(automation), std::move(projects)});
    }
    return watches;
  });
}

Result<std::int64_t> TraceMetricEvaluator::check() {
  const std::vector<Watch> all = TRY(watches());
  const Timestamp now = clock_.now();
  std::int64_t raised = 0;
  for (const Watch& watch : all) {
    const Timestamp from = now - std::chrono::minutes(watch.metric().window.value_or(1));
    for (const WatchedProject& watched : watch.projects) {
      const std::optional<double> value =
          TRY(measure_(watched.project_id, watch.metric().name, from, now));
      const bool fired = TRY(recordState(watch, watched, value));
      raised += fired ? 1 : 0;
    }
  }
  return raised;
}

Result<bool> TraceMetricEvaluator::recordState(const Watch& watch,
                                               const WatchedProject& watched,
                                               std::optional<double> value) {
  const EnabledAutomation& automation = watch.automation;
  const MetricSpec& metric = watch.metric();
  const bool holds = value && compares(*metric.comparison, *value, *metric.threshold);
  // A fired condition is stored as a silence period without a run.
  const bool before = TRY(database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT fired_at FROM run_silences WHERE automation_id = ? AND project_id = ? AND "
        "run_id = '' AND state = ''",
        {automation.id, watched.project_id}));
    return row.has_value();
  }));
  if (before == holds) return false;
  return outbox_.write([&](Session& session) -> Result<bool> {
    if (!holds) {
      TRY(session.execute(
          "DELETE FROM run_silences WHERE automation_id = ? AND project_id = ? AND run_id = '' AND "
          "state = ''",
          {automation.id, watched.project_id}));
      return false;
    }
    // If two servers see the condition at the same time, only one raises the event. No event is
    // raised for a deleted automation.
    const std::int64_t fired = TRY(session.execute(
        "INSERT INTO run_silences (automation_id, project_id, run_id, state, fired_at) "
        "SELECT id, CAST(? AS TEXT), '', '', CAST(? AS BIGINT) FROM automations WHERE id = ? "
        "ON CONFLICT (project_id, run_id, automation_id, state) DO NOTHING",
        {watched.project_id, clock_.now(), automation.id}));
    if (fired == 0) return false;
    events::NewEvent event;
    event.type = EventType::kTraceMetricThreshold;
    event.subject.team_id = watched.team_id;
    event.subject.project_id = watched.project_id;
    event.data = dataText({.automation_id = automation.id,
                           .team = watched.team,
                           .project = watched.project,
                           .metric = metric.name,
                           .finding = {*value, *metric.threshold}});
    TRY(outbox_.append(session, event));
    return true;
  });
}

}  // namespace spindle::automation
