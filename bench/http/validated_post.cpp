// The real HTTP server, router, authentication and schema validation with a handler that stores
// nothing: the cost of an authenticated, validated POST without storage.
//
//   validated_post PORT IO_THREADS WORKER_THREADS DATA_DIR

#include <cstdio>
#include <cstdlib>

#include <signal.h>

#include "app/wiring/identity_stack.h"
#include "http/router/route_group.h"
#include "http/server/server.h"
#include "identity/api/api_key_authenticator.h"
#include "schema/scalar.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): one short program

struct Cost {
  double prompt_token_cost = 0;
  double completion_token_cost = 0;
  double cache_read_input_token_cost = 0;
  double cache_creation_input_token_cost = 0;
  std::optional<std::string> prompt_token_cost_unit = "USD";
  std::optional<std::string> completion_token_cost_unit = "USD";
  std::optional<Timestamp> effective_date;
  std::optional<std::string> provider_id;
};
struct NewCosts {
  std::string project_id;
  schema::MapOf<Cost> costs;
};
struct CostIds {
  std::vector<std::tuple<std::string, std::string>> ids;
};

schema::Codec<NewCosts> newCostsCodec() {
  using schema::nullable;
  using schema::number;
  using schema::string;
  const auto cost =
      schema::Record<Cost>("Cost", schema::Extra::kForbid)
          .required("prompt_token_cost", &Cost::prompt_token_cost, number(), "")
          .required("completion_token_cost", &Cost::completion_token_cost, number(), "")
          .optional("cache_read_input_token_cost", &Cost::cache_read_input_token_cost, number(), "")
          .optional("cache_creation_input_token_cost", &Cost::cache_creation_input_token_cost,
                    number(), "")
          .optional("prompt_token_cost_unit", &Cost::prompt_token_cost_unit, nullable(string()), "")
          .optional("completion_token_cost_unit", &Cost::completion_token_cost_unit,
                    nullable(string()), "")
          .optional("effective_date", &Cost::effective_date, nullable(schema::dateTime()), "")
          .optional("provider_id", &Cost::provider_id, nullable(string()), "")
          .codec();
  return schema::Record<NewCosts>("NewCosts", schema::Extra::kForbid)
      .required("project_id", &NewCosts::project_id, string({.pattern = "^[^/]+/[^/]+$"}), "")
      .required("costs", &NewCosts::costs, schema::map(cost), "")
      .codec();
}

void addCostRoute(http::Router& router) {
  http::RouteGroup routes(router, http::RoutePolicy{}, {});
  routes.post(
      "/cost/create", {"createCosts", "Check costs and name them."},
      {.body = newCostsCodec(),
       .reply = schema::Record<CostIds>("CostIds")
                    .required("ids", &CostIds::ids,
                              schema::list(schema::tuple(schema::string(), schema::string())), "")
                    .codec()},
      [](const NewCosts& body) -> Result<CostIds> {
        CostIds made;
        for (const auto& [model, cost] : body.costs) {
          made.ids.emplace_back("018f3398-c100-7abc-8def-0123456789ab", model);
        }
        return made;
      });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: validated_post PORT IO_THREADS WORKER_THREADS DATA_DIR\n");
    return 2;
  }
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);

  const SystemClock clock;
  MetricRegistry metrics;
  const storage::DataFolder folder(argv[4]);
  const config::Settings settings;
  app::IdentityStack stack({settings, folder, metrics, clock});
  identity::ensureAdmin(stack.users, stack.keys, folder, Secret());
  const identity::ApiKeyAuthenticator authentication(stack.authenticator);
  http::RouterPorts ports;
  ports.authenticator = &authentication;
  http::Router router(ports);
  addCostRoute(router);

  http::ServerOptions options;
  options.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  options.io_threads = static_cast<std::size_t>(std::atoi(argv[2]));
  options.worker_threads = static_cast<std::size_t>(std::atoi(argv[3]));
  http::Server server(options, router, metrics);
  server.start();
  std::fprintf(stderr, "listening on %s\n", server.url().c_str());
  int signal_number = 0;
  sigwait(&stop_signals, &signal_number);
  server.stop();
  return 0;
}
