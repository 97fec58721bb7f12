#include "agents/ingest/span_to_call.h"

#include <array>
#include <cmath>
#include <utility>

#include "agents/ingest/op_placeholders.h"
#include "agents/store/conventions.h"
#include "base/crypto/crypto.h"
#include "json/writer.h"
#include "objects/values/ref_conversion.h"
#include "otlp/json_text.h"

namespace spindle::agents {
namespace {

using otlp::AttributeTree, otlp::Map, otlp::SpanTree, otlp::Value;
using tracing::CompleteInput, tracing::StartInput;

constexpr std::size_t kMaxOpName = 128;
/// Op name until setOp(), because the checks of op names from clients do not apply to span names.
constexpr std::string_view kAnyOp = "op";
constexpr std::size_t kMaxDisplayName = 1024;
constexpr double kNanosPerMilli = 1e6;
constexpr double kMicrosPerSecond = 1e6;

const Keys& inputKeys() {
  static const Keys keys = {"ai.prompt",
                            "gen_ai.prompt",
                            "input.value",
                            "mlflow.spanInputs",
                            "gen_ai.input.messages",
                            "pydantic_ai.all_messages",
                            "traceloop.entity.input",
                            "gcp.vertex.agent.tool_call_args",
                            "gcp.vertex.agent.llm_request",
                            "input",
                            "inputs"};
  return keys;
}

const Keys& outputKeys() {
  static const Keys keys = {"ai.response",
                            "gen_ai.completion",
                            "output.value",
                            "gen_ai.output.messages",
                            "mlflow.spanOutputs",
                            "final_result",
                            "gen_ai.content.completion",
                            "traceloop.entity.output",
                            "gcp.vertex.agent.tool_response",
                            "gcp.vertex.agent.llm_response",
                            "output",
                            "outputs"};
  return keys;
}

/// A member of a call and the attributes that fill it: the first key with a truthy value counts.
struct Source {
  std::string_view name;
  Keys keys;
};

const std::vector<Source>& attributeSources() {
  static const std::vector<Source> sources = {
      {"system", {"gen_ai.system_instructions", "gen_ai.system", "llm.system"}},
      {"kind", {"svc.span.kind", "traceloop.span.kind", "openinference.span.kind"}},
      {"model", {"gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"}},
      {"provider", {"gen_ai.provider.name", "llm.provider", "ai.model.provider"}},
      {"model_parameters", {"gen_ai.request", "llm.invocation_parameters"}},
      {"operation_name", {"gen_ai.operation.name"}},
      {"response_id", {"gen_ai.response.id"}},
      {"finish_reasons", {"gen_ai.response.finish_reasons"}},
      {"agent_name", {"gen_ai.agent.name"}},
      {"agent_id", {"gen_ai.agent.id"}},
  };
  return sources;
}

/// In the order of the summary. Spans never contain `requests`.
const std::vector<Source>& usageSources() {
  static const std::vector<Source> sources = {
      {"input_tokens", {"gen_ai.usage.input_tokens"}},
      {"output_tokens", {"gen_ai.usage.output_tokens"}},
      {"completion_tokens",
       {"gen_ai.usage.completion_tokens", "llm.token_count.completion",
        "ai.usage.completionTokens"}},
      {"prompt_tokens",
       {"gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens"}},
      {"total_tokens", {"llm.usage.total_tokens", "llm.token_count.total"}},
      {"requests", {}},
      {"cache_creation_input_tokens", {"gen_ai.usage.cache_creation.input_tokens"}},
      {"cache_read_input_tokens",
       {"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.prompt_tokens_details.cached_tokens",
        "gen_ai.usage.input_tokens_details.cached_tokens", "prompt_tokens_details.cached_tokens"}},
  };
  return sources;
}

const Value* firstTruthy(const AttributeTree& attributes, const Keys& keys) {
  for (const std::string_view key : keys) {
    const Value* value = attributes.find(key);
    if (value != nullptr && value->isTruthy()) return value;
  }
  return nullptr;
}

std::optional<std::int64_t> numberOf(const Value& value) {
  if (const std::int64_t* integer = value.asInteger()) return *integer;
  const double* real = value.asReal();
  constexpr double kLimit = 9e18;
  if (real == nullptr || !(std::abs(*real) < kLimit)) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

std::optional<std::string> textAt(const AttributeTree& attributes, const Keys& keys) {
  const Value* value = firstTruthy(attributes, keys);
  if (value == nullptr) return std::nullopt;
  if (const std::string_view* text = value->asText()) return std::string(*text);
  return otlp::pythonJson(*value);
}

std::string jsonOf(const Value& value) {
  std::string text;
  otlp::appendJson(text, value);
  return text;
}

/// A payload of a call, and whether an attribute supplied it.
struct Found {
  std::string json;
  bool matched = false;
};

Found wrapped(std::string_view key, const Value& value) {
  Map map;
  map.push_back({key, otlp::withLists(value)});
  return {jsonOf(Value(std::move(map))), true};
}

Found inputsOf(const AttributeTree& attributes) {
  for (const std::string_view key : inputKeys()) {
    const Value* value = attributes.find(key);
    if (value == nullptr || !value->isTruthy()) continue;
    const bool plain = key == "input" || key == "inputs";
    const Value listed = otlp::withLists(*value);
    if (plain && listed.asMap() != nullptr) return {jsonOf(listed), true};
    return wrapped(key, *value);
  }
  return {"{}", false};
}

Found outputOf(const AttributeTree& attributes) {
  for (const std::string_view key : outputKeys()) {
    const Value* value = attributes.find(key);
    if (value == nullptr || !value->isTruthy()) continue;
    if (key == "output" || key == "outputs") return {jsonOf(otlp::withLists(*value)), true};
    return wrapped(key, *value);
  }
  return {"null", false};
}

struct Usage {
  std::array<std::optional<std::int64_t>, 8> numbers;  ///< in the order of usageSources()
  bool any = false;
};

constexpr std::size_t kInput = 0;
constexpr std::size_t kOutput = 1;
constexpr std::size_t kCompletion = 2;
constexpr std::size_t kPrompt = 3;
constexpr std::size_t kTotal = 4;

Usage usageOf(const AttributeTree& attributes) {
  Usage usage;
  const std::vector<Source>& sources = usageSources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const std::string_view key : sources[i].keys) {
      const Value* value = attributes.find(key);
      usage.numbers[i] = value == nullptr ? std::nullopt : numberOf(*value);
      if (usage.numbers[i]) break;
    }
    usage.any = usage.any || usage.numbers[i].has_value();
  }
  auto& numbers = usage.numbers;
  const auto sum = [&numbers](std::size_t a, std::size_t b) -> std::optional<std::int64_t> {
    if (!numbers[a] && !numbers[b]) return std::nullopt;
    return numbers[a].value_or(0) + numbers[b].value_or(0);
  };
  if (!numbers[kTotal]) numbers[kTotal] = sum(kPrompt, kCompletion);
  if (!numbers[kTotal]) numbers[kTotal] = sum(kInput, kOutput);
  return usage;
}

/// Returns a time attribute: ISO 8601 text, integer nanoseconds, or fractional seconds.
std::optional<Timestamp> timeAt(const AttributeTree& attributes, std::string_view key) {
  const Value* value = attributes.find(key);
  if (value == nullptr) return std::nullopt;
  if (const std::int64_t* nanos = value->asInteger())
    return *nanos < 0 ? std::nullopt
                      : std::optional(otlp::timeOf(static_cast<std::uint64_t>(*nanos)));
  if (const double* seconds = value->asReal()) {
    constexpr double kLatest = 253'402'300'799.0;
    if (!(*seconds >= 0 && *seconds <= kLatest)) return std::nullopt;
    return timestampOfMicros(std::llround(*seconds * kMicrosPerSecond));
  }
  const std::string_view* text = value->asText();
  return text == nullptr ? std::nullopt : parseTimestamp(*text).value;
}

class CallBuilder {
 public:
  CallBuilder(const SpanTree& span, const CallContext& context)
      : span_(span), attributes_(span.attributes), context_(context) {}

