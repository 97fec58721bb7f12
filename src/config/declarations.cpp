#include "config/declarations.h"

#include <algorithm>
#include <utility>

#include "base/core/byte_units.h"

namespace spindle::config {
namespace {

using std::chrono::hours, std::chrono::milliseconds, std::chrono::minutes, std::chrono::seconds;

/// Removes the sections `server.`, `storage.` and `auth.`, because their settings are unambiguous
/// without them. Flags and environment variables of all other sections keep the section:
/// `--log-level`, `SPINDLE_LOG_LEVEL`.
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

/// Adds the settings of one section.
template <class SectionType>
class SectionSettings {
 public:
  SectionSettings(std::vector<Setting>& all, SectionType Settings::*section)
      : all_(all), section_(section) {}

  template <class T>
  Setting& operator()(std::string key,
                      T SectionType::*member,
                      Codec<T> codec,
                      std::string help) const {
    return all_.emplace_back(
        setting(std::move(key), section_, member, std::move(codec), std::move(help)));
  }

 private:
  std::vector<Setting>& all_;
  SectionType Settings::*section_;
};

/// Removes the flag: every user of the machine can read command lines.
void withoutFlag(Setting& setting) { setting.flag.clear(); }

void addServer(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::server);
  using S = ServerSettings;
  add("server.listen", &S::listen, listenAddress(),
      "Address on which the server listens. Write an IPv6 address in brackets; port 0 "
      "takes any free port; 0.0.0.0 accepts connections from other machines.");
  add("server.io_threads", &S::io_threads, integer(0, 256, 2),
      "Threads for network I/O. 0 chooses a number that suits the machine.");
  add("server.worker_threads", &S::worker_threads, integer(0, 4096, 16),
      "Threads that handle requests and wait for storage. 0 chooses a number that suits the "
      "machine. One team or user occupies at most three times as many threads as are free.");
  add("server.outbound_threads", &S::outbound_threads, integer(0, 1024, 16),
      "Threads for requests that wait for other servers: training data at a URL, "
      "tests of webhooks and of upstreams. 0 means 16.");
  add("server.tls_certificate", &S::tls_certificate, path("/etc/spindle/tls/fullchain.pem"),
      "PEM file with the certificate chain. With server.tls_key, the server "
      "speaks HTTPS; empty: HTTP.");
  add("server.tls_key", &S::tls_key, path("/etc/spindle/tls/privkey.pem"),
      "PEM file with the private key of server.tls_certificate.");
  add("server.cors_origins", &S::cors_origins, origins(),
      "Web origins whose pages may call the API from a browser. * allows every "
      "origin, an empty list only the server's own.");
  add("server.cors_credentials", &S::cors_credentials, boolean(),
      "Allows pages of the allowed origins to send cookies and saved credentials. Requires "
      "named origins: browsers reject credentials together with *.");
  add("server.access_log", &S::access_log, boolean(), "Writes one log line for each request.");
  add("server.read_only", &S::read_only, boolean(),
      "Serves requests that only read, and refuses all others with 503 and Retry-After. Runs no "
      "background work. For the time in which `spindle migrate` moves the data.");
  add("server.base_path", &S::base_path, urlPath("/spindle"),
      "Path prefix for a proxy that forwards whole paths: with /spindle, "
      "/spindle/v1/models is /v1/models. Paths without the prefix work as well.");
  add("server.public_url", &S::public_url, httpUrl("https://spindle.example.com"),
      "URL at which browsers reach the server, with the path prefix if there is one. Set it "
      "behind a proxy: sessions are valid at its host, and with https their cookies are Secure.");
  add("server.allowed_hosts", &S::allowed_hosts, hosts(),
      "Further host names at which browsers may use sessions. IP addresses, localhost, the host "
      "of server.listen and of server.public_url are always allowed. Other names are refused, "
      "because an attacker could let them resolve to this server.");
  add("server.trusted_proxies", &S::trusted_proxies, networks(),
      "Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are believed.");
}

void addLimits(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::limits);
  using L = LimitSettings;
  add("limits.header_bytes", &L::header_bytes, size(kKiB, kMiB, "32KiB"),
      "Maximum size of the request line and all headers. Larger requests get 431.");
  add("limits.body", &L::body, size(kKiB, 4 * kGiB, "32MiB"),
      "Maximum request body, after decompression, of tracing and other data "
      "endpoints. Larger bodies get 413.");
  add("limits.management_body", &L::management_body, size(kKiB, 64 * kMiB, "1MiB"),
      "Maximum request body of the management API.");
  add("limits.stored_request", &L::stored_request, size(kMiB, 64 * kGiB, "128MiB"),
      "Maximum size of the data that one request writes to the trace store: calls, feedback, spans "
      "and history of runs. Larger requests get 413, and nothing of them is stored.");
  add("limits.stored_growth", &L::stored_growth, integer(1, 10'000, 32),
      "Maximum size of an OTLP request in the trace store, as a multiple of its decompressed size; "
      "1MiB more is always allowed. Larger requests get 413, and nothing of them is stored.");
  add("limits.body_memory", &L::body_memory, size(0, 1024 * kGiB, "4GiB"),
      "Memory for all request bodies together, including decompressed ones. Requests beyond it get "
      "503 with Retry-After. 0 means a quarter of the memory of the machine or container.");
  add("limits.body_memory_per_key", &L::body_memory_per_key, size(0, 1024 * kGiB, "1GiB"),
      "Memory for all request bodies of one API key. Requests beyond it get 429 with Retry-After. "
      "0 means a quarter of limits.body_memory, and at least twice limits.body.");
  add("limits.unauthenticated_memory", &L::unauthenticated_memory, size(0, 1024 * kGiB, "64MiB"),
      "Memory for all clients without a verified API key: request heads, and "
      "bodies of routes that need no key. Requests beyond it get 503. 0 means "
      "1/32 of limits.body_memory, and at least 16 MiB.");
  add("limits.body_rate", &L::body_rate, size(0, kGiB, "1KiB"),
      "Minimum average rate of a request body in bytes per second, after limits.body_grace. Slower "
      "requests get 408, and the connection is closed. 0 sets no limit.");
  add("limits.body_grace", &L::body_grace, duration(seconds(0), hours(1), "30s"),
      "Time from the start of a request body until limits.body_rate applies.");
  add("limits.json_depth", &L::json_depth, integer(8, 1000, 200),
      "Maximum nesting of arrays and objects in a JSON body.");
  add("limits.connections", &L::connections, integer(1, 1'000'000, 20000),
      "Maximum number of open connections. Further connections get 503 and are closed. The "
      "open-file limit of the process must allow that many: see `spindle doctor`.");
  add("limits.queued_requests", &L::queued_requests, integer(1, 1'000'000, 1024),
      "Maximum number of requests that wait for a worker thread. Further "
      "requests get 503 with Retry-After at once.");
  add("limits.header_timeout", &L::header_timeout, duration(milliseconds(100), hours(1), "10s"),
      "Maximum time from the first byte of a request to the end of its headers.");
  add("limits.body_timeout", &L::body_timeout, duration(milliseconds(100), hours(1), "30s"),
      "Maximum time between two chunks of a request body.");
  add("limits.idle_timeout", &L::idle_timeout, duration(milliseconds(100), hours(24), "75s"),
      "Time after which an idle keep-alive connection is closed.");
  add("limits.write_timeout", &L::write_timeout, duration(milliseconds(100), hours(1), "60s"),
      "Maximum time without progress while a response is sent; then the connection is closed.");
  add("limits.drain_timeout", &L::drain_timeout, duration(seconds(0), hours(1), "10s"),
      "Time that running requests have to finish after SIGTERM.");
  add("limits.requests_per_minute", &L::requests_per_minute, integer(0, 1'000'000'000, 6000),
      "Requests per minute of one API key; further requests get 429. 0 sets no limit.");
  add("limits.history_rows_per_minute", &L::history_rows_per_minute,
      integer(0, 1'000'000'000, 1000),
      "History rows per minute of one run; further rows get 429. 0 sets no limit.");
  add("limits.automations", &L::automations, integer(1, 100'000, 200),
      "Maximum number of automations of one project or registry.");
  add("limits.projects_per_team", &L::projects_per_team, integer(0, 10'000'000, 1000),
      "Maximum number of projects of one team. A further project gets 403 (project_limit), also "
      "when a first write would create it. 0 sets no limit.");
  add("limits.live_streams", &L::live_streams, integer(0, 100'000, 5000),
      "Maximum number of open streams of live changes (GET /api/v1/stream); further streams get "
      "503. 0 refuses all.");
  add("limits.live_streams_per_user", &L::live_streams_per_user, integer(1, 10'000, 32),
      "Maximum number of open streams of live changes of one user; further streams get 429.");
  add("limits.live_streams_per_team", &L::live_streams_per_team, integer(0, 100'000, 500),
      "Maximum number of open streams of live changes of the users and service accounts of one "
      "team; further streams get 429. A user with several teams counts for itself. 0 means a "
      "quarter of limits.live_streams.");
}

void addStorage(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::storage);
  using S = StorageSettings;
  add("storage.data_dir", &S::data_dir, path("/var/lib/spindle"),
      "Folder with all data of the server. The first start creates it with mode "
      "0700; one server at a time uses it.");
  add("storage.metadata", &S::metadata, metadataLocation(),
      "Database for users, teams, keys and jobs: `sqlite` is a file in the data folder; a "
      "postgres:// URI names a PostgreSQL 15 database. Give a URI that contains a password in the "
      "environment or the file, not as a flag: others on the machine can read command lines.");
  add("storage.metadata_readers", &S::metadata_readers, integer(1, 256, 4),
      "Maximum number of concurrent connections that read metadata.");
  withoutFlag(
      add("storage.secret_key", &S::secret_key, secret(32, "openssl rand -hex 32"),
          "Key that encrypts stored secrets and keys the hashes of API keys. Empty: the first "
          "start creates a key file in the data folder. Another key makes stored secrets and "
          "API keys unusable."));
}

void addFiles(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::files);
  using F = FileSettings;
  add("files.store", &F::store,
      choice<FileStore>({{"folder", FileStore::kFolder}, {"s3", FileStore::kS3}}),
      "Place of the content of artifacts, file objects and training data: `folder` is a folder in "
      "the data folder; `s3` is a bucket that several servers with the same PostgreSQL database "
      "can share. A change does not move existing files.");
  add("files.s3_endpoint", &F::s3_endpoint, httpUrl("https://s3.eu-central-1.amazonaws.com"),
      "URL of the S3 server, without the bucket.");
  add("files.s3_bucket", &F::s3_bucket, plainText(255, "spindle-files"),
      "Name of the bucket. It must exist.");
  add("files.s3_prefix", &F::s3_prefix, plainText(200, "production/"),
      "Start of all keys in the bucket, usually with a slash at its end. Deployments with "
      "different databases need different prefixes or buckets.");
  add("files.s3_region", &F::s3_region, plainText(64, "eu-central-1"),
      "Region of the bucket, for signatures.");
  add("files.s3_path_style", &F::s3_path_style, boolean(),
      "Sends the bucket in the path of a URL, not in its host name.");
  add("files.s3_credentials_file", &F::s3_credentials_file, path("/etc/spindle/s3-credentials"),
      "File with `aws_access_key_id`, `aws_secret_access_key` and optionally `aws_session_token` "
      "in the section `[default]`. It is read again after a change. Empty: the environment "
      "variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.");
  add("files.s3_ca_file", &F::s3_ca_file, path("/etc/spindle/s3-ca.pem"),
      "PEM bundle of the certificates to trust. Empty: those of the system.");
  add("files.s3_timeout", &F::s3_timeout, duration(seconds(1), minutes(10), "30s"),
      "Maximum time of one request to the S3 server, without the time in which its body is sent. "
      "Reads request 8 MiB at a time. Failed requests are repeated up to three times within a "
      "minute.");
  add("files.s3_cache", &F::s3_cache, size(0, 1024UL * 1024 * kGiB, "50GiB"),
      "Disk space in the data folder for copies of files. The copies that were used least recently "
      "are removed.");
  add("files.s3_direct_downloads", &F::s3_direct_downloads, boolean(),
      "Redirects downloads of artifact files to the S3 server, with URLs that are valid for five "
      "minutes. Clients must be able to reach files.s3_endpoint.");
}

void addClickHouse(const SectionSettings<TraceSettings>& add) {
  using T = TraceSettings;
  add("traces.clickhouse_url", &T::clickhouse_url, httpUrl("https://clickhouse.example.com:8443"),
      "URL of the HTTP interface of ClickHouse 24.8 or later, or of a balancer in front of its "
      "replicas.");
  add("traces.clickhouse_user", &T::clickhouse_user, plainText(255, "spindle"),
      "User of the ClickHouse server. It needs the privileges to create, change, read and write "
      "tables of the database.");
  withoutFlag(add("traces.clickhouse_password", &T::clickhouse_password, secret(1, "the-password"),
                  "Password of the user. Empty: the user has none."));
  add("traces.clickhouse_database", &T::clickhouse_database, plainText(255, "spindle"),
      "Name of the ClickHouse database. It must exist. Deployments with different metadata "
      "databases need different ClickHouse databases.");
  add("traces.clickhouse_replicated", &T::clickhouse_replicated, boolean(),
      "Creates replicated tables; the macros {shard} and {replica} of the servers name the "
      "replicas. A write then returns when a majority of the replicas has it. Cannot be changed "
      "after the first start.");
  add("traces.clickhouse_cluster", &T::clickhouse_cluster, plainText(128, "main"),
      "Name of the ClickHouse cluster on whose servers tables are created. Empty: on the connected "
      "server only. Cannot be changed after the first start.");
  add("traces.clickhouse_ca_file", &T::clickhouse_ca_file, path("/etc/spindle/clickhouse-ca.pem"),
      "PEM bundle of the certificates to trust. Empty: those of the system.");
  add("traces.clickhouse_compression", &T::clickhouse_compression,
      choice<Compression>({{"none", Compression::kNone},
                           {"gzip", Compression::kGzip},
                           {"zstd", Compression::kZstd}}),
      "Compression of rows and results between the server and ClickHouse. Saves network traffic "
      "and "
      "costs processor time.");
  add("traces.clickhouse_connect_timeout", &T::clickhouse_connect_timeout,
      duration(milliseconds(100), minutes(5), "5s"), "Maximum time of a connection to ClickHouse.");
  add("traces.clickhouse_insert_timeout", &T::clickhouse_insert_timeout,
      duration(seconds(1), minutes(30), "30s"), "Maximum time of one INSERT of ClickHouse.");
  add("traces.clickhouse_query_memory", &T::clickhouse_query_memory,
      size(64 * kMiB, 1024 * kGiB, "8GiB"),
      "Memory of one query in the ClickHouse server. Larger sorts and groups use its disk; a query "
      "that needs more fails alone with an error.");
  add("traces.clickhouse_connections", &T::clickhouse_connections, integer(1, 4096, 64),
      "Maximum number of concurrent queries of this server in ClickHouse, and of its other "
      "requests. Further ones wait.");
}

void addTraces(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::traces);
  using T = TraceSettings;
  add("traces.store", &T::store,
      choice<TraceStoreChoice>({{"embedded", TraceStoreChoice::kEmbedded},
                                {"clickhouse", TraceStoreChoice::kClickHouse}}),
      "Place of calls, spans, feedback, history of runs and usage of the gateway: `embedded` is a "
      "columnar store in the data folder; `clickhouse` is a ClickHouse database that several "
      "servers with the same PostgreSQL database can share. A change does not move existing data.");
  add("traces.memory", &T::memory, size(64 * kMiB, 1024 * kGiB, "2GiB"),
      "Embedded store: memory for all queries over calls, feedback and spans together. A query "
      "that needs more spills to disk, or fails alone with an error.");
  add("traces.recent", &T::recent, size(kMiB, 64 * kGiB, "256MiB"),
      "Embedded store: memory for rows that are in the journal but not yet flushed to the columnar "
      "file.");
  add("traces.spill", &T::spill, size(0, 1024 * kGiB, "64GiB"),
      "Embedded store: disk space for temporary files of large queries.");
  add("traces.threads", &T::threads, integer(0, 1024, 4),
      "Embedded store: threads of one query; 0 means one for each processor.");
  add("traces.query_timeout", &T::query_timeout, duration(milliseconds(100), hours(24), "60s"),
      "Maximum time of one query. Longer queries get 504.");
  addClickHouse(add);
}

void addAgents(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::agents);
  using A = AgentSettings;
  add("agents.sample_rate", &A::sample_rate, fraction("0.25"),
      "Fraction of the traces that the agent views keep, selected by trace id. Traces of "
      "evaluations are always kept. 1 keeps everything. Calls are never sampled.");
  add("agents.sample_dry_run", &A::sample_dry_run, boolean(),
      "Keeps all traces and only counts the spans that agents.sample_rate would "
      "drop, in the metric spindle_agents_sampled_out_spans_total.");
}

void addEvaluation(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::evaluation);
  using E = EvaluationSettings;
  add("evaluation.upstream_url", &E::upstream_url, httpUrl("https://models.example.com/v1"),
      "Base URL, up to and including `/v1`, of the OpenAI-compatible API that "
      "serves the chat completions of evaluations that the server runs. Empty: "
      "these evaluations fail with a message that says so.");
  withoutFlag(add("evaluation.upstream_key", &E::upstream_key, secret(1, "cat the-key"),
                  "API key sent to evaluation.upstream_url as a Bearer token. Empty sends none."));
  add("evaluation.upstream_timeout", &E::upstream_timeout,
      duration(milliseconds(100), hours(1), "2m"),
      "Maximum time of one upstream response; then the request is retried, as "
      "after an upstream error.");
  add("evaluation.concurrency", &E::concurrency, integer(1, 256, 8),
      "Examples of one evaluation run that are processed concurrently.");
  add("evaluation.retries", &E::retries, integer(0, 20, 4),
      "Retries of a model request after 429, 5xx, a timeout or a lost "
      "connection, with growing delays. Then the example counts as failed.");
}

Codec<SandboxMode> sandboxMode() {
  return choice<SandboxMode>({{"auto", SandboxMode::kAuto}, {"off", SandboxMode::kOff}});
}

void addInference(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::inference);
  using I = InferenceSettings;
  add("inference.engine_path", &I::engine_path, path("/usr/local/bin/spindle-engine"),
      "Path of the inference engine program. Empty: `spindle-engine` in the "
      "folder of the server program.");
  add("inference.default_model", &I::default_model,
      path("/usr/local/share/spindle/spindle-nano.gguf"),
      "Model file that a new server registers as a model, under the file's name. "
      "Empty: `spindle-nano.gguf`, if it is in the folder of the server program, in the "
      "folder `share/spindle` of its installation, or in a folder `models`. `none`: no model.");
  add("inference.memory", &I::memory, size(0, 1024UL * 1024 * kGiB, "48GiB"),
      "Memory for the engines of all models together: weights and KV caches. The least "
      "recently used model makes room for another. 0 means half of the machine's memory.");
  add("inference.slots", &I::slots, integer(1, 64, 8),
      "Concurrent requests of one engine; further requests wait.");
  add("inference.context", &I::context, integer(16, 4'194'304, 16384),
      "Maximum tokens of prompt and completion together, for each request to an engine, if "
      "the model does not set its own. Never more than the context length of the model.");
  add("inference.threads", &I::threads, integer(0, 1024, 16),
      "Compute threads of one engine; 0 means one for each processor.");
  add("inference.adapters", &I::adapters, integer(1, 256, 16),
      "LoRA adapters that one engine keeps in memory. The least recently used "
      "adapter makes room for another.");
  add("inference.adapter_cache", &I::adapter_cache, size(kMiB, 1024UL * 1024 * kGiB, "20GiB"),
      "Disk space for the cache of adapters that are extracted from artifacts for engines, and for "
      "the folder `inference.shared_adapters`.");
  add("inference.model_cache", &I::model_cache, size(kMiB, 1024UL * 1024 * kGiB, "500GiB"),
      "Disk space in the data folder for model files that were uploaded to the server. A server "
      "copies such a file from the file store before it loads the model. The least recently used "
      "file that no engine has loaded makes room for another.");
  add("inference.model_file_limit", &I::model_file_limit, size(kMiB, 1024UL * 1024 * kGiB, "20GiB"),
      "Maximum size of an uploaded model file.");
  add("inference.shared_adapters", &I::shared_adapters, path("/mnt/spindle-adapters"),
      "Folder of PEFT adapters for upstreams that serve adapters (`adapters` of an upstream). An "
      "upstream on the same host, or one that mounts the folder, reads them there. Empty: "
      "`peft-adapters` in the data folder.");
  add("inference.idle_unload", &I::idle_unload, duration(milliseconds(0), hours(24 * 365), "30m"),
      "Time without requests after which a model is unloaded; the next request "
      "loads it again. 0 keeps models until others need the memory.");
  add("inference.start_timeout", &I::start_timeout, duration(seconds(1), hours(24), "10m"),
      "Maximum time to load a model.");
  add("inference.health_interval", &I::health_interval, duration(milliseconds(10), hours(1), "10s"),
      "Time between two health checks of an upstream. After two failed checks, "
      "the upstream gets no requests until a check succeeds.");
  add("inference.circuit_failures", &I::circuit_failures, integer(1, 1000, 10),
      "Consecutive failed requests to an upstream that open its circuit breaker.");
  add("inference.circuit_pause", &I::circuit_pause, duration(milliseconds(10), hours(1), "2s"),
      "Time for which an open circuit breaker blocks an upstream. Then one request probes "
      "the upstream; each failed probe doubles the time, up to a minute.");
  add("inference.usage_days", &I::usage_days, integer(1, 36'500, 90),
      "Retention of model usage, in days.");
  add("inference.usage_sync", &I::usage_sync,
      choice<UsageSync>({{"each", UsageSync::kEach}, {"interval", UsageSync::kInterval}}),
      "When the usage of a completion is synced to disk. `each`: before the end of the response is "
      "sent; completions that end together share one sync. `interval`: within about a second; "
      "usage survives the end of the server process, but a power failure can lose the last second. "
      "Choose `interval` if a disk sync takes longer than a response may be delayed.");
  add("inference.sandbox", &I::sandbox, sandboxMode(),
      "Sandbox of engines: no network, no files but the model and its adapters, "
      "no other programs. auto applies every restriction that the kernel and the "
      "container support, and logs which; off applies none.");
}

void addTraining(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::training);
  using T = TrainingSettings;
  add("training.local", &T::local, boolean(),
      "Starts a trainer on this machine when a training job is pending that no "
      "other trainer takes. Turn it off if trainers run on hosts of their own.");
  add("training.trainer_path", &T::trainer_path, path("/usr/local/bin/spindle-trainer"),
      "Path of the trainer program. Empty: `spindle-trainer` in the folder of "
      "the server program.");
  add("training.threads", &T::threads, integer(0, 1024, 16),
      "Compute threads of the local trainer; 0 means one for each processor.");
  add("training.idle_stop", &T::idle_stop, duration(seconds(1), hours(24 * 365), "30m"),
      "Time without jobs after which the local trainer exits; the next job starts it again.");
  add("training.save_interval", &T::save_interval, duration(milliseconds(0), hours(24), "1m"),
      "Time between two saved states of a job. After a crash of the local "
      "trainer, the job resumes from the last one. 0 saves after every step.");
  add("training.fetch_limit", &T::fetch_limit, size(kKiB, 1024 * kGiB, "4GiB"),
      "Maximum size of the training data that the server fetches from a URL. The "
      "settings of webhooks decide which URLs are allowed.");
  add("training.data_folder", &T::data_folder, path("/srv/training-data"),
      "Folder whose files can be training data, as file:///…. Every user who may "
      "train can read them. Empty: none.");
  add("training.sandbox", &T::sandbox, sandboxMode(),
      "Sandbox of the local trainer: no network but the server, no files but its folder "
      "and the base models, no other programs. auto applies every restriction that the "
      "kernel and the container support, and logs which; off applies none.");
}

void addWebhooks(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::webhooks);
  using W = WebhookSettings;
  add("webhooks.allow_private", &W::allow_private,
      choice<PrivateTargets>({{"auto", PrivateTargets::kAuto},
                              {"always", PrivateTargets::kAlways},
                              {"never", PrivateTargets::kNever}}),
      "Allows webhooks to call loopback and private addresses. auto allows it only while "
      "the server listens on loopback, has a single account, and no proxy has forwarded a "
      "request to it. Link-local and cloud metadata addresses stay blocked.");
  add("webhooks.allow_http", &W::allow_http, boolean(),
      "Allows plain http for all webhooks. Without it, plain http is allowed for private "
      "addresses, if these are allowed, and for hosts in webhooks.allow_hosts.");
  add("webhooks.allow_hosts", &W::allow_hosts, hosts(),
      "Hosts that webhooks may call at any address, except link-local and cloud "
      "metadata addresses.");
  add("webhooks.allow_cidrs", &W::allow_cidrs, networks(),
      "Networks that webhooks may call. A link-local or cloud metadata address "
      "must be listed by itself, as /32 or /128.");
  add("webhooks.ca_file", &W::ca_file, path("/etc/spindle/tls/ca.pem"),
      "PEM file with the CA certificates for webhook endpoints, instead of the system's.");
  add("webhooks.timeout", &W::timeout, duration(milliseconds(100), seconds(45), "15s"),
      "Maximum time of one attempt, from connecting to the end of the response.");
  add("webhooks.retry_delays", &W::retry_delays, durations(milliseconds(0), hours(24), 20),
      "Delays after the failed attempts of a delivery, in order. When the list "
      "is used up, the delivery has failed.");
  add("webhooks.retry_jitter", &W::retry_jitter, fraction("0.2"),
      "Fraction by which each retry delay varies at random, up and down, so that "
      "deliveries that failed together are not retried together.");
  add("webhooks.deliveries_per_minute", &W::deliveries_per_minute, integer(0, 1'000'000, 60),
      "Deliveries per minute of one automation. Further deliveries wait; one "
      "that would wait longer than ten minutes is skipped. 0 sets no limit.");
  add("webhooks.concurrency", &W::concurrency, integer(1, 1024, 64),
      "Concurrent webhook requests to all endpoints together.");
}

