#include "tracing/calls/call_merge.h"

#include <utility>

namespace spindle::tracing {
namespace {

template <class T>
void keepFirst(std::optional<T>& known, std::optional<T> value) {
  if (!known) known = std::move(value);
}

template <class T>
void preferNew(std::optional<T>& known, std::optional<T> value) {
  if (value) known = std::move(value);
}

void rename(Call& call, std::optional<std::string> name) {
  if (!name) return;
  call.display_name = name->empty() ? std::nullopt : std::move(name);
}

/// Sets the dump together with its resource.
void setDump(Call& call, CallStart& start) {
  call.otel_dump = std::move(start.otel_dump);
  call.otel_resource.reset();
  if (call.otel_dump && start.otel_resource) call.otel_resource = start.otel_resource->digest;
}

void mergeStart(Call& call, CallStart start) {
  rename(call, std::move(start.display_name));
  if (call.presence == Presence::kVisible) {
    keepFirst(call.parent_id, std::move(start.parent_id));
    keepFirst(call.thread_id, std::move(start.thread_id));
    keepFirst(call.turn_id, std::move(start.turn_id));
    if (!call.otel_dump) setDump(call, start);
    keepFirst(call.run_id, std::move(start.run_id));
    keepFirst(call.run_step, start.run_step);
    return;
  }
  call.presence = Presence::kVisible;
  call.trace_id = std::move(start.trace_id);
  call.parent_id = std::move(start.parent_id);
  call.thread_id = std::move(start.thread_id);
  call.turn_id = std::move(start.turn_id);
  call.op_name = std::move(start.op_name);
  call.started_at = start.started_at;
  call.attributes = std::move(start.attributes);
  call.inputs = std::move(start.inputs);
  setDump(call, start);
  call.user_id = std::move(start.user_id);
  call.run_id = std::move(start.run_id);
  call.run_step = start.run_step;
  call.expire_at = start.expire_at;
  call.input_refs = std::move(start.input_refs);
  call.start_bytes = start.bytes;
}

void setUsage(Call& call, std::optional<ReportedUsage> usage) {
  call.usage_models.reset();
  call.usage_model.reset();
  call.usage_input.reset();
  call.usage_output.reset();
  call.usage_total.reset();
  call.usage_cache_read.reset();
  call.usage_cache_creation.reset();
  if (!usage) return;
  call.usage_models = usage->models;
  if (usage->models != 1) return;
  call.usage_model = std::move(usage->model);
  call.usage_input = usage->input;
  call.usage_output = usage->output;
  call.usage_total = usage->total;
  call.usage_cache_read = usage->cache_read;
  call.usage_cache_creation = usage->cache_creation;
}

void mergeEnd(Call& call, CallEnd end) {
  call.ended_at = end.ended_at;
  preferNew(call.exception, std::move(end.exception));
  if (end.output) {
    call.output = std::move(end.output);
    call.output_refs = std::move(end.output_refs);
    call.output_bytes = end.output_bytes;
  } else if (!call.output) {
    call.output_bytes = end.output_bytes;
  }
  call.summary = std::move(end.summary);
  call.summary_bytes = end.summary_bytes;
  call.descendant_errors = end.descendant_errors;
  setUsage(call, std::move(end.usage));
  preferNew(call.run_step_end, end.run_step_end);
}

}  // namespace

Result<void> mergePart(Call& call, CallPart part) {
  if (auto* end = std::get_if<CallEnd>(&part);
      end != nullptr && end->start_required && call.presence != Presence::kVisible) {
    return Error::notFound("no start found");
  }
  if (call.presence == Presence::kDeleted) return {};
  if (auto* start = std::get_if<CallStart>(&part)) {
    mergeStart(call, std::move(*start));
  } else if (auto* end = std::get_if<CallEnd>(&part)) {
    mergeEnd(call, std::move(*end));
  } else if (auto* complete = std::get_if<CallComplete>(&part)) {
    Call whole;
    whole.id = std::move(call.id);
    whole.display_name = std::move(call.display_name);
    mergeStart(whole, std::move(complete->start));
    mergeEnd(whole, std::move(complete->end));
    call = std::move(whole);
  } else if (auto* naming = std::get_if<CallRename>(&part)) {
    rename(call, std::move(naming->display_name));
  } else {
    Call tombstone;
    tombstone.id = std::move(call.id);
    tombstone.presence = Presence::kDeleted;
    // Kept so that retention can delete the tombstone together with calls of the same time.
    tombstone.started_at = call.started_at;
    tombstone.expire_at = call.expire_at;
    call = std::move(tombstone);
  }
  return {};
}

}  // namespace spindle::tracing
