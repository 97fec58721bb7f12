#include "inference/usage/completion_call.h"

#include <algorithm>
#include <variant>

#include "inference/usage/streamed_completion.h"
#include "json/document.h"
#include "json/stored.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::inference {
namespace {

using schema::boolean, schema::integer, schema::nullable, schema::Record, schema::string;

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

/// The usage of a model in the summary of the call, with the names that SDKs use.
struct ModelUsage {
  std::int64_t requests = 1;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t total_tokens = 0;
  std::optional<std::int64_t> cache_read_input_tokens = {};
  std::optional<std::int64_t> reasoning_tokens = {};
};

/// The attribute `gateway` of the call.
schema::Codec<TracedCompletion> gatewayCodec() {
  using C = TracedCompletion;
  return Record<C>("GatewayAttributes")
      .required("request_id", &C::request_id, string(), "Id of the request.")
      .required("upstream", &C::upstream, string(), "Name of the upstream, or `engine`.")
      .required("streamed", &C::streamed, boolean(), "The response was streamed.")
      .required("output_cut", &C::output_cut, nullable(boolean()), "The output is incomplete.")
      .omitNull()
      .codec();
}

schema::Codec<ModelUsage> modelUsageCodec() {
  using U = ModelUsage;
  const auto part = nullable(integer());
  return Record<U>("ModelUsage")
      .required("requests", &U::requests, integer(), "1")
      .required("prompt_tokens", &U::prompt_tokens, integer(), "Including cached tokens.")
      .required("completion_tokens", &U::completion_tokens, integer(), "Including reasoning.")
      .required("total_tokens", &U::total_tokens, integer(), "Sum of both.")
      .required("cache_read_input_tokens", &U::cache_read_input_tokens, part, "Cached tokens.")
      .omitNull()
      .required("reasoning_tokens", &U::reasoning_tokens, part, "Tokens of the reasoning.")
      .omitNull()
      .codec();
}

std::string attributesOf(const TracedCompletion& completion) {
  static const auto codec = gatewayCodec();
  return R"({"gateway":)" + codec.toJson(completion) + "}";
}

std::string summaryOf(const TracedCompletion& completion) {
  if (!completion.tokens) return "{}";
  static const auto codec = schema::map(modelUsageCodec());
  const TokenUsage& tokens = *completion.tokens;
  ModelUsage usage{.prompt_tokens = tokens.prompt,
                   .completion_tokens = tokens.completion,
                   .total_tokens = tokens.prompt + tokens.completion};
  if (tokens.cached > 0) usage.cache_read_input_tokens = tokens.cached;
  if (tokens.reasoning > 0) usage.reasoning_tokens = tokens.reasoning;
  return R"({"usage":)" + codec.toJson({{completion.model, usage}}) + "}";
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
