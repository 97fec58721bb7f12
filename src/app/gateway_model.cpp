#include "app/gateway_model.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "base/id.h"
#include "base/time.h"
#include "evaluation/model_client.h"
#include "evaluation/model_message_json.h"
#include "http/deferred_response.h"

namespace spindle::app {
namespace {

/// Waits for an answer that was promised. @return kUnavailable when it was stopped before.
Result<http::Response> await(const std::shared_ptr<http::DeferredResponse>& later,
                             const std::stop_token& stop) {
  struct Arrival {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool there = false;
  };
  const auto arrival = std::make_shared<Arrival>();
  later->onGiven([arrival] {
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

Result<evaluation::ModelAnswer> GatewayModel::complete(const evaluation::ModelRequest& request,
                                                       const std::stop_token& stop) {
  if (!request.upstream.empty() || !gateway_.serves(request.model))
    return others_.complete(request, stop);
  const Result<identity::Project> project = projects_.findById(request.project.id);
  if (!project) return project.error();
  inference::GatewayCaller caller;
  caller.team_id = project->team_id;
  caller.project_id = project->id;
  caller.project = request.project.name;
  caller.request_id = newUuid(SystemClock().now());
  const Result<http::Response> promise = gateway_.complete(
      inference::Operation::kChat, evaluation::completionBody(request), std::move(caller));
  if (!promise) return promise.error();
  const Result<http::Response> answer = await(promise->later, stop);
  if (!answer) return answer.error();
  if (answer->status != 200) return evaluation::refusalOf(*answer);
  return evaluation::completionAnswer(answer->body, request.model);
}

}  // namespace spindle::app
