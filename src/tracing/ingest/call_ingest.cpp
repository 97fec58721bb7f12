#include "tracing/ingest/call_ingest.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "base/core/utf8.h"
#include "base/crypto/id.h"
#include "json/document.h"
#include "json/stored.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

constexpr std::size_t kMaxOpName = 128;
constexpr std::size_t kMaxDisplayName = 1024;

bool isLowerCase(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool isCanonicalUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (hyphen ? c != '-' : !digit) return false;
  }
  return true;
}

/// Checks only the length and case of OpenTelemetry ids.
Result<void> checkId(std::string_view id, std::size_t otel_length) {
  if (isCanonicalUuid(id) || (id.size() == otel_length && isLowerCase(id))) return {};
  return Error::invalidArgument("Invalid UUID: " + std::string(id));
}

Result<void> checkTraceId(std::string_view id) { return checkId(id, 32); }

Result<void> checkLength(std::string_view text, std::size_t limit) {
  if (charactersIn(text) <= limit) return {};
  return Error::invalidArgument("String too long: " + std::string(text) + ". Max length is " +
                                std::to_string(limit));
}

Result<void> checkStep(const std::optional<std::int64_t>& step, std::string_view name) {
  if (!step || *step >= 0) return {};
  return Error::invalidArgument(std::string(name) + " must be greater than or equal to 0");
}

Result<std::string> toStoredOpName(std::string_view name, const PayloadPorts& ports) {
  if (wire::splitRef(name).scheme == wire::RefScheme::kNone) {
    TRY(checkLength(name, kMaxOpName));
    return std::string(wire::neutralOpName(name));
  }
  std::string internal = TRY(objects::internalRef(name, ports.projects));
  return objects::neutralRef(internal);
}

/// Prefixes a bare run name with the project of the call.
std::optional<std::string> qualifiedRun(std::optional<std::string> run, std::string_view project) {
  if (!run || run->empty()) return std::nullopt;
  if (run->find('/') != std::string::npos) return run;
  return std::string(project) + "/" + *run;
}

std::int64_t descendantErrors(const json::Node& summary) {
  const std::optional<json::Node> counts = summary.find("status_counts");
  if (!counts || !counts->isObject()) return 0;
  const std::optional<json::Node> errors = counts->find("error");
  if (!errors || !errors->isNumber()) return 0;
  return static_cast<std::int64_t>(errors->number());
}

