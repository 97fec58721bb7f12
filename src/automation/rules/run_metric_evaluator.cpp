#include "automation/rules/run_metric_evaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "automation/rules/automation_rows.h"
#include "automation/rules/event_facts.h"
#include "automation/rules/event_matcher.h"
#include "automation/rules/metric_condition.h"
#include "events/outbox.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using storage::Row;
using storage::Session;

constexpr std::chrono::hours kSilence{24};
constexpr std::string_view kSystem = "system.";

bool watchesMetrics(EventType type) {
  return type == EventType::kRunMetricThreshold || type == EventType::kRunMetricChange ||
         type == EventType::kRunMetricZscore;
}

/// Serializes values. JSON has no numbers that are not finite, so these become strings.
std::string tailText(const std::vector<double>& tail) {
  std::string text;
  json::Writer out(text);
  out.beginArray();
  for (const double value : tail) {
    if (std::isnan(value)) {
      out.string("NaN");
    } else if (std::isinf(value)) {
      out.string(value > 0 ? "Infinity" : "-Infinity");
    } else {
      out.number(value);
    }
  }
  out.endArray();
  return text;
}

std::vector<double> tailOf(const std::string& text) {
  std::vector<double> tail;
  const auto parsed = json::Document::parse(text, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return tail;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const json::Node node : document->root()) {
    if (node.isNumber()) {
      tail.push_back(node.number());
    } else if (node.textEquals("NaN")) {
      tail.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      tail.push_back(node.textEquals("Infinity") ? kInfinity : -kInfinity);
    }
  }
  return tail;
}

}  // namespace

struct RunMetricEvaluator::Watch {
  explicit Watch(EnabledAutomation watching) : automation(std::move(watching)) {
    const std::optional<RunFilter>& filter = automation.event.run_filter;
    if (filter && filter->name_regex) name.emplace(*filter->name_regex);
  }

  const MetricSpec& metric() const { return *automation.event.metric; }
  std::size_t needed() const { return valuesNeeded(automation.event_type, metric()); }

  bool wants(const runs::ObservedRun& run) const {
    events::Subject subject;
    subject.team_id = run.team_id;
    subject.project_id = run.project_id;
    if (!covers(automation.scope, subject)) return false;
    const std::optional<RunFilter>& filter = automation.event.run_filter;
    if (filter && filter->username && *filter->username != run.owner) return false;
    return !name || name->foundIn(run.name);
  }

  /// Returns true if the condition is about this metric. The prefix of system metrics is optional.
  bool names(std::string_view key) const {
    const std::string& wanted = metric().name;
    return key == wanted || (key.starts_with(kSystem) && key.substr(kSystem.size()) == wanted);
  }

  EnabledAutomation automation;
  std::optional<Pattern> name;
};

struct RunMetricEvaluator::Watches {
  std::int64_t generation = 0;
  std::vector<Watch> all;
};

namespace {

/// The state of one run while its rows are evaluated.
class Observation {
 public:
  Observation(Session& session, const events::Outbox& outbox, const runs::ObservedRun& run)
      : session_(session), outbox_(outbox), run_(run) {}

  /// Appends a value to the latest values of a metric, which contain at most `needed` values.
  Result<const std::vector<double>*> add(std::string_view key, double value, std::size_t needed) {
    auto found = tails_.find(key);
    if (found == tails_.end()) {
      const std::optional<Row> row = TRY(session_.queryOne(
          "SELECT tail FROM metric_windows WHERE project_id = ? AND run_id = ? AND metric = ?",
          {run_.project_id, run_.run_id, key}));
      std::vector<double> tail;
      if (row.has_value()) tail = tailOf(row->text("tail"));
      found = tails_.emplace(key, std::move(tail)).first;
    }
    std::vector<double>& tail = found->second;
    tail.push_back(value);
    if (tail.size() > needed) tail.erase(tail.begin(), tail.end() - static_cast<long>(needed));
    return &tail;
  }

  /// Raises the event, unless the automation fired for this run in the last 24 hours.
  Result<void> fire(const EnabledAutomation& automation,
                    std::string_view key,
                    const MetricFinding& finding,
                    Timestamp when) {
    std::optional<Timestamp>* const last = TRY(lastFiring(automation.id));
    // A last time in the future means that a clock was set back: ignore it.
    if (*last && when >= **last && when - **last < kSilence) return {};
    *last = when;
    TRY(session_.execute(
        "INSERT INTO run_silences (automation_id, project_id, run_id, state, fired_at) "
        "SELECT id, CAST(? AS TEXT), CAST(? AS TEXT), '', CAST(? AS BIGINT) "
        "FROM automations WHERE id = ? "
        "ON CONFLICT (project_id, run_id, automation_id, state) DO UPDATE "
        "SET fired_at = excluded.fired_at",
        {run_.project_id, run_.run_id, when, automation.id}));
    events::NewEvent event;
    event.type = automation.event_type;
    event.subject.team_id = run_.team_id;
    event.subject.project_id = run_.project_id;
    event.subject.run_id = run_.run_id;
    event.author_id = run_.owner_id;
    event.author = run_.owner;
    event.data = dataText({.automation_id = automation.id,
                           .team = run_.entity,
                           .project = run_.project,
                           .run_id = run_.run_id,
                           .run_name = run_.name,
                           .run_state = "RUNNING",
                           .metric = std::string(key),
                           .finding = finding});
    TRY(outbox_.append(session_, event));
    ++raised_;
    return {};
  }

