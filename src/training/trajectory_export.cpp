#include "training/trajectory_export.h"

#include <utility>

#include "base/crypto.h"
#include "tracing/call_store.h"
#include "training/metrics_json.h"
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

std::string keyOf(const Call& call, const ChatRow& row, GroupKey by) {
  switch (by) {
    case GroupKey::kTrace:
      return call.trace_id;
    case GroupKey::kThread:
      return call.thread_id.value_or(call.trace_id);
    case GroupKey::kInput:
      break;
  }
  return toHex(sha256(row.messages + "\n" + row.tools.value_or("")));
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
    const std::optional<std::string> payload =
        feedbackPayload(std::move(list), wish.reward->feedback_type);
    if (!payload) continue;
    if (const auto reward = numberAt(*payload, wish.reward->path)) rewards[id] = *reward;
  }
  return rewards;
}

Result<void> TrajectoryExport::takeRow(const Call& call,
                                       const ChatRow& row,
                                       std::optional<double> reward,
                                       const ExportWish& wish) {
  std::string text;
  if (wish.groups) {
    text = trajectoryJson(row, reward.value_or(0),
                          {{"call_id", call.id}, {"trace_id", call.trace_id}});
    const auto [known, fresh] = group_of_.emplace(keyOf(call, row, wish.group_by), groups_.size());
    if (fresh) groups_.emplace_back();
    groups_[known->second].trajectories.push_back({written_, text.size()});
  } else {
    text = exampleLine(row) + "\n";
  }
  written_ += text.size();
  ++trajectories_;
  return lines_->add(text);
}

Result<void> TrajectoryExport::take(const std::vector<Call>& calls, const ExportWish& wish) {
  const Result<std::unordered_map<std::string, ChatRow>> rows = rowsOf(calls, wish);
  if (!rows) return rows.error();
  const Result<std::unordered_map<std::string, double>> rewards = rewardsOf(calls, wish);
  if (!rewards) return rewards.error();
  for (const Call& call : calls) {
    const auto row = rows->find(call.id);
    if (row == rows->end()) continue;
    const auto found = rewards->find(call.id);
    const std::optional<double> reward =
        found == rewards->end() ? std::nullopt : std::optional(found->second);
    // What was never judged teaches nothing about rewards.
    if (wish.reward && !reward) continue;
    if (wish.min_reward && reward.value_or(0) < *wish.min_reward) continue;
    if (Result<void> taken = takeRow(call, row->second, reward, wish); !taken) return taken;
  }
  return {};
}

/// The trajectories of the spool, gathered into groups, a line each.
Result<KeptFile> TrajectoryExport::groupLines(const KeptFile& spool) {
  Result<registry::BlobContent> content = parts_.files.open(spool.blob);
  if (!content) return std::move(content).error();
  Result<std::unique_ptr<FileIntake>> lines = parts_.files.receive();
  if (!lines) return std::move(lines).error();
  for (const Group& group : groups_) {
    std::string_view before = R"({"trajectories":[)";
    for (const Spooled& spooled : group.trajectories) {
      Result<void> added = (*lines)->add(before);
      before = ",";
      for (std::size_t done = 0; added && done < spooled.size;) {
        const Result<std::string> piece = content->read(spooled.offset + done, spooled.size - done);
        if (!piece) return piece.error();
        if (piece->empty()) return Error::unavailable("A file ends too early.");
        done += piece->size();
        added = (*lines)->add(*piece);
      }
      if (!added) return std::move(added).error();
    }
    if (Result<void> added = (*lines)->add("]}\n"); !added) return std::move(added).error();
  }
  return (*lines)->finish();
}

Result<Exported> TrajectoryExport::run(const registry::Place& place,
                                       const registry::Actor& actor,
                                       const ExportWish& wish) {
  Result<std::unique_ptr<FileIntake>> intake = parts_.files.receive();
  if (!intake) return std::move(intake).error();
  lines_ = *std::move(intake);
  const Result<std::unique_ptr<tracing::CallView>> view = parts_.calls.view(project_);
  if (!view) return view.error();
  tracing::CallPage page;
  page.limit = wish.limit;
  const Result<std::unique_ptr<tracing::CallReader>> reader =
      (*view)->read(wish.selection, page, columns());
  if (!reader) return reader.error();
  Exported exported;
  while (true) {
    const Result<std::vector<Call>> batch = (*reader)->next();
    if (!batch) return batch.error();
    if (batch->empty()) break;
    exported.calls += static_cast<std::int64_t>(batch->size());
    if (Result<void> taken = take(*batch, wish); !taken) return std::move(taken).error();
  }
  if (trajectories_ == 0) {
    return Error::invalidArgument("None of the " + std::to_string(exported.calls) +
                                  " calls is an answer of a model" +
                                  (wish.reward ? " with that reward" : ""));
  }
  Result<KeptFile> kept = lines_->finish();
  if (kept && wish.groups) kept = groupLines(*kept);
  if (!kept) return std::move(kept).error();
  exported.trajectories = trajectories_;
  exported.lines = wish.groups ? static_cast<std::int64_t>(groups_.size()) : trajectories_;
  registry::NewVersion fresh;
  fresh.collection = wish.name;
  fresh.type = "dataset";
  fresh.metadata = exportMetadata(
      {wish.groups ? "rl" : "sft", exported.trajectories, exported.lines, project_.name});
  const std::vector<ArtifactFile> files = {
      {"trajectories.jsonl", kept->md5, kept->size,
       [this, blob = kept->blob](const ByteSink& sink) -> Result<void> {
         Result<registry::BlobContent> content = parts_.files.open(blob);
         if (!content) return std::move(content).error();
         return copyTo(*content, sink);
       }},
      fileOf("metadata.json", fresh.metadata)};
  Result<registry::Version> version = parts_.writer.write(place, actor, fresh, files);
  if (!version) return std::move(version).error();
  exported.version = *std::move(version);
  return exported;
}

}  // namespace spindle::training