void addOidc(std::vector<Setting>& all) {
  const SectionSettings add(all, &Settings::oidc);
  using O = OidcSettings;
  add("auth.oidc.issuer", &O::issuer, httpUrl("https://id.example.com"),
      "URL of the OpenID Connect provider with which people sign in. Empty: none. Register "
      "https://<this server>/api/v1/session/oidc/callback there as redirect URI.");
  add("auth.oidc.client_id", &O::client_id, plainText(256, "spindle"),
      "Id of this server at the provider.");
  withoutFlag(
      add("auth.oidc.client_secret", &O::client_secret, secret(1, "as the provider shows it"),
          "Secret of this server at the provider. Empty: a public client, with PKCE only."));
  add("auth.oidc.scopes", &O::scopes, plainText(512, "openid profile email"),
      "Scopes to request, with spaces between them.");
  add("auth.oidc.name", &O::name, plainText(64, "Example ID"),
      "Name of the provider on the login page. Empty: the host of the issuer.");
  add("auth.oidc.allowed_domains", &O::allowed_domains, hosts(),
      "Domains of verified e-mail addresses that may sign in. Empty: everybody whom the provider "
      "knows.");
  add("auth.oidc.create_users", &O::create_users, boolean(),
      "Create a user at the first sign-in of a person. Otherwise only people whose verified e-mail "
      "address belongs to a user may sign in.");
  add("auth.oidc.team", &O::team, plainText(64, "newcomers"),
      "Team that new users join. Empty, or a team that does not exist: none.");
  add("auth.oidc.role", &O::role,
      choice<OidcRole>({{"member", OidcRole::kMember}, {"viewer", OidcRole::kViewer}}),
      "Role of new users in that team.");
}

