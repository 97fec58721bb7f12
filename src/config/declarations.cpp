#include "config/declarations.h"

#include <algorithm>
#include <utility>

namespace spindle::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kGiB = 1024 * kMiB;

/// `server.`, `storage.` and `auth.` are left out of flag and environment names: what stands in
/// them is unmistakable without. All other sections stay: `--log-level`, `SPINDLE_LOG_LEVEL`.
std::string shortName(const std::string& key) {
  for (const std::string_view section : {"server.", "storage.", "auth."}) {
    if (key.starts_with(section)) return key.substr(section.size());
  }
  return key;
}

std::string environmentOf(const std::string& key) {
  std::string name = "SPINDLE_" + shortName(key);
  for (char& c : name) {
    if (c == '.') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

std::string flagOf(const std::string& key) {
  std::string name = "--" + shortName(key);
  for (char& c : name) {
    if (c == '.' || c == '_') c = '-';
  }
  return name;
}

template <class SectionType, class T>
Setting setting(std::string key,
                SectionType Settings::*section,
                T SectionType::*member,
                Codec<T> codec,
                std::string help) {
  Setting setting;
  setting.environment = environmentOf(key);
  setting.flag = flagOf(key);
  setting.key = std::move(key);
  setting.help = std::move(help);
  setting.type = std::move(codec.type);
  setting.expected = std::move(codec.expected);
  setting.example = std::move(codec.example);
  setting.text_example = std::move(codec.text_example);
  setting.secret = codec.secret;
  setting.is_boolean = std::is_same_v<T, bool>;
  setting.is_list = std::is_same_v<T, std::vector<std::string>>;
  setting.assign = [section, member, parse = std::move(codec.parse)](Settings& settings,
                                                                     const RawValue& raw) {
    std::optional<T> value = parse(raw);
    if (!value) return false;
    settings.*section.*member = *std::move(value);
    return true;
  };
  setting.literal = [section, member, literal = std::move(codec.literal)](
                        const Settings& settings) { return literal(settings.*section.*member); };
  return setting;
}

/// Takes the flag away: what stands on a command line is visible to every user of the machine.
Setting withoutFlag(Setting setting) {
  setting.flag.clear();
  return setting;
}

void addServer(std::vector<Setting>& all) {
  constexpr auto kServer = &Settings::server;
  using S = ServerSettings;
  all.push_back(setting("server.listen", kServer, &S::listen, listenAddress(),
                        "Where the server listens. An IPv6 address stands in brackets; port 0 "
                        "takes any free port; 0.0.0.0 accepts connections from other machines."));
  all.push_back(setting("server.io_threads", kServer, &S::io_threads, integer(0, 256, 2),
                        "Threads that move bytes between sockets and memory. 0 picks a number "
                        "that suits the machine."));
  all.push_back(setting("server.worker_threads", kServer, &S::worker_threads, integer(0, 4096, 16),
                        "Threads that handle requests and wait for storage. 0 picks a number "
                        "that suits the machine. One team or user gets at most three times as "
                        "many of them as are free."));
  all.push_back(setting("server.outbound_threads", kServer, &S::outbound_threads,
                        integer(0, 1024, 16),
                        "Threads for requests that wait for other servers: training data at a "
                        "URL, tests of webhooks and of upstreams. 0 stands for 16."));
  all.push_back(setting("server.tls_certificate", kServer, &S::tls_certificate,
                        path("/etc/spindle/tls/fullchain.pem"),
                        "PEM file with the certificate chain. Together with server.tls_key it "
                        "makes the server speak HTTPS; empty leaves it at HTTP."));
  all.push_back(setting("server.tls_key", kServer, &S::tls_key,
                        path("/etc/spindle/tls/privkey.pem"),
                        "PEM file with the private key of server.tls_certificate."));
  all.push_back(setting("server.cors_origins", kServer, &S::cors_origins, origins(),
                        "Web origins whose pages may call the API from a browser; * allows "
                        "every origin, an empty list none but the server's own."));
  all.push_back(setting("server.cors_credentials", kServer, &S::cors_credentials, boolean(),
                        "Lets pages of the allowed origins send cookies and saved credentials. "
                        "Needs named origins: browsers refuse it together with *."));
  all.push_back(setting("server.access_log", kServer, &S::access_log, boolean(),
                        "Writes one log line for each request."));
  all.push_back(setting("server.base_path", kServer, &S::base_path, urlPath("/spindle"),
                        "What stands before every path where a proxy passes on whole paths: with "
                        "/spindle, /spindle/v1/models is /v1/models. Paths without it work as "
                        "well."));
}

void addLimits(std::vector<Setting>& all) {
  constexpr auto kLimits = &Settings::limits;
  using L = LimitSettings;
  all.push_back(setting("limits.header_bytes", kLimits, &L::header_bytes, size(kKiB, kMiB, "32KiB"),
                        "Largest head of a request: request line and all headers. More is "
                        "answered with 431."));
  all.push_back(setting("limits.body", kLimits, &L::body, size(kKiB, 4 * kGiB, "32MiB"),
                        "Largest request body, after decompression, of tracing and other data "
                        "endpoints. More is answered with 413."));
  all.push_back(setting("limits.management_body", kLimits, &L::management_body,
                        size(kKiB, 64 * kMiB, "1MiB"),
                        "Largest request body of the management API."));
  all.push_back(setting("limits.stored_request", kLimits, &L::stored_request,
                        size(kMiB, 64 * kGiB, "128MiB"),
                        "Largest size of what one request may write to the trace store: calls, "
                        "feedback, spans and history of runs. More is answered with 413, and "
                        "nothing of the request is stored."));
  all.push_back(setting("limits.stored_growth", kLimits, &L::stored_growth, integer(1, 10'000, 32),
                        "How many times its own size, after decompression, an OTLP request may "
                        "take in the trace store, beside 1MiB that is always allowed. More is "
                        "answered with 413, and nothing of the request is stored."));
  all.push_back(setting("limits.body_memory", kLimits, &L::body_memory,
                        size(0, 1024 * kGiB, "4GiB"),
                        "Memory that request bodies may take together, decompressed ones "
                        "included. While it is exhausted the answer is 503 with Retry-After. 0 "
                        "stands for a quarter of the machine's (or the container's) memory."));
  all.push_back(setting("limits.body_memory_per_key", kLimits, &L::body_memory_per_key,
                        size(0, 1024 * kGiB, "1GiB"),
                        "Memory that request bodies of one API key may take together. While it "
                        "is exhausted the answer is 429 with Retry-After. 0 stands for a quarter "
                        "of limits.body_memory, and at least twice limits.body."));
  all.push_back(setting("limits.unauthenticated_memory", kLimits, &L::unauthenticated_memory,
                        size(0, 1024 * kGiB, "64MiB"),
                        "Memory that clients without a checked API key may take together: heads "
                        "of requests, and bodies for routes that need no key. While it is "
                        "exhausted they are answered with 503. 0 stands for 1/32 of "
                        "limits.body_memory, and at least 16 MiB."));
  all.push_back(setting("limits.body_rate", kLimits, &L::body_rate, size(0, kGiB, "1KiB"),
                        "Fewest bytes that a client must send of a request body in a second, on "
                        "average and after limits.body_grace. Slower ones are answered with 408 "
                        "and closed. 0 sets no limit."));
  all.push_back(setting("limits.body_grace", kLimits, &L::body_grace,
                        duration(seconds(0), hours(1), "30s"),
                        "Time that the server waits for a request body before limits.body_rate "
                        "counts."));
  all.push_back(setting("limits.json_depth", kLimits, &L::json_depth, integer(8, 1000, 200),
                        "Deepest nesting of arrays and objects in a JSON body."));
  all.push_back(setting("limits.connections", kLimits, &L::connections,
                        integer(1, 1'000'000, 20000),
                        "Open connections; further ones are answered with 503 and closed. The "
                        "open-file limit of the process must leave room for them: see "
                        "`spindle doctor`."));
  all.push_back(setting("limits.queued_requests", kLimits, &L::queued_requests,
                        integer(1, 1'000'000, 1024),
                        "Requests that may wait for a worker thread; further ones are answered "
                        "with 503 and Retry-After at once."));
  all.push_back(setting("limits.header_timeout", kLimits, &L::header_timeout,
                        duration(milliseconds(100), hours(1), "10s"),
                        "Time a client has to send the head of a request once it has begun."));
  all.push_back(setting("limits.body_timeout", kLimits, &L::body_timeout,
                        duration(milliseconds(100), hours(1), "30s"),
                        "Longest pause between two pieces of a request body."));
  all.push_back(setting("limits.idle_timeout", kLimits, &L::idle_timeout,
                        duration(milliseconds(100), hours(24), "75s"),
                        "Time a kept-alive connection may stand unused before it is closed."));
  all.push_back(setting("limits.write_timeout", kLimits, &L::write_timeout,
                        duration(milliseconds(100), hours(1), "60s"),
                        "Time a client may refuse to read before its connection is cut."));
  all.push_back(setting("limits.drain_timeout", kLimits, &L::drain_timeout,
                        duration(seconds(0), hours(1), "10s"),
                        "Time that requests under way get to finish after SIGTERM."));
  all.push_back(setting("limits.requests_per_minute", kLimits, &L::requests_per_minute,
                        integer(0, 1'000'000'000, 6000),
                        "Requests that one API key may make in a minute; more are answered "
                        "with 429. 0 sets no limit."));
  all.push_back(setting("limits.history_rows_per_minute", kLimits, &L::history_rows_per_minute,
                        integer(0, 1'000'000'000, 1000),
                        "Rows that one run may log in a minute; more are answered with 429. 0 "
                        "sets no limit."));
  all.push_back(setting("limits.automations", kLimits, &L::automations, integer(1, 100'000, 200),
                        "Automations that one project or registry may have."));
  all.push_back(setting("limits.projects_per_team", kLimits, &L::projects_per_team,
                        integer(0, 10'000'000, 1000),
                        "Projects that one team may have. One more is refused with 403 "
                        "(project_limit), also where a first write would create it. 0 sets no "
                        "limit."));
}

void addStorage(std::vector<Setting>& all) {
  constexpr auto kStorage = &Settings::storage;
  using S = StorageSettings;
  all.push_back(setting("storage.data_dir", kStorage, &S::data_dir, path("/var/lib/spindle"),
                        "Folder that holds everything the server keeps. Created with mode 0700 "
                        "at the first start; one server at a time uses it."));
  all.push_back(setting("storage.metadata", kStorage, &S::metadata, metadataLocation(),
                        "Where users, teams, keys and jobs are kept: `sqlite` is a file in the "
                        "data folder, a postgres:// URI names a PostgreSQL 15 database. Give a "
                        "URI that contains a password in the environment or the file, not as a "
                        "flag: others on the machine can read command lines."));
  all.push_back(setting("storage.metadata_readers", kStorage, &S::metadata_readers,
                        integer(1, 256, 4), "Connections that read metadata at the same time."));
  all.push_back(withoutFlag(
      setting("storage.secret_key", kStorage, &S::secret_key, secret(32, "openssl rand -hex 32"),
              "Key that encrypts stored secrets and keys the hashes of API keys. Empty: a key "
              "file is made in the data folder at the first start. Changing it makes stored "
              "secrets and API keys unusable.")));
}

void addTraces(std::vector<Setting>& all) {
  constexpr auto kTraces = &Settings::traces;
  using T = TraceSettings;
  all.push_back(setting("traces.memory", kTraces, &T::memory, size(64 * kMiB, 1024 * kGiB, "2GiB"),
                        "Memory that queries over calls, feedback and spans may use together. "
                        "Beyond it they spill to disk, or fail alone with a clear message."));
  all.push_back(setting("traces.recent", kTraces, &T::recent, size(kMiB, 64 * kGiB, "256MiB"),
                        "Recently written rows that are kept in memory, beside the journal on "
                        "disk, until they are moved into the columnar file."));
  all.push_back(setting("traces.spill", kTraces, &T::spill, size(0, 1024 * kGiB, "64GiB"),
                        "Disk space that large queries may use for temporary files."));
  all.push_back(setting("traces.threads", kTraces, &T::threads, integer(0, 1024, 4),
                        "Threads that work on one query; 0 takes one for each processor."));
  all.push_back(setting("traces.query_timeout", kTraces, &T::query_timeout,
                        duration(milliseconds(100), hours(24), "60s"),
                        "Longest time one query may take; beyond it the answer is 504."));
}

void addAgents(std::vector<Setting>& all) {
  constexpr auto kAgents = &Settings::agents;
  using A = AgentSettings;
  all.push_back(setting("agents.sample_rate", kAgents, &A::sample_rate, fraction("0.25"),
                        "Part of all traces that the agent views keep, chosen by trace id; those "
                        "of evaluations are always kept. 1 keeps everything. Calls are never "
                        "sampled."));
  all.push_back(setting("agents.sample_dry_run", kAgents, &A::sample_dry_run, boolean(),
                        "Keeps everything and only counts what agents.sample_rate would drop, in "
                        "the metric spindle_agents_sampled_out_spans_total."));
}

void addEvaluation(std::vector<Setting>& all) {
  constexpr auto kEvaluation = &Settings::evaluation;
  using E = EvaluationSettings;
  all.push_back(setting("evaluation.upstream_url", kEvaluation, &E::upstream_url,
                        webAddress("https://models.example.com/v1"),
                        "OpenAI-compatible API that evaluations run by the server send their "
                        "chat completions to, up to and with `/v1`. Empty: such evaluations "
                        "fail with a message that says so."));
  all.push_back(withoutFlag(
      setting("evaluation.upstream_key", kEvaluation, &E::upstream_key, secret(1, "cat the-key"),
              "API key sent to evaluation.upstream_url as a Bearer token. Empty sends none.")));
  all.push_back(setting("evaluation.upstream_timeout", kEvaluation, &E::upstream_timeout,
                        duration(milliseconds(100), hours(1), "2m"),
                        "Longest time one answer of the upstream may take; then it is asked "
                        "again, as after an error of its own."));
  all.push_back(setting("evaluation.concurrency", kEvaluation, &E::concurrency, integer(1, 256, 8),
                        "Examples of one evaluation run that are worked on at the same time."));
  all.push_back(setting("evaluation.retries", kEvaluation, &E::retries, integer(0, 20, 4),
                        "How often a model is asked again after 429, 5xx, a timeout or a lost "
                        "connection, with growing pauses, before the example counts as failed."));
}

Codec<SandboxMode> sandboxMode() {
  return choice<SandboxMode>({{"auto", SandboxMode::kAuto}, {"off", SandboxMode::kOff}});
}

void addInference(std::vector<Setting>& all) {
  constexpr auto kInference = &Settings::inference;
  using I = InferenceSettings;
  all.push_back(setting("inference.engine_path", kInference, &I::engine_path,
                        path("/usr/local/bin/spindle-engine"),
                        "The program that answers for model files. Empty: `spindle-engine` in the "
                        "folder of the server's own program."));
  all.push_back(setting("inference.default_model", kInference, &I::default_model,
                        path("/usr/local/share/spindle/spindle-nano.gguf"),
                        "The model file that a new server has a model of, under the file's name. "
                        "Empty: `spindle-nano.gguf`, where it is beside the server's own program "
                        "or in a folder `models`. `none`: no model."));
  all.push_back(setting("inference.memory", kInference, &I::memory,
                        size(0, 1024 * 1024 * kGiB, "48GiB"),
                        "Memory that the engines of all models may use together: weights, and "
                        "what they remember of texts. The model that was used least recently "
                        "makes room for another. 0 takes half of the machine's memory."));
  all.push_back(setting("inference.slots", kInference, &I::slots, integer(1, 64, 8),
                        "Requests that one engine answers at the same time; more of them wait."));
  all.push_back(setting("inference.context", kInference, &I::context, integer(16, 4'194'304, 16384),
                        "Tokens of prompt and answer together that an engine remembers for each "
                        "request, of models that do not say their own. Never more than a model "
                        "is made for."));
  all.push_back(setting("inference.threads", kInference, &I::threads, integer(0, 1024, 16),
                        "Threads that one engine computes with; 0 takes one for each processor."));
  all.push_back(setting("inference.adapters", kInference, &I::adapters, integer(1, 256, 16),
                        "LoRA adapters that one engine holds in memory at the same time. The one "
                        "that was used least recently makes room for another."));
  all.push_back(setting("inference.adapter_cache", kInference, &I::adapter_cache,
                        size(kMiB, 1024 * 1024 * kGiB, "20GiB"),
                        "Disk space for adapters that were taken out of artifacts for engines."));
  all.push_back(setting("inference.idle_unload", kInference, &I::idle_unload,
                        duration(milliseconds(0), hours(24 * 365), "30m"),
                        "Time without requests after which a model is taken out of memory; the "
                        "next request loads it again. 0 keeps models until others need the room."));
  all.push_back(setting("inference.start_timeout", kInference, &I::start_timeout,
                        duration(seconds(1), hours(24), "10m"),
                        "Longest time that loading a model may take."));
  all.push_back(setting("inference.health_interval", kInference, &I::health_interval,
                        duration(milliseconds(10), hours(1), "10s"),
                        "Time between two questions to an upstream whether it is alive. One that "
                        "does not answer twice is left alone until it does."));
  all.push_back(setting("inference.circuit_failures", kInference, &I::circuit_failures,
                        integer(1, 1000, 10),
                        "Requests to an upstream that may fail one after the other before it is "
                        "left alone for a while."));
  all.push_back(setting("inference.circuit_pause", kInference, &I::circuit_pause,
                        duration(milliseconds(10), hours(1), "2s"),
                        "Time for which an upstream that fails is left alone. Then one request "
                        "tries it; as long as that fails too, every pause is twice the one before, "
                        "up to a minute."));
  all.push_back(setting("inference.usage_days", kInference, &I::usage_days, integer(1, 36'500, 90),
                        "Days for which it is kept what was used of models."));
  all.push_back(
      setting("inference.usage_sync", kInference, &I::usage_sync,
              choice<UsageSync>({{"each", UsageSync::kEach}, {"interval", UsageSync::kInterval}}),
              "When the usage of a completion is synced to the disk. `each`: before the "
              "end of the answer is sent; completions that end together share one sync. "
              "`interval`: within about a second; usage survives the end of the server "
              "process, but a power failure can lose the last second. Choose `interval` "
              "where a sync of the disk takes longer than an answer may be delayed."));
  all.push_back(setting("inference.sandbox", kInference, &I::sandbox, sandboxMode(),
                        "Whether engines are restricted: no network, no files but the model and "
                        "its adapters, no other programs. auto takes every measure that the kernel "
                        "and the container allow, and logs which; off takes none."));
}

void addTraining(std::vector<Setting>& all) {
  constexpr auto kTraining = &Settings::training;
  using T = TrainingSettings;
  all.push_back(setting("training.local", kTraining, &T::local, boolean(),
                        "Start a trainer on this machine when a training job waits that no other "
                        "trainer takes. Turn it off where trainers run on hosts of their own."));
  all.push_back(setting("training.trainer_path", kTraining, &T::trainer_path,
                        path("/usr/local/bin/spindle-trainer"),
                        "The program that trains. Empty: `spindle-trainer` in the folder of the "
                        "server's own program."));
  all.push_back(setting("training.threads", kTraining, &T::threads, integer(0, 1024, 16),
                        "Threads that this machine's trainer computes with; 0 takes one for each "
                        "processor."));
  all.push_back(setting("training.idle_stop", kTraining, &T::idle_stop,
                        duration(seconds(1), hours(24 * 365), "30m"),
                        "Time without jobs after which this machine's trainer ends; the next job "
                        "starts it again."));
  all.push_back(setting("training.save_interval", kTraining, &T::save_interval,
                        duration(milliseconds(0), hours(24), "1m"),
                        "Time between two saved states of a job, from which it goes on when "
                        "this machine's trainer dies. 0 saves after every step."));
  all.push_back(setting("training.fetch_limit", kTraining, &T::fetch_limit,
                        size(kKiB, 1024 * kGiB, "4GiB"),
                        "Most bytes of training data that the server fetches from a URL. Where "
                        "such URLs may lead is what the settings of webhooks say."));
  all.push_back(setting("training.data_folder", kTraining, &T::data_folder,
                        path("/srv/training-data"),
                        "Folder below which training data may be named as file:///…. Everyone who "
                        "may train can read what is there. Empty: none."));
  all.push_back(
      setting("training.sandbox", kTraining, &T::sandbox, sandboxMode(),
              "Whether this machine's trainer is restricted: no network but the server, "
              "no files but its folder and the base models, no other programs. auto takes "
              "every measure that the kernel and the container allow, and logs which; "
              "off takes none."));
}

void addWebhooks(std::vector<Setting>& all) {
  constexpr auto kWebhooks = &Settings::webhooks;
  using W = WebhookSettings;
  all.push_back(setting("webhooks.allow_private", kWebhooks, &W::allow_private,
                        choice<PrivateTargets>({{"auto", PrivateTargets::kAuto},
                                                {"always", PrivateTargets::kAlways},
                                                {"never", PrivateTargets::kNever}}),
                        "Whether webhooks may call loopback and private addresses. auto allows it "
                        "only while the server listens on loopback, has a single account, and no "
                        "proxy has relayed a request to it. Link-local and cloud metadata "
                        "addresses stay closed."));
  all.push_back(setting("webhooks.allow_http", kWebhooks, &W::allow_http, boolean(),
                        "Lets webhooks do without TLS everywhere. Where private addresses are "
                        "allowed, and for hosts in webhooks.allow_hosts, they may anyway."));
  all.push_back(setting("webhooks.allow_hosts", kWebhooks, &W::allow_hosts, hosts(),
                        "Hosts that webhooks may call whatever their address, except link-local "
                        "and cloud metadata addresses."));
  all.push_back(setting("webhooks.allow_cidrs", kWebhooks, &W::allow_cidrs, networks(),
                        "Networks that webhooks may call. A link-local or cloud metadata address "
                        "must be listed by itself, as /32 or /128."));
  all.push_back(setting("webhooks.ca_file", kWebhooks, &W::ca_file, path("/etc/spindle/tls/ca.pem"),
                        "PEM file with the certificates that endpoints of webhooks are checked "
                        "against, in place of the system's."));
  all.push_back(setting("webhooks.timeout", kWebhooks, &W::timeout,
                        duration(milliseconds(100), seconds(45), "15s"),
                        "Longest time one attempt may take, from connecting to the end of the "
                        "answer."));
  all.push_back(setting("webhooks.retry_delays", kWebhooks, &W::retry_delays,
                        durations(milliseconds(0), hours(24), 20),
                        "How long to wait after each failed attempt of a delivery before the "
                        "next; when the list ends the delivery has failed."));
  all.push_back(setting("webhooks.retry_jitter", kWebhooks, &W::retry_jitter, fraction("0.2"),
                        "Part of a delay by which it varies at random, up and down, so that "
                        "deliveries that failed together do not come back together."));
  all.push_back(setting("webhooks.deliveries_per_minute", kWebhooks, &W::deliveries_per_minute,
                        integer(0, 1'000'000, 60),
                        "Deliveries that one automation may make. More of them wait, for ten "
                        "minutes at most, and are skipped after that. 0: no limit."));
  all.push_back(setting("webhooks.concurrency", kWebhooks, &W::concurrency, integer(1, 1024, 64),
                        "Deliveries that may be under way at the same time, to all endpoints "
                        "together."));
}

std::vector<Setting> makeDeclarations() {
  std::vector<Setting> all;
  addServer(all);
  addLimits(all);
  addStorage(all);
  addTraces(all);
  addAgents(all);
  addEvaluation(all);
  addInference(all);
  addTraining(all);
  addWebhooks(all);
  all.push_back(setting("log.level", &Settings::log, &LogSettings::level,
                        choice<LogLevel>({{"debug", LogLevel::kDebug},
                                          {"info", LogLevel::kInfo},
                                          {"warning", LogLevel::kWarning},
                                          {"error", LogLevel::kError}}),
                        "Least severe kind of line that is written to stderr."));
  all.push_back(setting("log.format", &Settings::log, &LogSettings::format,
                        choice<LogFormatChoice>({{"auto", LogFormatChoice::kAuto},
                                                 {"json", LogFormatChoice::kJson},
                                                 {"text", LogFormatChoice::kText}}),
                        "Shape of log lines; auto writes text to a terminal and JSON to "
                        "anything else."));
  all.push_back(setting("wire.profile", &Settings::wire, &WireSettings::profile,
                        choice<wire::Profile>({{"auto", wire::Profile::kAuto},
                                               {"neutral", wire::Profile::kNeutral},
                                               {"vendor", wire::Profile::kVendor}}),
                        "Names used in answers; auto emits vendor spellings only to a client "
                        "that identifies itself as that vendor's SDK. Both are always accepted."));
  all.push_back(withoutFlag(
      setting("auth.admin_api_key", &Settings::auth, &AuthSettings::admin_api_key,
              secret(20, "openssl rand -hex 24"),
              "API key of the bootstrap administrator. Empty: a key is generated at the first "
              "start, printed once and kept in the file admin-api-key of the data folder.")));
  return all;
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"server", "Server", "Where and how the server listens."},
      {"limits", "Limits", "What a client may ask for, and for how long."},
      {"storage", "Storage", "Where things are kept."},
      {"traces", "Traces", "The embedded store of calls, feedback and spans."},
      {"agents", "Agents", "Spans that come in as steps of agents."},
      {"evaluation", "Evaluations", "Evaluations that the server runs itself."},
      {"inference", "Inference",
       "Engines that answer for model files on this machine, and upstreams."},
      {"training", "Training",
       "The trainer that the server starts on its own machine, and data from elsewhere."},
      {"webhooks", "Webhooks", "Where webhooks may go, and how deliveries get there."},
      {"log", "Log", "What is written to stderr."},
      {"wire", "Wire", "How answers are spelled."},
      {"auth", "Authentication", "The first administrator."},
  };
  return all;
}

const std::vector<Setting>& declarations() {
  static const std::vector<Setting> all = makeDeclarations();
  return all;
}

const Setting* findSetting(std::string_view key) {
  const std::vector<Setting>& all = declarations();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [key](const Setting& setting) { return setting.key == key; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace spindle::config