  CompleteInput make() {
    CompleteInput call;
    const otlp::Span& span = *span_.span;
    call.id = toHex(span.span_id);
    call.trace_id = toHex(span.trace_id);
    if (std::string parent = otlp::parentIdOf(span); !parent.empty())
      call.parent_id = std::move(parent);
    call.op_name = kAnyOp;
    call.display_name = textAt(attributes_, {"svcp.display_name", "svc.display_name"});
    if (call.display_name) call.display_name = shortenedName(*call.display_name, kMaxDisplayName);
    addThread(call);
    addRun(call);
    call.started_at =
        timeAt(attributes_, "langfuse.startTime").value_or(otlp::timeOf(span.start_time_unix_nano));
    call.ended_at =
        timeAt(attributes_, "langfuse.endTime").value_or(otlp::timeOf(span.end_time_unix_nano));
    if (span.status == otlp::StatusCode::kError) call.exception = std::string(span.status_message);
    Found inputs = inputsOf(attributes_);
    Found output = outputOf(attributes_);
    const Usage usage = usageOf(attributes_);
    const bool matched = inputs.matched || output.matched || usage.any;
    call.attributes.json = attributesJson(matched);
    call.inputs.json = std::move(inputs.json);
    call.output = json::Text{std::move(output.json)};
    call.summary.json = summaryJson(usage);
    call.otel_dump = json::Text{std::string(context_.dump)};
    return call;
  }