std::vector<Setting> makeDeclarations() {
  std::vector<Setting> all;
  addServer(all);
  addLimits(all);
  addStorage(all);
  const SectionSettings node(all, &Settings::node);
  node("node.url", &NodeSettings::url, httpUrl("http://10.0.0.7:8080"),
       "URL of this server for the list of nodes. Empty: the URL of the listener.");
  node("node.drain_delay", &NodeSettings::drain_delay, duration(seconds(0), hours(1), "10s"),
       "Time after SIGTERM in which `/health/ready` answers 503 and all else still works, so that "
       "load balancers move requests away before the server stops.");
  addFiles(all);
  addTraces(all);
  addAgents(all);
  addEvaluation(all);
  addInference(all);
  addTraining(all);
  addWebhooks(all);
  SectionSettings(all, &Settings::log)("log.level", &LogSettings::level,
                                       choice<LogLevel>({{"debug", LogLevel::kDebug},
                                                         {"info", LogLevel::kInfo},
                                                         {"warning", LogLevel::kWarning},
                                                         {"error", LogLevel::kError}}),
                                       "Minimum severity of the lines that are written to stderr.");
  SectionSettings(all, &Settings::log)(
      "log.format", &LogSettings::format,
      choice<LogFormatChoice>({{"auto", LogFormatChoice::kAuto},
                               {"json", LogFormatChoice::kJson},
                               {"text", LogFormatChoice::kText}}),
      "Format of log lines; auto writes text to a terminal and JSON to anything else.");
  SectionSettings(all, &Settings::wire)(
      "wire.profile", &WireSettings::profile,
      choice<wire::Profile>({{"auto", wire::Profile::kAuto},
                             {"neutral", wire::Profile::kNeutral},
                             {"vendor", wire::Profile::kVendor}}),
      "Names in responses. auto emits vendor spellings only to a client that "
      "identifies itself as that vendor's SDK. Both are always accepted.");
  withoutFlag(SectionSettings(all, &Settings::auth)(
      "auth.admin_api_key", &AuthSettings::admin_api_key, secret(20, "openssl rand -hex 24"),
      "API key of the bootstrap administrator. Empty: the first start generates a key, "
      "prints it once and stores it in the file admin-api-key of the data folder."));
  const SectionSettings auth(all, &Settings::auth);
  using A = AuthSettings;
  auth("auth.session_idle", &A::session_idle, duration(minutes(5), hours(30 * 24), "12h"),
       "Time after which an unused browser session ends.");
  auth("auth.session_lifetime", &A::session_lifetime, duration(minutes(5), hours(365 * 24), "7d"),
       "Time after which a browser session ends, however it is used.");
  addOidc(all);
  SectionSettings(all, &Settings::audit)("audit.retention_days", &AuditSettings::retention_days,
                                         integer(1, 36500, 90),
                                         "Days after which entries of the audit log are deleted.");
  return all;
}

}  // namespace

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
