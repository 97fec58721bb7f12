#include "engine/api/engine_service.h"

#include <cmath>

#include "base/core/error.h"
#include "http/router/error_body.h"
#include "json/writer.h"

namespace spindle::engine {
namespace {

bool asksHealth(const http::Request& request) {
  return request.method == http::Method::kGet && request.path() == "/health";
}

}  // namespace

void EngineService::open(const http::Service& routes, const EngineInfo& info) {
  json::Writer out(info_json_);
  out.beginObject();
  out.key("status").string("ok");
  out.key("model").string(info.model);
  out.key("slots").integer(static_cast<std::int64_t>(info.slots));
  out.key("context").integer(info.context);
  out.key("memory_bytes").integer(static_cast<std::int64_t>(info.memory_bytes));
  out.endObject();
  routes_.store(&routes, std::memory_order_release);
}

http::Admission EngineService::admit(const http::Request& head) const {
  const http::Service* routes = routes_.load(std::memory_order_acquire);
  if (routes != nullptr && !asksHealth(head)) return routes->admit(head);
  http::Admission admission;
  admission.errors = http::ErrorShape::kOpenAi;
  admission.route = asksHealth(head) ? "/health" : "";
  if (!asksHealth(head)) {
    admission.refusal =
        http::errorResponse(Error::unavailable("The model is being loaded; try again shortly."),
                            http::ErrorShape::kOpenAi);
  }
  return admission;
}

http::Response EngineService::handle(http::Request& request) const {
  const http::Service* routes = routes_.load(std::memory_order_acquire);
  if (asksHealth(request)) return health(routes);
  return routes->handle(request);
}

http::Response EngineService::health(const http::Service* routes) const {
  http::Response response(routes == nullptr ? 503 : 200);
  response.headers.add("Content-Type", "application/json");
  if (routes != nullptr) {
    response.body = info_json_;
    return response;
  }
  response.headers.add("Retry-After", "1");
  json::Writer out(response.body);
  out.beginObject();
  out.key("status").string("loading");
  out.key("progress").number(std::round(static_cast<double>(progress_.load()) * 1000) / 1000);
  out.endObject();
  return response;
}

}  // namespace spindle::engine
