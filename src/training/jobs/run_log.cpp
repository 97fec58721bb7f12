#include "training/jobs/run_log.h"

#include <utility>

#include "base/core/log.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "runs/history_repository.h"
#include "runs/run_repository.h"
#include "training/jobs/checkpoint_json.h"
#include "training/jobs/job_config_json.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/sft_summary.h"

namespace spindle::training {
namespace {

constexpr Logger kLog("training");
constexpr std::int64_t kRowsOfAppend = 1000;
constexpr std::string_view kJobKey = "training_job";
constexpr std::string_view kSequenceKey = "training_sequence";

constexpr std::string_view kSftPrefix = "sft/";
constexpr std::string_view kGradientStep = "gradient_step";
constexpr std::string_view kTrainingStep = "training_step";
/// Metrics with this prefix have their own step axis.
constexpr std::string_view kMetricRules = R"({"sft/*":{"step_metric":"sft/gradient_step"}})";

/// Returns the last event of the job in the run; empty if the run's last rows belong to another
/// job.
std::optional<std::int64_t> lastSequenceIn(std::string summary, const std::string& job_id) {
  const auto parsed = json::Document::parse(std::move(summary), json::kStoredDepth);
  const auto* const document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  const std::optional<json::Node> job = document->root().find(kJobKey);
  const std::optional<json::Node> sequence = document->root().find(kSequenceKey);
  if (!job || !job->isString() || !job->textEquals(job_id)) return std::nullopt;
  if (!sequence || !sequence->isNumber()) return std::nullopt;
  return static_cast<std::int64_t>(sequence->number());
}

MetricLogging loggingOf(const Job& job) {
  return job.kind == JobKind::kSft ? metricLoggingOf(job.config) : MetricLogging();
}

/// Returns a row. `sequence`: the last event of the job that the run then contains.
runs::NewRow rowOf(const Job& job,
                   std::int64_t sequence,
                   const Metrics& metrics,
                   std::string_view prefix) {
  runs::NewRow row;
  row.metrics.clear();
  json::Writer out(row.metrics);
  out.beginObject();
  for (const auto& [name, value] : metrics) out.key(std::string(prefix) + name).number(value);
  out.key(kJobKey).string(job.id).key(kSequenceKey).integer(sequence).endObject();
  return row;
}

runs::NewRow stepRow(const Job& job, const JobEvent& event, bool is_prefixed) {
  Metrics metrics = metricsOf(event.data);
  if (!is_prefixed) return rowOf(job, event.sequence, metrics, "");
  // The first event is the start.
  metrics = mergedMetrics({{std::string(kGradientStep), static_cast<double>(event.sequence - 1)}},
                          metrics);
  return rowOf(job, event.sequence, metrics, kSftPrefix);
}

void logFailure(std::string_view what, const Error& error) {
  kLog.warning("run_not_kept", {{"while", what}, {"reason", error.message()}});
}

}  // namespace

Result<std::string> RunLog::create(const Model& model) {
  runs::NewRun fresh;
  fresh.name = model.name;
  fresh.config = runConfig(model);
  fresh.job_type = "train";
  fresh.metric_rules = kMetricRules;
  fresh.pending = true;
  const runs::RunRepository::Started started = TRY(runs_.start(model.place, model.creator, fresh));
  return started.run.run_id;
}

Result<bool> RunLog::remove(const registry::Place& place, const std::string& run_id) {
  const Result<void> removed = runs_.remove({place.project_id, run_id});
  if (removed) return true;
  if (removed.error().code() == ErrorCode::kNotFound) return false;
  return removed.error();
}

Result<void> RunLog::resume(const registry::Place& place,
                            const registry::Actor& actor,
                            const std::string& run_id) {
  runs::NewRun again;
  again.run_id = run_id;
  again.resume = runs::Resume::kMust;
  TRY(runs_.start(place, actor, again));
  return {};
}

void RunLog::begin(const Job& job) {
  if (!job.run_id) return;
  const Result<void> resumed = resume(job.place, job.creator, *job.run_id);
  if (!resumed) logFailure("begin", resumed.error());
}

void RunLog::beat(const Job& job) {
  if (!job.run_id) return;
  const Result<bool> beaten = runs_.beat(job.place, *job.run_id);
  if (!beaten && beaten.error().code() != ErrorCode::kConflict) logFailure("beat", beaten.error());
}

Result<void> RunLog::append(const registry::Place& place,
                            const std::string& run_id,
                            std::vector<runs::NewRow> rows) {
  TRY(history_.append(place, run_id, runs::Stream::kHistory,
                      {.offset = {}, .rows = std::move(rows)}));
  return {};
}

Result<void> RunLog::appendOf(const Job& job, const std::vector<runs::NewRow>& rows) {
  Result<void> appended = append(job.place, *job.run_id, rows);
  if (!appended && appended.error().reason() == "run_not_active") {
    appended = resume(job.place, job.creator, *job.run_id);
    if (appended) appended = append(job.place, *job.run_id, rows);
  }
  return appended;
}

void RunLog::follow(const Job& job) {
  if (!job.run_id) return;
  const bool is_prefixed = loggingOf(job).enabled;
  while (true) {
    const Result<runs::Run> run = runs_.find({job.place.project_id, *job.run_id});
    if (!run) return logFailure("follow", run.error());
    const std::int64_t mark = lastSequenceIn(run->summary, job.id).value_or(0);
    const Result<std::vector<JobEvent>> steps = jobs_.stepsAfter(job.id, mark, kRowsOfAppend);
    if (!steps) return logFailure("follow", steps.error());
    if (steps->empty()) return;
    std::vector<runs::NewRow> rows;
    for (const JobEvent& step : *steps) rows.push_back(stepRow(job, step, is_prefixed));
    const Result<void> appended = appendOf(job, rows);
    if (!appended) return logFailure("follow", appended.error());
    if (static_cast<std::int64_t>(steps->size()) < kRowsOfAppend) return;
  }
}

Result<void> RunLog::summarize(const Job& job) {
  const MetricLogging logging = loggingOf(job);
  if (!logging.enabled || job.status != JobStatus::kCompleted) return {};
  const runs::Run run = TRY(runs_.find({job.place.project_id, *job.run_id}));
  // The summary row comes after all events of the job.
  const std::int64_t mark = job.last_sequence + 1;
  if (lastSequenceIn(run.summary, job.id) == mark) return {};
  SftSummary summary;
  for (std::int64_t sequence = 0;;) {
    const std::vector<JobEvent> steps = TRY(jobs_.stepsAfter(job.id, sequence, kRowsOfAppend));
    if (steps.empty()) break;
    for (const JobEvent& step : steps) summary.add(metricsOf(step.data));
    sequence = steps.back().sequence;
  }
  Metrics metrics = summary.metrics();
  const std::int64_t step = logging.target_step.value_or(job.step.value_or(0));
  metrics.emplace_back(kTrainingStep, static_cast<double>(step));
  return appendOf(job, {rowOf(job, mark, metrics, "")});
}

void RunLog::repeatEnd(const Job& job) {
  if (!job.run_id) return;
  const Result<runs::Run> run = runs_.find({job.place.project_id, *job.run_id});
  if (!run) return logFailure("end", run.error());
  // The run may already belong to the model's next job.
  if (run->state == runs::RunState::kRunning && lastSequenceIn(run->summary, job.id)) end(job);
}

void RunLog::end(const Job& job) {
  if (!job.run_id) return;
  follow(job);
  if (const Result<void> done = summarize(job); !done) logFailure("summarize", done.error());
  runs::RunEnd how;
  how.exit_code = job.status == JobStatus::kCompleted ? 0 : 1;
  const Result<runs::Run> ended = runs_.finish(job.place, *job.run_id, how);
  if (!ended && ended.error().code() != ErrorCode::kConflict) logFailure("end", ended.error());
}

void RunLog::add(const Model& model, const Metrics& metrics) {
  if (!model.run_id) return;
  runs::NewRow row;
  row.metrics = metricsJson(metrics);
  Result<void> appended = append(model.place, *model.run_id, {row});
  if (!appended && appended.error().reason() == "run_not_active") {
    appended = resume(model.place, model.creator, *model.run_id);
    if (appended) appended = append(model.place, *model.run_id, {row});
  }
  if (!appended) return logFailure("log", appended.error());
  // Nothing sends heartbeats between jobs: a run left running would be reported as crashed.
  const Result<identity::Page<Job>> running =
      jobs_.list({.model_id = model.id, .status = JobStatus::kRunning}, {.limit = 1, .after = {}});
  if (!running || !running->items.empty()) return;
  const Result<runs::Run> ended = runs_.finish(model.place, *model.run_id, runs::RunEnd{});
  if (!ended && ended.error().code() != ErrorCode::kConflict) logFailure("log", ended.error());
}

}  // namespace spindle::training