/// Sets the members of an end that are copies of members of its summary.
void readSummary(std::string_view summary, CallEnd& end) {
  end.usage = ReportedUsage();
  if (summary.find("\"status_counts\"") == std::string_view::npos &&
      summary.find("\"usage\"") == std::string_view::npos)
    return;
  auto parsed = json::Document::parse(std::string(summary), json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return;
  end.descendant_errors = descendantErrors(document->root());
  end.usage = reportedUsage(document->root());
}

/// A payload of a row, and the sum that contains its size.
struct Measured {
  Payload* payload;
  std::int64_t bytes;
  std::int64_t* sum;
};

/// Replaces the largest payloads by a marker until the row fits.
void fitIntoRow(std::vector<Measured> payloads) {
  const auto total = [&payloads] {
    std::size_t sum = 0;
    for (const Measured& each : payloads) sum += each.payload->size();
    return sum;
  };
  while (total() > kMaxRowBytes) {
    Measured& largest = *std::max_element(
        payloads.begin(), payloads.end(),
        [](const Measured& a, const Measured& b) { return a.payload->size() < b.payload->size(); });
    *largest.payload = exceedsLimits();
    *largest.sum += kExceedsLimitsBytes - largest.bytes;
  }
}

Result<void> checkStart(const StartInput& input) {
  if (input.id) {
    TRY(checkCallId(*input.id));
  }
  if (input.parent_id) {
    TRY(checkCallId(*input.parent_id));
  }
  if (input.trace_id) {
    TRY(checkTraceId(*input.trace_id));
  }
  if (input.display_name) {
    TRY(checkDisplayName(*input.display_name));
  }
  return checkStep(input.svc_run_step, "svc_run_step");
}

/// A start and the sizes of its payloads.
struct MeasuredStart {
  CallStart start;
  std::int64_t attributes_bytes = 0;
  std::int64_t inputs_bytes = 0;

  std::vector<Measured> payloads() {
    return {{&start.attributes, attributes_bytes, &start.bytes},
            {&start.inputs, inputs_bytes, &start.bytes}};
  }
};

std::vector<Measured> payloadsOf(CallEnd& end) {
  std::vector<Measured> payloads = {{&end.summary, end.summary_bytes, &end.summary_bytes}};
  if (end.output) payloads.push_back({&*end.output, end.output_bytes, &end.output_bytes});
  return payloads;
}

/// Converts a start, except for the row size limit, which a complete call shares with its end.
Result<MeasuredStart> startOf(StartInput input, const IngestContext& intake) {
  TRY(checkStart(input));
  MeasuredStart taken;
  CallStart& start = taken.start;
  std::string op_name = TRY(toStoredOpName(input.op_name, intake.ports));
  StoredPayload attributes = TRY(storePayload(
      input.attributes.json, {.redact = true, .platform_members = true}, intake.ports));
  StoredPayload inputs =
      TRY(storePayload(input.inputs.json, {.redact = true, .extract_media = true}, intake.ports));
  taken.attributes_bytes = attributes.bytes;
  taken.inputs_bytes = inputs.bytes;
  start.bytes = attributes.bytes + inputs.bytes;
  if (input.otel_dump) {
    StoredPayload dump = TRY(storePayload(input.otel_dump->json, {.redact = true}, intake.ports));
    start.bytes += dump.bytes;
    start.otel_dump = std::move(dump.json);
  }
  start.id = input.id ? *std::move(input.id) : newUuid(intake.now);
  start.trace_id = input.trace_id ? *std::move(input.trace_id) : newUuid(intake.now);
  start.op_name = std::move(op_name);
  start.started_at = input.started_at;
  start.display_name = std::move(input.display_name);
  start.parent_id = std::move(input.parent_id);
  start.thread_id = std::move(input.thread_id);
  start.turn_id = std::move(input.turn_id);
  start.attributes = std::move(attributes.json);
  start.inputs = std::move(inputs.json);
  start.input_refs = std::move(inputs.refs);
  start.user_id = std::string(intake.user_id);
  start.run_id = qualifiedRun(std::move(input.svc_run_id), intake.project);
  start.run_step = input.svc_run_step;
  start.expire_at = expiryOf(input.started_at, intake.retention_days);
  return taken;
}

Result<CallEnd> endOf(std::string id, EndMembers input, const IngestContext& intake) {
  TRY(checkCallId(id));
  TRY(checkStep(input.svc_run_step_end, "svc_run_step_end"));
  CallEnd end;
  if (input.output && input.output->json != "null") {
    StoredPayload output =
        TRY(storePayload(input.output->json, {.extract_media = true}, intake.ports));
    end.output_bytes = output.bytes;
    end.output_refs = std::move(output.refs);
    end.output = std::move(output.json);
  } else {
    end.output_bytes = 4;  // the text `null`
  }
  StoredPayload summary =
      TRY(storePayload(input.summary.json, {.platform_members = true}, intake.ports));
  end.summary_bytes = summary.bytes;
  readSummary(summary.json, end);
  end.summary = std::move(summary.json);
  end.id = std::move(id);
  end.ended_at = input.ended_at;
  end.exception = std::move(input.exception);
  end.run_step_end = input.svc_run_step_end;
  return end;
}

}  // namespace

Result<void> checkCallId(std::string_view id) { return checkId(id, 16); }

Result<void> checkDisplayName(std::string_view name) { return checkLength(name, kMaxDisplayName); }

Result<CallStart> toCallStart(StartInput input, const IngestContext& intake) {
  MeasuredStart taken = TRY(startOf(std::move(input), intake));
  fitIntoRow(taken.payloads());
  return std::move(taken.start);
}

Result<CallEnd> toCallEnd(EndInput input, const IngestContext& intake) {
  std::string id = std::move(input.id);
  Result<CallEnd> end = endOf(std::move(id), std::move(input), intake);
  if (end) fitIntoRow(payloadsOf(*end));
  return end;
}

Result<CallComplete> toCallComplete(CompleteInput input, const IngestContext& intake) {
  std::string id = input.id.value_or("");
  EndMembers ending = std::move(static_cast<EndMembers&>(input));
  MeasuredStart taken = TRY(startOf(std::move(input), intake));
  CallEnd end = TRY(endOf(std::move(id), std::move(ending), intake));
  std::vector<Measured> payloads = taken.payloads();
  const std::vector<Measured> of_end = payloadsOf(end);
  payloads.insert(payloads.end(), of_end.begin(), of_end.end());
  fitIntoRow(std::move(payloads));
  return CallComplete{std::move(taken.start), std::move(end)};
}

}  // namespace spindle::tracing
