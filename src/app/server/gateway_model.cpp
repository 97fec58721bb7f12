#include "app/server/gateway_model.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/core/time.h"
#include "base/crypto/id.h"
#include "evaluation/scoring/chat_completion_json.h"
#include "evaluation/scoring/upstream_client.h"
#include "http/message/deferred_response.h"
#include "identity/types/session.h"

namespace spindle::app {
namespace {

/// Copies the gateway's `retry_after_seconds` to `retry_after`, which evaluations read.
Error refusal(const Error& error) {
  for (const auto& [name, json] : error.members()) {
    if (name == "retry_after_seconds") return Error(error).with("retry_after", json);
  }
  return error;
}

/// Blocks until the deferred response arrives. @return kUnavailable when stopped before.
Result<http::Response> await(const std::shared_ptr<http::DeferredResponse>& later,
                             const std::stop_token& stop) {
  struct Arrival {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool there = false;
  };
  const auto arrival = std::make_shared<Arrival>();
  later->onResponse([arrival] {
    const std::lock_guard lock(arrival->mutex);
    arrival->there = true;
    arrival->changed.notify_all();
  });
  {
    std::unique_lock lock(arrival->mutex);
    arrival->changed.wait(lock, stop, [&arrival] { return arrival->there; });
  }
  later->abandon();
  if (!later->given()) return Error::unavailable("Stopped.");
  return later->take();
}

}  // namespace

/// @return kPermissionDenied when the user or API key may no longer use the project.
Result<inference::GatewayCaller> GatewayModel::callerOf(
    const evaluation::ModelRequest& request) const {
  const identity::ProjectAccess project = TRY(access_.requireForJob(
      request.user_id, request.project.id, request.project.name, identity::Action::kWriteProject));
  // A job that was started in a browser continues when the session ends.
  if (!request.key_id.empty() && !identity::isSessionKeyId(request.key_id)) {
    if (!TRY(keys_.isValid(request.user_id, request.key_id)))
      return Error::denied("The API key that started this job is no longer valid.");
  }
  inference::GatewayCaller caller;
  caller.user_id = request.user_id;
  caller.key_id = request.key_id;
  caller.team_id = project.team_id;
  caller.project_id = project.project_id;
  caller.project = request.project.name;
  caller.request_id = newUuid(SystemClock().now());
  return caller;
}

Result<evaluation::ModelAnswer> GatewayModel::complete(const evaluation::ModelRequest& request,
                                                       const std::stop_token& stop) {
  // Other upstreams know neither users nor keys, so this is checked for them too.
  inference::GatewayCaller caller = TRY(callerOf(request));
  if (!request.upstream.empty() || !gateway_.serves(request.model))
    return others_.complete(request, stop);
  const Result<http::Response> promise = gateway_.complete(
      inference::Operation::kChat, evaluation::completionBody(request), std::move(caller));
  if (!promise) return refusal(promise.error());
  const http::Response answer = TRY(await(promise->later, stop));
  if (answer.status != 200) return evaluation::upstreamErrorOf(answer);
  return evaluation::completionAnswer(answer.body, request.model);
}

}  // namespace spindle::app
