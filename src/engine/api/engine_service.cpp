#include "engine/api/engine_service.h"

#include <cmath>

#include "base/core/error.h"
#include "http/router/error_body.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::engine {
namespace {

/// The body of `/health` before the model is loaded.
struct LoadingInfo {
  std::string status = "loading";
  double progress = 0;
};

schema::Codec<EngineInfo> engineInfoCodec() {
  using I = EngineInfo;
  return schema::Record<I>("EngineInfo")
      .required("status", &I::status, schema::string(), "`ok`")
      .required("model", &I::model, schema::string(), "Model name in requests.")
      .required("slots", &I::slots, schema::integer(), "Concurrent requests.")
      .required("context", &I::context, schema::integer(), "Tokens per request.")
      .required("memory_bytes", &I::memory_bytes, schema::integer(), "Memory of the model.")
      .codec();
}

schema::Codec<LoadingInfo> loadingInfoCodec() {
  using I = LoadingInfo;
  return schema::Record<I>("LoadingInfo")
      .required("status", &I::status, schema::string(), "`loading`")
      .required("progress", &I::progress, schema::number(), "Loaded share, from 0 to 1.")
      .codec();
}

bool asksHealth(const http::Request& request) {
  return request.method == http::Method::kGet && request.path() == "/health";
}

}  // namespace

void EngineService::open(const http::Service& routes, const EngineInfo& info) {
  info_json_ = engineInfoCodec().toJson(info);
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
  LoadingInfo info;
  info.progress = std::round(static_cast<double>(progress_.load()) * 1000) / 1000;
  response.body = loadingInfoCodec().toJson(info);
  return response;
}

}  // namespace spindle::engine