  Result<std::int64_t> finish() {
    for (const auto& [key, tail] : tails_) {
      TRY(session_.execute(
          "INSERT INTO metric_windows (project_id, run_id, metric, tail) VALUES (?, ?, ?, ?) "
          "ON CONFLICT (project_id, run_id, metric) DO UPDATE SET tail = excluded.tail",
          {run_.project_id, run_.run_id, key, tailText(tail)}));
    }
    return raised_;
  }

 private:
  Result<std::optional<Timestamp>*> lastFiring(const std::string& automation_id) {
    const auto known = fired_.find(automation_id);
    if (known != fired_.end()) return &known->second;
    const std::optional<Row> row = TRY(session_.queryOne(
        "SELECT fired_at FROM run_silences WHERE project_id = ? AND run_id = ? AND "
        "automation_id = ? AND state = ''",
        {run_.project_id, run_.run_id, automation_id}));
    std::optional<Timestamp> when;
    if (row.has_value()) when = row->time("fired_at");
    return &fired_.emplace(automation_id, when).first->second;
  }

  Session& session_;
  const events::Outbox& outbox_;
  const runs::ObservedRun& run_;
  std::map<std::string, std::vector<double>, std::less<>> tails_;
  std::map<std::string, std::optional<Timestamp>> fired_;
  std::int64_t raised_ = 0;
};

}  // namespace

Result<std::shared_ptr<const RunMetricEvaluator::Watches>> RunMetricEvaluator::current(
    Session& session) {
  const std::optional<Row> state =
      TRY(session.queryOne("SELECT generation FROM delivery_state WHERE id = 1"));
  const std::int64_t generation = state->integer("generation");
  {
    const MutexLock lock(mutex_);
    if (known_ && known_->generation == generation) return known_;
  }
  std::vector<EnabledAutomation> enabled = TRY(enabledAutomations(session));
  auto fresh = std::make_shared<Watches>();
  fresh->generation = generation;
  for (EnabledAutomation& automation : enabled) {
    if (!watchesMetrics(automation.event_type) || !automation.event.metric) continue;
    fresh->all.emplace_back(std::move(automation));
  }
  const MutexLock lock(mutex_);
  known_ = std::move(fresh);
  return known_;
}

bool RunMetricEvaluator::watches(std::string_view team_id, std::string_view project_id) {
  const Result<bool> watched = database_.read([&](Session& session) -> Result<bool> {
    const std::shared_ptr<const Watches> watches = TRY(current(session));
    events::Subject subject;
    subject.team_id = team_id;
    subject.project_id = project_id;
    const std::vector<Watch>& all = watches->all;
    return std::any_of(all.begin(), all.end(),
                       [&](const Watch& watch) { return covers(watch.automation.scope, subject); });
  });
  // After an error, return true: observe() will meet the same error and report it.
  return !watched || *watched;
}

Result<std::int64_t> RunMetricEvaluator::observe(Session& session,
                                                 const runs::ObservedRun& run,
                                                 const std::vector<runs::ObservedRow>& rows) {
  const std::shared_ptr<const Watches> watches = TRY(current(session));
  std::vector<const Watch*> wanting;
  for (const Watch& watch : watches->all) {
    if (watch.wants(run)) wanting.push_back(&watch);
  }
  if (wanting.empty()) return 0;
  Observation observation(session, outbox_, run);
  for (const runs::ObservedRow& row : rows) {
    for (const runs::MetricValue& metric : row.metrics) {
      std::vector<const Watch*> concerned;
      std::size_t needed = 0;
      for (const Watch* watch : wanting) {
        if (!watch->names(metric.key)) continue;
        concerned.push_back(watch);
        needed = std::max(needed, watch->needed());
      }
      if (concerned.empty()) continue;
      const std::vector<double>* tail = TRY(observation.add(metric.key, metric.value, needed));
      for (const Watch* watch : concerned) {
        const std::optional<MetricFinding> finding =
            evaluate(watch->automation.event_type, watch->metric(), *tail);
        if (!finding) continue;
        TRY(observation.fire(watch->automation, metric.key, *finding, row.time));
      }
    }
  }
  return observation.finish();
}

Result<void> RunMetricEvaluator::forget(Session& session,
                                        std::string_view project_id,
                                        std::string_view run_id) {
  for (const SqlView statement :
       {SqlView("DELETE FROM metric_windows WHERE project_id = ? AND run_id = ?"),
        SqlView("DELETE FROM run_silences WHERE project_id = ? AND run_id = ?")}) {
    TRY(session.execute(statement, {project_id, run_id}));
  }
  return {};
}

}  // namespace spindle::automation
