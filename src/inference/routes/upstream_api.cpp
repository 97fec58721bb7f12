#include <chrono>
#include <utility>

#include "http/message/uri.h"
#include "http/router/etag.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "inference/catalogue/catalogue_repository.h"
#include "inference/catalogue/catalogue_rules.h"
#include "inference/catalogue/upstream_probe.h"
#include "inference/routes/enum_codec.h"
#include "inference/routes/route_parts.h"
#include "inference/routes/versioned_operation.h"
#include "inference/upstream_adapters/upstream_adapter_loader.h"
#include "schema/confidential.h"
#include "schema/described.h"

namespace spindle::inference {
namespace {

using http::Context, http::Reply;
using schema::Extra, schema::ifPresent, schema::nullable, schema::string;
using std::chrono::milliseconds;

constexpr std::int64_t kMostTimeout = 3'600'000;

struct UpstreamBody {
  std::string name;
  std::string url;
  std::optional<std::string> key;
  std::int64_t connect_timeout_ms = UpstreamTimeouts().connect.count();
  std::int64_t first_token_timeout_ms = UpstreamTimeouts().first_token.count();
  std::int64_t idle_timeout_ms = UpstreamTimeouts().idle.count();
  bool stream_usage = true;
  std::string health_path = "/models";
  AdapterLoading adapters = AdapterLoading::kNone;
  std::optional<std::string> adapter_path;
  std::optional<std::string> adapter_receiver;
  std::int64_t max_adapters = UpstreamAdapters().most;
  std::int64_t adapter_load_timeout_ms = UpstreamAdapters().load_ms;
};
struct UpstreamChangeBody {
  std::optional<std::string> url;
  std::optional<std::optional<std::string>> key;
  std::optional<std::int64_t> connect_timeout_ms;
  std::optional<std::int64_t> first_token_timeout_ms;
  std::optional<std::int64_t> idle_timeout_ms;
  std::optional<bool> stream_usage;
  std::optional<std::string> health_path;
  std::optional<AdapterLoading> adapters;
  std::optional<std::optional<std::string>> adapter_path;
  std::optional<std::optional<std::string>> adapter_receiver;
  std::optional<std::int64_t> max_adapters;
  std::optional<std::int64_t> adapter_load_timeout_ms;
};
/// An upstream as callers see it. `adapter_loading` and the members after it are those of
/// Upstream::adapters.
struct UpstreamView : Upstream {
  std::int64_t connect_timeout_ms = 0;
  std::int64_t first_token_timeout_ms = 0;
  std::int64_t idle_timeout_ms = 0;
  AdapterLoading adapter_loading = AdapterLoading::kNone;
  std::optional<std::string> adapter_path;
  std::optional<std::string> adapter_receiver;
  std::int64_t max_adapters = 0;
  std::int64_t adapter_load_timeout_ms = 0;
};
struct ProbeView {
  bool success = false;
  std::optional<std::int64_t> status;
  std::vector<std::string> models;
  std::optional<std::string> error;
  std::int64_t duration_ms = 0;
};
struct LoadedView : LoadedUpstreamAdapter {
  std::int64_t leases = 0;
};
using LoadedPage = http::PageReply<LoadedView>;
struct UpstreamPath {
  std::string name;
  bool force = false;
};

constexpr std::string_view kUrlDoc =
    "Base URL of its OpenAI-compatible API, such as `https://api.example.com/v1`.";
constexpr std::string_view kKeyDoc = "API key, sent as a Bearer token. It is never shown again.";
constexpr std::string_view kConnectDoc = "Timeout for the connection.";
constexpr std::string_view kFirstTokenDoc = "Timeout until the response starts.";
constexpr std::string_view kIdleDoc = "Timeout between two chunks of a stream.";
constexpr std::string_view kStreamUsageDoc =
    "The upstream supports `stream_options.include_usage`, which makes the usage of streams known.";
constexpr std::string_view kHealthDoc =
    "Path of the health check, appended to `url`; empty: no health check.";
constexpr std::string_view kAdaptersDoc =
    "How trained adapters get into the upstream. `none`: it serves no adapters. `vllm`: by "
    "`/v1/load_lora_adapter`; vLLM needs `--enable-lora` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`.";
constexpr std::string_view kAdapterPathDoc =
    "Path of the folder of adapters on the host of the upstream; null: the same path as on the "
    "server's machine (`inference.shared_adapters`).";
constexpr std::string_view kReceiverDoc =
    "URL of the adapter receiver on the host of the upstream, which gets the files of adapters; "
    "null: both machines share the folder.";
constexpr std::string_view kMaxAdaptersDoc =
    "Adapters that the server keeps loaded in the upstream. The least recently used one makes room "
    "for another.";
constexpr std::string_view kLoadDoc =
    "Timeout of the transfer of an adapter, and of its loading by the upstream.";
constexpr std::int64_t kMostLoadedAdapters = 1024;

schema::Codec<std::string> urlCodec() {
  const auto checked = schema::checked<std::string>(
      string({.min_length = 1, .max_length = 2048}),
      [](const std::string& url) -> std::optional<schema::RuleError> {
        const auto refused = [](const std::string& why) {
          return schema::RuleError{"url_parsing", "Input should be a valid URL, " + why, {}};
        };
        const Result<http::Url> parsed = http::parseUrl(url);
        if (!parsed) return refused(parsed.error().message());
        if (parsed->scheme == http::Url::Scheme::kUnix) return refused("http or https");
        if (url.find_first_of("?#") != std::string::npos) return refused("without a query");
        return std::nullopt;
      });
  return schema::described(
      checked,
      R"({"format":"uri","pattern":"^https?://[A-Za-z0-9.-]+(:[0-9]{1,4})?(/[^?#\\s]*)?$"})");
}
schema::Codec<std::string> keyCodec() {
  return string({.min_length = 1, .max_length = 8192, .pattern = "^[!-~]+$"});
}
schema::Codec<std::int64_t> timeoutCodec() {
  return schema::integer({.ge = 1, .le = kMostTimeout});
}
schema::Codec<std::string> healthCodec() {
  return string({.max_length = 512, .pattern = "^(/[!-~]*)?$"});
}

schema::Codec<std::string> adapterPathCodec() {
  return string({.min_length = 1, .max_length = 4096, .pattern = "^/"});
}
schema::Codec<std::int64_t> maxAdaptersCodec() {
  return schema::integer({.ge = 1, .le = kMostLoadedAdapters});
}

schema::Codec<UpstreamBody> newUpstreamCodec() {
  using Body = UpstreamBody;
  return schema::confidential(
      schema::Record<Body>("NewUpstream", Extra::kForbid)
          .required("name", &Body::name, string({.pattern = kUpstreamNamePattern}),
                    "Unique; cannot be changed.")
          .required("url", &Body::url, urlCodec(), kUrlDoc)
          .optional("key", &Body::key, nullable(keyCodec()), kKeyDoc)
          .optional("connect_timeout_ms", &Body::connect_timeout_ms, timeoutCodec(), kConnectDoc)
          .optional("first_token_timeout_ms", &Body::first_token_timeout_ms, timeoutCodec(),
                    kFirstTokenDoc)
          .optional("idle_timeout_ms", &Body::idle_timeout_ms, timeoutCodec(), kIdleDoc)
          .optional("stream_usage", &Body::stream_usage, schema::boolean(), kStreamUsageDoc)
          .optional("health_path", &Body::health_path, healthCodec(), kHealthDoc)
          .optional("adapters", &Body::adapters, enumCodec(kAdapterLoadings), kAdaptersDoc)
          .optional("adapter_path", &Body::adapter_path, nullable(adapterPathCodec()),
                    kAdapterPathDoc)
          .optional("adapter_receiver", &Body::adapter_receiver, nullable(urlCodec()), kReceiverDoc)
          .optional("max_adapters", &Body::max_adapters, maxAdaptersCodec(), kMaxAdaptersDoc)
          .optional("adapter_load_timeout_ms", &Body::adapter_load_timeout_ms, timeoutCodec(),
                    kLoadDoc)
          .codec());
}

schema::Codec<UpstreamChangeBody> upstreamChangeCodec() {
  using Body = UpstreamChangeBody;
  return schema::confidential(
      schema::Record<Body>("UpstreamChange", Extra::kForbid)
          .optional("url", &Body::url, ifPresent(urlCodec()), kUrlDoc)
          .optional("key", &Body::key, ifPresent(nullable(keyCodec())),
                    "New API key; null removes it.")
          .optional("connect_timeout_ms", &Body::connect_timeout_ms, ifPresent(timeoutCodec()),
                    kConnectDoc)
          .optional("first_token_timeout_ms", &Body::first_token_timeout_ms,
                    ifPresent(timeoutCodec()), kFirstTokenDoc)
          .optional("idle_timeout_ms", &Body::idle_timeout_ms, ifPresent(timeoutCodec()), kIdleDoc)
          .optional("stream_usage", &Body::stream_usage, ifPresent(schema::boolean()),
                    kStreamUsageDoc)
          .optional("health_path", &Body::health_path, ifPresent(healthCodec()), kHealthDoc)
          .optional("adapters", &Body::adapters, ifPresent(enumCodec(kAdapterLoadings)),
                    kAdaptersDoc)
          .optional("adapter_path", &Body::adapter_path, ifPresent(nullable(adapterPathCodec())),
                    kAdapterPathDoc)
          .optional("adapter_receiver", &Body::adapter_receiver, ifPresent(nullable(urlCodec())),
                    kReceiverDoc)
          .optional("max_adapters", &Body::max_adapters, ifPresent(maxAdaptersCodec()),
                    kMaxAdaptersDoc)
          .optional("adapter_load_timeout_ms", &Body::adapter_load_timeout_ms,
                    ifPresent(timeoutCodec()), kLoadDoc)
          .codec());
}

schema::Codec<UpstreamView> upstreamCodec() {
  using View = UpstreamView;
  return schema::Record<View>("Upstream")
      .required("id", &View::id, string(), "Assigned by the server.")
      .required("name", &View::name, string(), "Unique.")
      .required("url", &View::url, string(), kUrlDoc)
      .required("has_key", &View::has_key, schema::boolean(), "The upstream has a stored API key.")
      .required("connect_timeout_ms", &View::connect_timeout_ms, schema::integer(), kConnectDoc)
      .required("first_token_timeout_ms", &View::first_token_timeout_ms, schema::integer(),
                kFirstTokenDoc)
      .required("idle_timeout_ms", &View::idle_timeout_ms, schema::integer(), kIdleDoc)
      .required("stream_usage", &View::stream_usage, schema::boolean(), kStreamUsageDoc)
      .required("health_path", &View::health_path, string(), kHealthDoc)
      .required("adapters", &View::adapter_loading, enumCodec(kAdapterLoadings), kAdaptersDoc)
      .required("adapter_path", &View::adapter_path, nullable(string()), kAdapterPathDoc)
      .required("adapter_receiver", &View::adapter_receiver, nullable(string()), kReceiverDoc)
      .required("max_adapters", &View::max_adapters, schema::integer(), kMaxAdaptersDoc)
      .required("adapter_load_timeout_ms", &View::adapter_load_timeout_ms, schema::integer(),
                kLoadDoc)
      .required("created_at", &View::created_at, schema::dateTime())
      .required("updated_at", &View::updated_at, schema::dateTime())
      .codec();
}

schema::Codec<ProbeView> probeCodec() {
  return schema::Record<ProbeView>("UpstreamTest")
      .required("success", &ProbeView::success, schema::boolean(),
                "The upstream returned a list of models.")
      .required("status", &ProbeView::status, nullable(schema::integer()),
                "HTTP status of the response; null without a response.")
      .required("models", &ProbeView::models, schema::list(string()), "Names of the models.")
      .required("error", &ProbeView::error, nullable(string()), "Error message; null on success.")
      .required("duration_ms", &ProbeView::duration_ms, schema::integer(), "Duration of the test.")
      .codec();
}

http::Parameters<UpstreamPath> upstreamPath() {
  return http::Parameters<UpstreamPath>().path("name", &UpstreamPath::name, string(),
                                               "Name of the upstream.");
}

UpstreamView upstreamViewOf(const Upstream& upstream) {
  UpstreamView view;
  static_cast<Upstream&>(view) = upstream;
  view.connect_timeout_ms = upstream.timeouts.connect.count();
  view.first_token_timeout_ms = upstream.timeouts.first_token.count();
  view.idle_timeout_ms = upstream.timeouts.idle.count();
  const UpstreamAdapters& adapters = upstream.adapters;
  view.adapter_loading = adapters.loading;
  if (!adapters.path.empty()) view.adapter_path = adapters.path;
  if (!adapters.receiver.empty()) view.adapter_receiver = adapters.receiver;
  view.max_adapters = adapters.most;
  view.adapter_load_timeout_ms = adapters.load_ms;
  return view;
}

std::string withoutSlash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::optional<milliseconds> millisecondsOf(const std::optional<std::int64_t>& count) {
  return count ? std::optional(milliseconds(*count)) : std::nullopt;
}

/// Checks that the user is an organization admin. @return kNotFound for all other users.
Result<void> requireUpstreamAdmin(const InferenceServices& services, const Context& context) {
  if (!TRY(services.access.isOrganizationAdmin(context.caller().user_id)))
    return Error::notFound("Upstream not found");
  return {};
}

/// Applies a changed upstream to new requests and returns its view.
Result<Reply<UpstreamView>> used(const InferenceServices& services, const Upstream& upstream) {
  TRY(services.directory.refresh());
  return Reply(upstreamViewOf(upstream)).with("ETag", http::etagOf(upstream.version));
}

Result<Reply<UpstreamView>> createUpstream(const InferenceServices& services,
                                           const Context& context,
                                           UpstreamBody body) {
  const Secret key(std::move(body.key).value_or(""));
  TRY(requireAdmin(services, context.caller().user_id));
  Upstream draft;
  draft.name = std::move(body.name);
  draft.url = withoutSlash(std::move(body.url));
  draft.timeouts = {milliseconds(body.connect_timeout_ms),
                    milliseconds(body.first_token_timeout_ms), milliseconds(body.idle_timeout_ms)};
  draft.stream_usage = body.stream_usage;
  draft.health_path = std::move(body.health_path);
  draft.adapters = {.loading = body.adapters,
                    .path = withoutSlash(std::move(body.adapter_path).value_or("")),
                    .receiver = withoutSlash(std::move(body.adapter_receiver).value_or("")),
                    .most = body.max_adapters,
                    .load_ms = body.adapter_load_timeout_ms};
  const Upstream made = TRY(services.catalogue.insertUpstream(std::move(draft), key));
  return used(services, made);
}

Result<http::PageReply<UpstreamView>> listUpstreams(const InferenceServices& services,
                                                    const Context& context,
                                                    const http::PageQuery& query) {
  TRY(requireAdmin(services, context.caller().user_id));
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  const identity::Page<Upstream> page = TRY(services.catalogue.listUpstreams(request));
  return identity::pageReply<UpstreamView>(page, upstreamViewOf);
}

Result<Reply<UpstreamView>> showUpstream(const InferenceServices& services,
                                         const Context& context,
                                         const UpstreamPath& path) {
  TRY(requireUpstreamAdmin(services, context));
  const Upstream found = TRY(services.catalogue.findUpstream(path.name));
  return Reply(upstreamViewOf(found)).with("ETag", http::etagOf(found.version));
}

Result<Reply<UpstreamView>> changeUpstream(const InferenceServices& services,
                                           const Context& context,
                                           const UpstreamPath& path,
                                           UpstreamChangeBody body) {
  UpstreamChange change;
  if (body.key) change.key = Secret((*std::move(body.key)).value_or(""));
  TRY(requireUpstreamAdmin(services, context));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  if (body.url) change.url = withoutSlash(*std::move(body.url));
  change.connect = millisecondsOf(body.connect_timeout_ms);
  change.first_token = millisecondsOf(body.first_token_timeout_ms);
  change.idle = millisecondsOf(body.idle_timeout_ms);
  change.stream_usage = body.stream_usage;
  change.health_path = std::move(body.health_path);
  change.adapters = body.adapters;
  if (body.adapter_path) {
    change.adapter_path = withoutSlash((*std::move(body.adapter_path)).value_or(""));
  }
  if (body.adapter_receiver) {
    change.adapter_receiver = withoutSlash((*std::move(body.adapter_receiver)).value_or(""));
  }
  change.max_adapters = body.max_adapters;
  change.adapter_load_ms = body.adapter_load_timeout_ms;
  const Upstream changed = TRY(services.catalogue.updateUpstream(path.name, change, version));
  return used(services, changed);
}

Result<void> removeUpstream(const InferenceServices& services,
                            const Context& context,
                            const UpstreamPath& path) {
  TRY(requireUpstreamAdmin(services, context));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  TRY(services.catalogue.removeUpstream(path.name, path.force, version));
  TRY(services.directory.refresh());
  return {};
}

Result<ProbeView> testUpstream(const InferenceServices& services,
                               const Context& context,
                               const UpstreamPath& path) {
  TRY(requireUpstreamAdmin(services, context));
  const Upstream upstream = TRY(services.catalogue.findUpstream(path.name));
  const Secret key = TRY(services.catalogue.keyOfUpstream(path.name));
  UpstreamProbe probe = probeUpstream(services.client, upstream, key);
  ProbeView view;
  view.success = probe.success;
  if (probe.status) view.status = *probe.status;
  view.models = std::move(probe.models);
  view.error = std::move(probe.error);
  view.duration_ms = probe.duration.count();
  return view;
}

schema::Codec<LoadedView> loadedCodec() {
  return schema::Record<LoadedView>("UpstreamAdapter")
      .required("name", &LoadedView::name, string(), "Name of the adapter in the upstream.")
      .required("artifact", &LoadedView::artifact, string(),
                "Artifact version (`entity/project/collection:vN`); empty if this server has not "
                "used the adapter since its start.")
      .required("requests", &LoadedView::leases, schema::integer(),
                "Number of requests that use the adapter.")
      .codec();
}

Result<LoadedPage> listAdapters(const InferenceServices& services,
                                const Context& context,
                                const UpstreamPath& path) {
  TRY(requireUpstreamAdmin(services, context));
  const Upstream upstream = TRY(services.catalogue.findUpstream(path.name));
  LoadedPage page;
  for (LoadedUpstreamAdapter& adapter : services.upstream_adapters.loaded(upstream.id)) {
    LoadedView& view = page.items.emplace_back();
    view.leases = static_cast<std::int64_t>(adapter.requests);
    static_cast<LoadedUpstreamAdapter&>(view) = std::move(adapter);
  }
  return page;
}

}  // namespace

void addUpstreamRoutes(const InferenceRoutes& routes) {
  constexpr std::string_view kForAdmins = "For organization admins.";
  http::RoutePolicy outside = routes.policy();
  outside.uses_outbound_threads = true;
  const InferenceRoutes outside_routes = routes.with(outside);
  routes.post("/api/v1/upstreams",
              {"createUpstream", "Add an upstream",
               "An upstream is a server with an OpenAI-compatible API, such as vLLM, SGLang or "
               "a hosted provider. For organization admins."},
              createVersioned(newUpstreamCodec(), upstreamCodec()), createUpstream);
  routes.get("/api/v1/upstreams",
             {"listUpstreams", "List the upstreams",
              "The newest first, without their keys. For organization admins."},
             listPages("UpstreamPage", upstreamCodec()), listUpstreams);
  routes.get("/api/v1/upstreams/{name}", {"readUpstream", "Show an upstream", kForAdmins},
             readVersioned(upstreamPath(), upstreamCodec()), showUpstream);
  routes.get(
      "/api/v1/upstreams/{name}/adapters",
      {"listUpstreamAdapters", "List the adapters in an upstream",
       "Lists the adapters that this server has loaded into the upstream, sorted by name. For "
       "organization admins."},
      {.params = upstreamPath(), .reply = http::pageCodec("UpstreamAdapterPage", loadedCodec())},
      listAdapters);
  routes.patch("/api/v1/upstreams/{name}",
               {"updateUpstream", "Change an upstream",
                "The change applies to new requests immediately. For organization admins."},
               changeVersioned(upstreamPath(), upstreamChangeCodec(), upstreamCodec()),
               changeUpstream);
  routes.remove(
      "/api/v1/upstreams/{name}", {"deleteUpstream", "Remove an upstream", kForAdmins},
      removeVersioned(upstreamPath().query(
          "force", &UpstreamPath::force, schema::boolean(),
          "Remove it even if models use it; models without another target then have only their "
          "fallbacks.")),
      removeUpstream);
  outside_routes.post("/api/v1/upstreams/{name}/test",
                      {"testUpstream", "Test an upstream",
                       "Requests the model list of the upstream. The status is 200 even if that "
                       "fails; `success` contains the result. For organization admins of the "
                       "deployment."},
                      {.params = upstreamPath(), .reply = probeCodec()}, testUpstream);
}

}  // namespace spindle::inference
