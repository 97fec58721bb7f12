#include "inference/usage/completion_call.h"

#include <algorithm>
#include <variant>

#include "inference/usage/streamed_completion.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::inference {
namespace {

struct TraceParent {
  std::string trace_id;
  std::string span_id;
};

bool isHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool isZero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

/// Parses a `traceparent` header of W3C Trace Context: `00-<32 hex>-<16 hex>-<flags>`. Returns
/// nothing if it is invalid.
std::optional<TraceParent> traceParentOf(std::string_view header) {
  constexpr std::size_t kLength = 55;
  if (header.size() < kLength || header[2] != '-' || header[35] != '-' || header[52] != '-')
    return std::nullopt;
  const std::string_view version = header.substr(0, 2);
  const std::string_view trace = header.substr(3, 32);
  const std::string_view span = header.substr(36, 16);
  const bool is_known =
      isHex(version) && version != "ff" && (version != "00" || header.size() == kLength);
  if (!is_known || !isHex(trace) || !isHex(span) || isZero(trace) || isZero(span))
    return std::nullopt;
  return TraceParent{std::string(trace), std::string(span)};
}

std::string attributesOf(const TracedCompletion& completion) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("gateway").beginObject();
  out.key("request_id").string(completion.request_id);
  out.key("upstream").string(completion.upstream);
  out.key("streamed").boolean(completion.streamed);
  if (completion.cut) out.key("output_cut").boolean(true);
  out.endObject().endObject();
  return text;
}

std::string summaryOf(const TracedCompletion& completion) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  if (completion.tokens) {
    const TokenUsage& tokens = *completion.tokens;
    out.key("usage").beginObject().key(completion.model).beginObject();
    out.key("requests").integer(1);
    out.key("prompt_tokens").integer(tokens.prompt);
    out.key("completion_tokens").integer(tokens.completion);
    out.key("total_tokens").integer(tokens.prompt + tokens.completion);
    if (tokens.cached > 0) out.key("cache_read_input_tokens").integer(tokens.cached);
    if (tokens.reasoning > 0) out.key("reasoning_tokens").integer(tokens.reasoning);
    out.endObject().endObject();
  }
  out.endObject();
  return text;
}

/// Returns nothing if there is no response or it is not JSON.
std::optional<json::Text> outputOf(const TracedCompletion& completion) {
  if (completion.answer.empty()) return std::nullopt;
  if (completion.streamed) return json::Text{assembleCompletion(completion.answer)};
  const auto parsed = json::Document::parse(completion.answer, json::kStoredDepth);
  if (!std::holds_alternative<json::Document>(parsed)) return std::nullopt;
  return json::Text{completion.answer};
}

}  // namespace

tracing::CompleteInput callOf(const TracedCompletion& completion) {
  tracing::CompleteInput call;
  call.project_id = completion.project;
  call.id = completion.id;
  call.trace_id = completion.id;
  if (std::optional<TraceParent> parent = traceParentOf(completion.traceparent)) {
    call.trace_id = std::move(parent->trace_id);
    call.parent_id = std::move(parent->span_id);
  }
  call.op_name = factsOf(completion.operation).call;
  call.started_at = completion.started_at;
  call.ended_at = completion.ended_at;
  call.attributes.json = attributesOf(completion);
  call.inputs.json = completion.request;
  call.output = outputOf(completion);
  call.summary.json = summaryOf(completion);
  if (!completion.failure.empty()) call.exception = completion.failure;
  return call;
}

}  // namespace spindle::inference
