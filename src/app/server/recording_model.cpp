#include "app/server/recording_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "agents/chat/completion_span.h"
#include "app/server/log.h"
#include "evaluation/scoring/chat_completion_json.h"
#include "json/writer.h"
#include "tracing/calls/call.h"
#include "tracing/calls/chat_message_json.h"

namespace spindle::app {
namespace {

/// Returns the answer as a chat completion of the OpenAI API.
std::string responseOf(const evaluation::ModelAnswer& answer) {
  std::string response;
  json::Writer out(response);
  out.beginObject().key("model").string(answer.model).key("choices").beginArray();
  out.beginObject().key("message").raw(tracing::textMessageJson("assistant", answer.text));
  out.endObject().endArray();
  out.key("usage").raw(answer.usage).endObject();
  return response;
}

}  // namespace

Result<evaluation::ModelAnswer> RecordingModel::complete(const evaluation::ModelRequest& request,
                                                         const std::stop_token& stop) {
  const Timestamp started_at = clock_.now();
  Result<evaluation::ModelAnswer> answer = model_.complete(request, stop);
  // A stopped request is repeated after the next start.
  const bool stopped = !answer && answer.error().code() == ErrorCode::kUnavailable;
  if (!request.judges || stopped) return answer;
  const Result<void> kept = record(request, answer, started_at);
  if (!kept) kLog.warning("completion_not_kept", {{"reason", kept.error().message()}});
  return answer;
}

Result<void> RecordingModel::record(const evaluation::ModelRequest& request,
                                    const Result<evaluation::ModelAnswer>& answer,
                                    Timestamp started_at) {
  agents::Completion completion;
  completion.source = agents::CompletionSource::kSignal;
  completion.request = evaluation::completionBody(request);
  if (answer) {
    completion.response = responseOf(*answer);
  } else {
    completion.failure = answer.error().message();
  }
  completion.started_at = started_at;
  completion.ended_at = clock_.now();
  const std::optional<std::int64_t> days = TRY(retention_.days(request.project.id));
  agents::AgentSpan span = agents::spanOfCompletion(completion);
  span.expire_at = tracing::expiryOf(started_at, days);
  return spans_.write(request.project.id, {std::move(span)});
}

}  // namespace spindle::app
