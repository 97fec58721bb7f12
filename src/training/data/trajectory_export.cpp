#include "training/data/trajectory_export.h"

#include <algorithm>
#include <utility>

#include "base/crypto/crypto.h"
#include "tracing/store/call_store.h"
#include "training/data/reward.h"
#include "wire/spelling.h"

namespace spindle::training {
namespace {

using tracing::Call;
using tracing::CallColumn;

const std::vector<CallColumn>& columns() {
  static const std::vector<CallColumn> wanted = {
      CallColumn::kId,     CallColumn::kTraceId,    CallColumn::kThreadId,
      CallColumn::kOpName, CallColumn::kException,  CallColumn::kInputs,
      CallColumn::kOutput, CallColumn::kAttributes, CallColumn::kSummary};
  return wanted;
}

/// Returns the payload that the first step of a path names, and the rest of the path.
std::pair<std::optional<std::string>, std::string_view> payloadOf(const Call& call,
                                                                  std::string_view path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view name = path.substr(0, dot);
  const std::string_view rest = path.substr(std::min(dot + 1, path.size()));
  if (name == "output") return {call.output, rest};
  if (name == "summary") return {call.summary, rest};
  if (name == "attributes") return {call.attributes, rest};
  if (name == "inputs") return {call.inputs, rest};
  return {std::nullopt, rest};
}

/// Returns the key of the trajectory's group.
std::string groupOf(const ChatRow& row,
                    const std::string& trace_id,
                    const std::string& thread_id,
                    GroupKey by) {
  switch (by) {
    case GroupKey::kTrace:
      return trace_id;
    case GroupKey::kThread:
      return thread_id.empty() ? trace_id : thread_id;
    case GroupKey::kInput:
      break;
  }
  return toHex(sha256(promptOf(row) + "\n" + row.tools.value_or("")));
}

/// Returns the reward of an answer. One reward applies to all answers; otherwise there must be one
/// per answer.
std::optional<double> rewardOf(const std::vector<double>& rewards,
                               std::size_t answer,
                               std::size_t answers) {
  if (rewards.size() == 1) return rewards.front();
  if (rewards.size() != answers) return std::nullopt;
  return rewards[answer];
}

/// Returns the attribute key in a path, without the name of its map.
std::string attributeOf(std::string_view path) {
  for (const std::string_view prefix :
       {"attributes.", "custom_attrs_float.", "custom_attrs_int.", "custom_attrs_bool."}) {
    if (path.starts_with(prefix)) return std::string(path.substr(prefix.size()));
  }
  return {};
}

std::size_t payloadBytes(const Call& call) {
  return (call.inputs ? call.inputs->size() : 0) + (call.output ? call.output->size() : 0);
}

std::size_t payloadBytes(const ChatRow& row) {
  std::size_t bytes = row.messages.size();
  for (const ChatAnswer& answer : row.answers) bytes += answer.message.size();
  return bytes;
}

std::vector<double> rewardsOfTrace(const AgentTrace& trace,
                                   const TrajectoryExportOptions& options) {
  if (!options.reward) return {};
  if (options.reward->feedback_type.empty()) {
    return trace.number ? std::vector<double>{*trace.number} : std::vector<double>();
  }
  for (const std::string& said : trace.feedback) {
    std::vector<double> rewards =
        feedbackNumbers(said, options.reward->feedback_type, options.reward->path);
    if (!rewards.empty()) return rewards;
  }
  return {};
}

}  // namespace

bool TrajectoryExport::charge(std::size_t bytes) {
  if (!limits_) return true;
  bytes_ += bytes;
  truncated_ = truncated_ || bytes_ > limits_->bytes ||
               std::chrono::steady_clock::now() - began_ > limits_->time;
  return !truncated_;
}

Result<std::optional<ChatRow>> TrajectoryExport::rowOf(const Call& call) {
  if (call.exception || !call.inputs || !call.output) return std::optional<ChatRow>();
  std::string inputs = *call.inputs;
  std::string output = *call.output;
  for (std::string* payload : {&inputs, &output}) {
    TRY(objects::externalizeRefs(*payload, parts_.projects, wire::Spelling::kNeutral));
  }
  return chatRowOf(inputs, output);
}

Result<TrajectoryExport::Rows> TrajectoryExport::rowsOfCalls(const std::vector<Call>& calls) {
  Rows rows;
  for (const Call& call : calls) {
    std::optional<ChatRow> row = TRY(rowOf(call));
    if (row) rows.insert_or_assign(call.id, *std::move(row));
  }
  return rows;
}

/// Returns the last answers in the traces of calls, by trace id.
Result<TrajectoryExport::Rows> TrajectoryExport::rowsOfTraces(const std::vector<Call>& calls) {
  Rows rows;
  tracing::CallQuery traces;
  std::unordered_set<std::string> asked;
  for (const Call& call : calls) {
    if (!done_.contains(call.trace_id)) asked.insert(call.trace_id);
  }
  if (asked.empty()) return rows;
  traces.filter.trace_ids.emplace(asked.begin(), asked.end());
  const std::unique_ptr<tracing::CallView> view = TRY(parts_.calls.view(project_));
  const std::unique_ptr<tracing::CallReader> reader = TRY(view->read(traces, {}, columns()));
  while (true) {
    const std::vector<Call> batch = TRY(reader->next());
    if (batch.empty()) return rows;
    // Calls come in order of start time: the last one contains the whole conversation.
    for (const Call& call : batch) {
      if (!charge(payloadBytes(call))) return rows;
      std::optional<ChatRow> row = TRY(rowOf(call));
      if (!row) continue;
      ChatRow& known = rows[call.trace_id];
      std::string first_prompt = row->messages;
      if (known.first_prompt && continues(first_prompt, *known.first_prompt))
        first_prompt = *std::move(known.first_prompt);
      known = *std::move(row);
      known.first_prompt = std::move(first_prompt);
    }
  }
}

Result<TrajectoryExport::Rewards> TrajectoryExport::rewardsOf(
    const std::vector<Call>& calls, const TrajectoryExportOptions& options) {
  Rewards rewards;
  if (!options.reward) return rewards;
  if (options.reward->feedback_type.empty()) {
    for (const Call& call : calls) {
      const auto [payload, rest] = payloadOf(call, options.reward->path);
      if (payload) rewards[call.id] = numbersAt(*payload, rest);
    }
    return rewards;
  }
  std::vector<std::string> ids;
  ids.reserve(calls.size());
  for (const Call& call : calls) ids.push_back(call.id);
  std::unordered_map<std::string, std::string> said = TRY(parts_.feedback(ids));
  for (auto& [id, list] : said) {
    rewards[id] =
        feedbackNumbers(std::move(list), options.reward->feedback_type, options.reward->path);
  }
  return rewards;
}

Result<void> TrajectoryExport::add(ChatRow row,
                                   const std::vector<double>& rewards,
                                   Origin origin,
                                   const TrajectoryExportOptions& options,
                                   TrajectorySink& sink) {
  // An SFT example needs one answer; use the first of several.
  const std::size_t answers = options.groups ? row.answers.size() : 1;
  Trajectory made;
  made.group = groupOf(row, origin.trace_id, origin.thread_id, options.group_by);
  made.notes = std::move(origin.notes);
  made.row = std::move(row);
  for (; made.answer < answers; ++made.answer) {
    const std::optional<double> reward = rewardOf(rewards, made.answer, made.row.answers.size());
    // Skip answers without a reward.
    if (options.reward && !reward) {
      ++excluded_.no_reward;
      continue;
    }
    ++rewarded_;
    made.reward = reward.value_or(0);
    if (limits_ && reward) rewards_.push_back(*reward);
    if (options.min_reward && made.reward < *options.min_reward) {
      ++excluded_.below_min_reward;
      continue;
    }
    TRY(sink.add(made));
  }
  return {};
}

Result<void> TrajectoryExport::take(const std::vector<Call>& calls,
                                    const TrajectoryExportOptions& options,
                                    TrajectorySink& sink) {
  Rows rows = TRY(options.traces ? rowsOfTraces(calls) : rowsOfCalls(calls));
  // Traces of which only a part was read would give other trajectories.
  if (options.traces && truncated_) return {};
  seen_ += static_cast<std::int64_t>(calls.size());
  Rewards rewards = TRY(rewardsOf(calls, options));
  for (const Call& call : calls) {
    if (done_.contains(call.trace_id)) {
      ++excluded_.repeated_trace;
      continue;
    }
    const auto row = rows.find(options.traces ? call.trace_id : call.id);
    if (row == rows.end()) {
      ++(call.exception ? excluded_.failed : excluded_.no_answer);
      continue;
    }
    ++answered_;
    const std::vector<double>& judged = rewards[call.id];
    if (options.reward && judged.empty()) {
      ++excluded_.no_reward;
      continue;
    }
    // The reward of a trace is that of its first call that has one.
    if (options.traces) done_.insert(call.trace_id);
    Origin origin{call.trace_id,
                  call.thread_id.value_or(""),
                  {{"call_id", call.id}, {"trace_id", call.trace_id}}};
    TRY(add(std::move(row->second), judged, std::move(origin), options, sink));
  }
  return {};
}

Result<void> TrajectoryExport::takeCalls(const TrajectoryExportOptions& options,
                                         TrajectorySink& sink) {
  const std::unique_ptr<tracing::CallView> view = TRY(parts_.calls.view(project_));
  tracing::CallPage page;
  page.limit = options.limit;
  const std::unique_ptr<tracing::CallReader> reader =
      TRY(view->read(options.selection, page, columns()));
  while (true) {
    const std::vector<Call> batch = TRY(reader->next());
    if (batch.empty() || truncated_) return {};
    std::size_t bytes = 0;
    for (const Call& call : batch) bytes += payloadBytes(call);
    // The batch is in memory already: use it, even if it is the last.
    const bool more = options.traces || charge(bytes);
    TRY(take(batch, options, sink));
    if (!more) return {};
  }
}

Result<void> TrajectoryExport::showRefs(ChatRow& row) {
  std::vector<std::string*> texts = {&row.messages};
  for (ChatAnswer& answer : row.answers) texts.push_back(&answer.message);
  for (std::string* text : texts) {
    TRY(objects::externalizeRefs(*text, parts_.projects, wire::Spelling::kNeutral));
  }
  return {};
}

Result<void> TrajectoryExport::takeTraces(const TrajectoryExportOptions& options,
                                          TrajectorySink& sink) {
  AgentTraceExportQuery wanted;
  wanted.query = options.agents;
  wanted.limit = options.limit;
  if (options.reward) {
    wanted.feedback = !options.reward->feedback_type.empty();
    if (!wanted.feedback) wanted.attribute = attributeOf(options.reward->path);
  }
  const std::unique_ptr<AgentTraceReader> reader = TRY(parts_.agents(project_, wanted));
  while (true) {
    std::vector<AgentTrace> batch = TRY(reader->next());
    if (batch.empty()) return {};
    if (!charge(0)) return {};
    for (AgentTrace& trace : batch) {
      ++seen_;
      if (!trace.row) {
        ++excluded_.no_answer;
        continue;
      }
      static_cast<void>(charge(payloadBytes(*trace.row)));
      ++answered_;
      const std::vector<double> rewards = rewardsOfTrace(trace, options);
      TRY(showRefs(*trace.row));
      Origin origin{trace.trace_id, trace.conversation_id, {{"trace_id", trace.trace_id}}};
      if (!trace.conversation_id.empty()) {
        origin.notes.emplace_back("conversation_id", trace.conversation_id);
      }
      TRY(add(*std::move(trace.row), rewards, std::move(origin), options, sink));
    }
  }
}

std::string TrajectoryExport::whyNothing(const TrajectoryExportOptions& options) const {
  const std::string seen = std::to_string(seen_);
  if (answered_ == 0) {
    return "None of the " + seen + (options.from_agents ? " traces has" : " calls is") +
           " an answer of a model";
  }
  std::string why =
      "Of " + seen + (options.from_agents ? " traces " : " calls ") + std::to_string(answered_) +
      (options.from_agents ? " have an answer of a model" : " are answers of a model");
  if (rewarded_ > 0) return why + ", but no reward is as high as min_reward";
  why += ", but none has a reward: a number at \"" + options.reward->path + "\"";
  const std::string& type = options.reward->feedback_type;
  return type.empty() ? why : why + " in feedback of type \"" + type + "\"";
}

Result<ExportPreview> TrajectoryExport::preview(TrajectoryExportOptions options,
                                                const PreviewLimits& limits) {
  limits_ = limits;
  began_ = std::chrono::steady_clock::now();
  ExportPreview preview{.content = TrajectoryPreview(options.groups, options.reward.has_value())};
  const std::int64_t wanted = options.limit;
  options.limit = std::min(options.limit, limits.calls);
  if (!options.from_agents) {
    const std::unique_ptr<tracing::CallView> view = TRY(parts_.calls.view(project_));
    const tracing::CallCount count = TRY(view->count(options.selection, limits.counted, false));
    preview.matching = count.count;
  }
  TRY(options.from_agents ? takeTraces(options, preview.content)
                          : takeCalls(options, preview.content));
  preview.seen = seen_;
  preview.truncated = truncated_ || (wanted > options.limit && seen_ == options.limit);
  preview.excluded = excluded_;
  preview.rewards = summarizeRewards(std::move(rewards_));
  return preview;
}

Result<Exported> TrajectoryExport::run(const registry::Place& place,
                                       const registry::Actor& actor,
                                       const TrajectoryExportOptions& options) {
  TrajectorySpool spool = TRY(TrajectorySpool::open(parts_.files, options.groups));
  TRY(options.from_agents ? takeTraces(options, spool) : takeCalls(options, spool));
  if (spool.trajectories() == 0) return Error::invalidArgument(whyNothing(options));
  registry::Version version =
      TRY(spool.publish(parts_.writer, place, actor, options.name, project_.name));
  return Exported{std::move(version), seen_, spool.trajectories(), spool.lines()};
}

}  // namespace spindle::training
