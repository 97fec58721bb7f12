#include "app/server/system_api.h"

#include <memory>

#include "app/nodes/readiness.h"
#include "app/server/version.h"
#include "base/crypto/crypto.h"
#include "http/router/openapi.h"
#include "http/router/route_group.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using http::Context, http::Method, http::Response, http::Route;
using schema::string;

struct Health {
  std::string status = "ok";
};
struct Ready {
  std::string status = "ready";
};
struct VersionView {
  std::string name = "spindle";
  std::string version;
};

http::RoutePolicy openPolicy() {
  http::RoutePolicy policy;
  policy.credentials = http::Credentials::kOpen;
  policy.errors = http::ErrorShape::kDetail;
  policy.body_limit = 0;
  return policy;
}

Response textResponse(std::string_view type, std::string body) {
  Response response;
  response.headers.add("Content-Type", type);
  response.body = std::move(body);
  return response;
}

/// Returns the route of a page or asset. It has no operation id, so /openapi.json omits it.
Route pageRoute(std::string_view path, std::function<Response(const Context&)> run) {
  Route route;
  route.method = Method::kGet;
  route.path = path;
  route.policy = openPolicy();
  route.run = std::move(run);
  return route;
}

}  // namespace

void addSystemRoutes(http::Router& router,
                     MetricRegistry& metrics,
                     Readiness& readiness,
                     const http::StaticAssets& documentation) {
  http::RouteGroup routes(router, openPolicy(), "system");
  routes.get("/health", {"health", "Check health", "Returns 200 while the server is running."},
             {.reply = schema::Record<Health>("Health")
                           .required("status", &Health::status, string(), "Always `ok`.")
                           .codec()},
             []() -> Result<Health> { return Health{}; });
  routes.get("/health/ready",
             {"healthReady", "Check readiness",
              "For load balancers: returns 200 while this server can reach its metadata database, "
              "trace store and file store, and 503 while it cannot, starts or stops. The result is "
              "at most a second old."},
             {.reply = schema::Record<Ready>("Readiness")
                           .required("status", &Ready::status, string(), "Always `ready`.")
                           .codec()},
             [&readiness]() -> Result<Ready> {
               TRY(readiness.check());
               return Ready{};
             });
  routes.get("/version", {"version", "Show the version"},
             {.reply = schema::Record<VersionView>("Version")
                           .required("name", &VersionView::name, string(), "Always `spindle`.")
                           .required("version", &VersionView::version, string(),
                                     "Release, such as `0.1.0`.")
                           .codec()},
             []() -> Result<VersionView> {
               VersionView view;
               view.version = version();
               return view;
             });

  Route metrics_route;
  metrics_route.method = Method::kGet;
  metrics_route.path = "/metrics";
  metrics_route.operation_id = "metrics";
  metrics_route.summary = "Read metrics";
  metrics_route.description = "Counters, gauges and latencies as Prometheus text.";
  metrics_route.tag = "system";
  metrics_route.policy.errors = http::ErrorShape::kDetail;
  metrics_route.reply_type = "text/plain";
  metrics_route.describe_reply = [](json::Writer& out, schema::Components& /*components*/) {
    out.key("type").string("string");
  };
  metrics_route.run = [&metrics](const Context&) {
    return textResponse("text/plain; version=0.0.4; charset=utf-8", metrics.prometheusText());
  };
  router.addRoute(std::move(metrics_route));

  router.addRoute(pageRoute("/docs", [&documentation](const Context& context) {
    return documentation.serve(context.request, "index.html");
  }));
  router.addRoute(pageRoute("/docs/{file}", [&documentation](const Context& context) {
    return documentation.serve(context.request, context.path_parameters.front().second);
  }));
}

void addOpenApiRoute(http::Router& router) {
  // The document is built after the route is added, so that it describes the route too.
  const auto document = std::make_shared<std::string>();
  Route route;
  route.method = Method::kGet;
  route.path = "/openapi.json";
  route.operation_id = "openApi";
  route.facts = {.statuses = {304}, .etag = true};
  route.summary = "Describe the API";
  route.tag = "system";
  route.policy = openPolicy();
  route.describe_reply = [](json::Writer& out, schema::Components& /*components*/) {
    out.key("type").string("object");
  };
  const auto etag = std::make_shared<std::string>();
  route.run = [document, etag](const Context& context) {
    if (context.request.headers.get("If-None-Match") == *etag) {
      Response unchanged(304);
      unchanged.headers.add("ETag", *etag);
      return unchanged;
    }
    Response response = textResponse("application/json", *document);
    response.headers.add("ETag", *etag);
    return response;
  };
  router.addRoute(std::move(route));
  *document = http::openApiDocument(router, "Spindle", version());
  *etag = "\"" + toHex(sha256(*document)).substr(0, 32) + "\"";
}

}  // namespace spindle::app
