#include "training/trajectory_export.h"

#include <utility>

#include "base/crypto.h"
#include "tracing/call_store.h"
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

/// The payload that a path begins with, and the rest of the path.
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

/// What makes it one of a group.
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
  return toHex(sha256(row.messages + "\n" + row.tools.value_or("")));
}

/// What was never judged teaches nothing about rewards.
bool isWanted(const ExportWish& wish, std::optional<double> reward) {
  if (wish.reward && !reward) return false;
  return !wish.min_reward || reward.value_or(0) >= *wish.min_reward;
}

/// The attribute that a path means: its key, in whatever map of its kind.
std::string attributeOf(std::string_view path) {
  for (const std::string_view prefix :
       {"attributes.", "custom_attrs_float.", "custom_attrs_int.", "custom_attrs_bool."}) {
    if (path.starts_with(prefix)) return std::string(path.substr(prefix.size()));
  }
  return {};
}

std::optional<double> rewardOf(const AgentTrace& trace, const ExportWish& wish) {
  if (!wish.reward) return std::nullopt;
  if (wish.reward->feedback_type.empty()) return trace.number;
  for (const std::string& said : trace.feedback) {
    const std::optional<double> reward =
        feedbackNumber(said, wish.reward->feedback_type, wish.reward->path);
    if (reward) return reward;
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<ChatRow>> TrajectoryExport::rowOf(const Call& call) {
  if (call.exception || !call.inputs || !call.output) return std::optional<ChatRow>();
  std::string inputs = *call.inputs;
  std::string output = *call.output;
  for (std::string* payload : {&inputs, &output}) {
    Result<void> shown =
        objects::externalizeRefs(*payload, parts_.projects, wire::Spelling::kNeutral);
    if (!shown) return std::move(shown).error();
  }
  return chatRowOf(inputs, output);
}

/// The answers that calls stand for, by the ids of the calls.
Result<std::unordered_map<std::string, ChatRow>> TrajectoryExport::rowsOf(
    const std::vector<Call>& calls, const ExportWish& wish) {
  std::unordered_map<std::string, ChatRow> rows;
  if (!wish.traces) {
    for (const Call& call : calls) {
      Result<std::optional<ChatRow>> row = rowOf(call);
      if (!row) return std::move(row).error();
      if (*row) rows.insert_or_assign(call.id, **std::move(row));
    }
    return rows;
  }
  tracing::CallSelection traces;
  traces.filter.trace_ids.emplace();
  std::unordered_map<std::string, std::vector<std::string>> asked;
  for (const Call& call : calls) {
    std::vector<std::string>& ids = asked[call.trace_id];
    if (ids.empty()) traces.filter.trace_ids->push_back(call.trace_id);
    ids.push_back(call.id);
  }
  const Result<std::unique_ptr<tracing::CallView>> view = parts_.calls.view(project_);
  if (!view) return view.error();
  const Result<std::unique_ptr<tracing::CallReader>> reader = (*view)->read(traces, {}, columns());
  if (!reader) return reader.error();
  while (true) {
    const Result<std::vector<Call>> batch = (*reader)->next();
    if (!batch) return batch.error();
    if (batch->empty()) return rows;
    // In the order of their starts: the last one has the whole conversation.
    for (const Call& call : *batch) {
      Result<std::optional<ChatRow>> row = rowOf(call);
      if (!row) return std::move(row).error();
      if (!*row) continue;
      for (const std::string& id : asked[call.trace_id]) rows.insert_or_assign(id, **row);
    }
  }
}

Result<std::unordered_map<std::string, double>> TrajectoryExport::rewardsOf(
    const std::vector<Call>& calls, const ExportWish& wish) {
  std::unordered_map<std::string, double> rewards;
  if (!wish.reward) return rewards;
  if (wish.reward->feedback_type.empty()) {
    for (const Call& call : calls) {
      const auto [payload, rest] = payloadOf(call, wish.reward->path);
      if (!payload) continue;
      if (const std::optional<double> reward = numberAt(*payload, rest)) rewards[call.id] = *reward;
    }
    return rewards;
  }
  std::vector<std::string> ids;
  for (const Call& call : calls) ids.push_back(call.id);
  Result<std::unordered_map<std::string, std::string>> said = parts_.feedback(ids);
  if (!said) return std::move(said).error();
  for (auto& [id, list] : *said) {
    const std::optional<double> reward =
        feedbackNumber(std::move(list), wish.reward->feedback_type, wish.reward->path);
    if (reward) rewards[id] = *reward;
  }
  return rewards;
}

Result<void> TrajectoryExport::take(const std::vector<Call>& calls,
                                    const ExportWish& wish,
                                    TrajectorySpool& spool) {
  Result<std::unordered_map<std::string, ChatRow>> rows = rowsOf(calls, wish);
  if (!rows) return std::move(rows).error();
  const Result<std::unordered_map<std::string, double>> rewards = rewardsOf(calls, wish);
  if (!rewards) return rewards.error();
  for (const Call& call : calls) {
    const auto row = rows->find(call.id);
    if (row == rows->end()) continue;
    Trajectory made;
    if (const auto found = rewards->find(call.id); found != rewards->end()) {
      made.reward = found->second;
    }
    if (!isWanted(wish, made.reward)) continue;
    made.row = std::move(row->second);
    made.group = groupOf(made.row, call.trace_id, call.thread_id.value_or(""), wish.group_by);
    made.notes = {{"call_id", call.id}, {"trace_id", call.trace_id}};
    if (Result<void> added = spool.add(made); !added) return added;
  }
  return {};
}

Result<std::int64_t> TrajectoryExport::takeCalls(const ExportWish& wish, TrajectorySpool& spool) {
  const Result<std::unique_ptr<tracing::CallView>> view = parts_.calls.view(project_);
  if (!view) return view.error();
  tracing::CallPage page;
  page.limit = wish.limit;
  const Result<std::unique_ptr<tracing::CallReader>> reader =
      (*view)->read(wish.selection, page, columns());
  if (!reader) return reader.error();
  std::int64_t seen = 0;
  while (true) {
    const Result<std::vector<Call>> batch = (*reader)->next();
    if (!batch) return batch.error();
    if (batch->empty()) return seen;
    seen += static_cast<std::int64_t>(batch->size());
    if (Result<void> taken = take(*batch, wish, spool); !taken) return std::move(taken).error();
  }
}

Result<void> TrajectoryExport::showRefs(ChatRow& row) {
  for (std::string* text : {&row.messages, &row.answer}) {
    Result<void> shown = objects::externalizeRefs(*text, parts_.projects, wire::Spelling::kNeutral);
    if (!shown) return shown;
  }
  return {};
}

Result<std::int64_t> TrajectoryExport::takeTraces(const ExportWish& wish, TrajectorySpool& spool) {
  AgentTraceWish wanted;
  wanted.query = wish.agents;
  wanted.limit = wish.limit;
  if (wish.reward) {
    wanted.feedback = !wish.reward->feedback_type.empty();
    if (!wanted.feedback) wanted.attribute = attributeOf(wish.reward->path);
  }
  const Result<std::unique_ptr<AgentTraceReader>> reader = parts_.agents(project_, wanted);
  if (!reader) return reader.error();
  std::int64_t seen = 0;
  while (true) {
    Result<std::vector<AgentTrace>> batch = (*reader)->next();
    if (!batch) return std::move(batch).error();
    if (batch->empty()) return seen;
    seen += static_cast<std::int64_t>(batch->size());
    for (AgentTrace& trace : *batch) {
      Trajectory made;
      made.reward = rewardOf(trace, wish);
      if (!trace.row || !isWanted(wish, made.reward)) continue;
      made.row = *std::move(trace.row);
      if (Result<void> shown = showRefs(made.row); !shown) return std::move(shown).error();
      made.group = groupOf(made.row, trace.trace_id, trace.conversation_id, wish.group_by);
      made.notes = {{"trace_id", trace.trace_id}};
      if (!trace.conversation_id.empty()) {
        made.notes.emplace_back("conversation_id", trace.conversation_id);
      }
      if (Result<void> added = spool.add(made); !added) return std::move(added).error();
    }
  }
}

Result<Exported> TrajectoryExport::run(const registry::Place& place,
                                       const registry::Actor& actor,
                                       const ExportWish& wish) {
  Result<TrajectorySpool> spool = TrajectorySpool::open(parts_.files, wish.groups);
  if (!spool) return std::move(spool).error();
  const Result<std::int64_t> seen =
      wish.from_agents ? takeTraces(wish, *spool) : takeCalls(wish, *spool);
  if (!seen) return seen.error();
  if (spool->trajectories() == 0) {
    return Error::invalidArgument(
        "None of the " + std::to_string(*seen) + (wish.from_agents ? " traces has" : " calls is") +
        " an answer of a model" + (wish.reward ? " with that reward" : ""));
  }
  Result<registry::Version> version =
      spool->publish(parts_.writer, place, actor, wish.name, project_.name);
  if (!version) return std::move(version).error();
  return Exported{*std::move(version), *seen, spool->trajectories(), spool->lines()};
}

}  // namespace spindle::training