 private:
  void addThread(StartInput& call) {
    call.thread_id = textAt(attributes_, {"gen_ai.conversation.id", "gcp.vertex.agent.session_id",
                                          "svcp.thread_id", "svc.thread_id"});
    if (!call.thread_id) return;
    const Value* said = firstOf(attributes_, {"svcp.is_turn", "svc.is_turn"});
    const bool decided = said != nullptr && said->asBool() != nullptr;
    const Value* first =
        decided ? said
                : firstOf(attributes_, {"gen_ai.conversation.id", "gcp.vertex.agent.session_id",
                                        "svcp.is_turn", "svc.is_turn"});
    if (first != nullptr && first->isTruthy()) call.turn_id = call.id;
  }

  void addRun(CompleteInput& call) {
    if (context_.run_id) {
      call.svc_run_id = std::string(*context_.run_id);
    } else if (std::optional<std::string> run = textAt(attributes_, {"svcp.svc_run_id"});
               run && run->find_first_of("/:") == std::string::npos) {
      call.svc_run_id = std::move(run);
    }
    call.svc_run_step = stepAt("svcp.svc_run_step");
    call.svc_run_step_end = stepAt("svcp.svc_run_step_end");
  }

  std::optional<std::int64_t> stepAt(std::string_view key) const {
    const Value* value = attributes_.find(key);
    const std::optional<std::int64_t> step = value == nullptr ? std::nullopt : numberOf(*value);
    return step && *step >= 0 ? step : std::nullopt;
  }

  std::string attributesJson(bool matched) const {
    Map map;
    for (const Source& source : attributeSources()) {
      if (const Value* value = firstTruthy(attributes_, source.keys))
        map.push_back({source.name, otlp::withLists(*value)});
    }
    Value found{std::move(map)};
    for (const std::string_view key : {"svcp.attributes", "svc.attributes"}) {
      const Value* tags = attributes_.find(key);
      if (tags == nullptr || tags->asMap() == nullptr) continue;
      for (const otlp::Member& tag : *tags->asMap()) {
        Value* known = found.find(tag.name);
        if (known == nullptr) known = &found.asMap()->emplace_back(otlp::Member{tag.name}).value;
        *known = tag.value;
      }
    }
    return jsonOf(matched || found.isTruthy() ? found : attributes_.root());
  }

  std::string summaryJson(const Usage& usage) const {
    const otlp::Span& span = *span_.span;
    const bool failed = span.status == otlp::StatusCode::kError;
    const bool ended = span.end_time_unix_nano >= span.start_time_unix_nano;
    const double nanos =
        ended ? static_cast<double>(span.end_time_unix_nano - span.start_time_unix_nano) : 0;
    std::string text;
    json::Writer out(text);
    out.beginObject().key("svc").beginObject();
    out.key("status").string(failed ? "error" : "success");
    out.key("latency_ms").integer(static_cast<std::int64_t>(nanos / kNanosPerMilli));
    out.key("trace_name").string(callNameOf(span));
    out.endObject().key("usage").beginObject();
    if (usage.any) {
      out.key(modelName()).beginObject();
      for (std::size_t i = 0; i < usage.numbers.size(); ++i) {
        out.key(usageSources()[i].name);
        usage.numbers[i] ? out.integer(*usage.numbers[i]) : out.null();
      }
      out.endObject();
    }
    out.endObject().endObject();
    return text;
  }

  std::string modelName() const {
    return textAt(attributes_, {"gen_ai.response.model", "gen_ai.request.model", "llm.model_name",
                                "ai.model.id", "llm.invocation_parameters.model"})
        .value_or("usage");
  }

  const SpanTree& span_;
  const AttributeTree& attributes_;
  const CallContext& context_;
};

}  // namespace

void setOp(tracing::CallPart& call, std::string_view op_ref) {
  auto* complete = std::get_if<tracing::CallComplete>(&call);
  tracing::CallStart* start =
      complete != nullptr ? &complete->start : std::get_if<tracing::CallStart>(&call);
  if (start != nullptr) start->op_name = objects::neutralRef(op_ref);
}

std::string callNameOf(const otlp::Span& span) { return shortenedName(span.name, kMaxOpName); }

Result<tracing::CallPart> callOf(const SpanTree& span,
                                 const CallContext& context,
                                 const tracing::IngestContext& intake) {
  CompleteInput call = CallBuilder(span, context).make();
  const auto finish = [&](tracing::CallStart& start) {
    start.op_name = callNameOf(*span.span);
    start.otel_resource = context.resource;
    if (context.resource) start.bytes += tracing::kResourceMemberBytes + context.resource->bytes;
  };
  const bool open = span.span->end_time_unix_nano == 0 && microsOf(call.ended_at) == 0;
  if (open) {
    tracing::CallStart start = TRY(toCallStart(std::move(call), intake));
    finish(start);
    return tracing::CallPart(std::move(start));
  }
  tracing::CallComplete whole = TRY(toCallComplete(std::move(call), intake));
  finish(whole.start);
  return tracing::CallPart(std::move(whole));
}

}  // namespace spindle::agents
