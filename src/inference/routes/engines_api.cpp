#include "inference/routes/engines_api.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/core/time.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "inference/adapters/adapter_quarantine_repository.h"
#include "inference/engines/engine_supervisor.h"
#include "inference/routes/enum_codec.h"
#include "inference/routes/inference_tag.h"

namespace spindle::inference {
namespace {

using http::Context, identity::Action;
using schema::integer, schema::list, schema::nullable, schema::string;

struct EngineView {
  EngineView() = default;
  EngineView(const EngineStatus& engine, Timestamp now)
      : model(engine.model),
        state(engine.state),
        progress(engine.progress),
        pid(engine.pid == 0 ? std::nullopt : std::optional<std::int64_t>(engine.pid)),
        memory_bytes(static_cast<std::int64_t>(engine.memory)),
        since(now - engine.age),
        restarts(engine.restarts),
        last_error(engine.last_error.empty() ? std::nullopt : std::optional(engine.last_error)),
        adapters(engine.adapters),
        leases(static_cast<std::int64_t>(engine.leases)),
        waiting(static_cast<std::int64_t>(engine.waiting)) {}

  std::string model;
  EngineState state = EngineState::kStopped;
  double progress = 0;
  std::optional<std::int64_t> pid;
  std::int64_t memory_bytes = 0;
  Timestamp since;
  std::int64_t restarts = 0;
  std::optional<std::string> last_error;
  std::vector<std::string> adapters;
  std::int64_t leases = 0;
  std::int64_t waiting = 0;
};

struct EnginePath {
  std::string model;
};

using EnginePage = http::PageReply<EngineView>;

schema::Codec<EngineView> engineCodec() {
  return schema::Record<EngineView>("Engine")
      .required("model", &EngineView::model, string(), "Name of the model that the engine runs.")
      .required("state", &EngineView::state, enumCodec(kEngineStates))
      .required("progress", &EngineView::progress, schema::number(),
                "Loaded share of the model, from 0 to 1.")
      .required("pid", &EngineView::pid, nullable(integer()), "Null when there is no process.")
      .required("memory_bytes", &EngineView::memory_bytes, integer(),
                "Memory of the engine: estimated from the file until the engine reports it.")
      .required("since", &EngineView::since, schema::dateTime(), "Time of the last state change.")
      .required("restarts", &EngineView::restarts, integer(), "Number of restarts after crashes.")
      .required("last_error", &EngineView::last_error, nullable(string()),
                "Reason of the last crash or failed start.")
      .required("adapters", &EngineView::adapters, list(string()), "Loaded adapters.")
      .required("leases", &EngineView::leases, integer(), "Number of requests that use the engine.")
      .required("waiting", &EngineView::waiting, integer(),
                "Number of requests that wait for the engine.")
      .codec();
}

Result<EnginePage> listEngines(const EngineServices& services, const Context& context) {
  TRY(services.access.requireInOrganization(context.caller().user_id, Action::kCreateTeam));
  const Timestamp now = services.clock.now();
  EnginePage page;
  for (const EngineStatus& engine : services.engines.engines())
    page.items.emplace_back(engine, now);
  return page;
}

constexpr const char* kNotLoaded = "This model is not loaded.";

/// Checks that the user may see engines. @return kNotFound with this message for other users.
Result<void> requireEngineAdmin(const EngineServices& services,
                                const Context& context,
                                const char* message) {
  if (!TRY(services.access.isOrganizationAdmin(context.caller().user_id)))
    return Error::notFound(message);
  return {};
}

/// Unloads an engine. A user who may not see engines gets kNotFound.
Result<EngineView> unloadEngine(const EngineServices& services,
                                const Context& context,
                                const EnginePath& path) {
  TRY(requireEngineAdmin(services, context, kNotLoaded));
  TRY(services.engines.unload(path.model));
  for (const EngineStatus& engine : services.engines.engines()) {
    if (engine.model == path.model) return EngineView(engine, services.clock.now());
  }
  return Error::notFound(kNotLoaded);
}

struct QuarantinePath {
  std::string id;
};

using QuarantinePage = http::PageReply<QuarantinedAdapter>;

schema::Codec<QuarantinedAdapter> quarantinedCodec() {
  using Q = QuarantinedAdapter;
  return schema::Record<Q>("QuarantinedAdapter")
      .required("id", &Q::id, string(), "Digest of the adapter's content and base model.")
      .required("artifact", &Q::artifact, string(),
                "Artifact version (`entity/project/collection:vN`) through which it was used.")
      .required("model", &Q::model, string(), "Name of the base model.")
      .required("reason", &Q::reason, string(), "How the engine process ended.")
      .required("created_at", &Q::created_at, schema::dateTime(), "When it was quarantined.")
      .codec();
}

Result<QuarantinePage> listQuarantined(const EngineServices& services, const Context& context) {
  TRY(services.access.requireInOrganization(context.caller().user_id, Action::kCreateTeam));
  std::vector<QuarantinedAdapter> all = TRY(services.quarantine.list());
  QuarantinePage page;
  page.items = std::move(all);
  return page;
}

/// Releases an adapter. A user who may not see the list gets kNotFound.
Result<void> releaseQuarantined(const EngineServices& services,
                                const Context& context,
                                const QuarantinePath& path) {
  TRY(requireEngineAdmin(services, context, "This adapter is not quarantined."));
  TRY(services.quarantine.remove(path.id));
  services.engines.clearQuarantine(path.id);
  return {};
}

void addQuarantineRoutes(const EngineRoutes& routes) {
  routes.get("/api/v1/quarantined-adapters",
             {"listQuarantinedAdapters", "List quarantined adapters",
              "Lists adapters that crashed an engine while it loaded or used them. The newest "
              "first, at most 1,000. For organization admins."},
             {.reply = http::pageCodec("QuarantinedAdapterPage", quarantinedCodec())},
             listQuarantined);
  routes.remove("/api/v1/quarantined-adapters/{id}",
                {"releaseQuarantinedAdapter", "Release an adapter from quarantine",
                 "The next request for the adapter loads it again. For organization admins."},
                {.params = http::Parameters<QuarantinePath>().path("id", &QuarantinePath::id,
                                                                   string(), "The adapter's id.")},
                releaseQuarantined);
}

}  // namespace

void addEngineRoutes(EngineRoutes routes) {
  routes.setTag(kInferenceTag);
  routes.get("/api/v1/engines",
             {"listEngines", "List the engines of this machine",
              "Lists the engines of all models that were requested since the start, sorted "
              "by name. For organization "
              "admins."},
             {.reply = http::pageCodec("EnginePage", engineCodec())}, listEngines);
  routes.post("/api/v1/engines/{model}/unload",
              {"unloadEngine", "Unload a model",
               "Stops the engine when its last request ends; requests that arrive in the "
               "meantime load the model again. Clears the failure of an engine that crashed "
               "or could not load its file, so that the next request tries again. For "
               "organization admins."},
              {.params = http::Parameters<EnginePath>().path("model", &EnginePath::model, string(),
                                                             "Name of the model."),
               .reply = engineCodec(),
               .status = 202},
              unloadEngine);
  addQuarantineRoutes(routes);
}

}  // namespace spindle::inference
