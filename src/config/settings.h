#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/core/log.h"
#include "base/crypto/secret.h"
#include "wire/profile.h"

namespace spindle::config {

/// Address on which the server listens. `host` is a name or a numeric address; IPv6 without
/// brackets.
struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: the system chooses a free port

  /// Returns `127.0.0.1:8080`, `[::1]:8080`.
  std::string text() const;
};

enum class LogFormatChoice { kAuto, kJson, kText };
/// Sandbox of the server's child processes (base/process/sandbox.h).
enum class SandboxMode { kAuto, kOff };

enum class PrivateTargets { kAuto, kAlways, kNever };
/// When the usage journal is synced: before each response ends, or about once a second.
enum class UsageSync { kEach, kInterval };

// Only these members define the defaults. declarations.cpp defines the accepted values, the names
// and the descriptions.

struct ServerSettings {
  ListenAddress listen;
  std::int64_t io_threads = 0;
  std::int64_t worker_threads = 0;
  std::int64_t outbound_threads = 0;
  std::filesystem::path tls_certificate;
  std::filesystem::path tls_key;
  std::vector<std::string> cors_origins;
  bool cors_credentials = false;
  bool access_log = true;
  bool read_only = false;
  std::string base_path;
  std::string public_url;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> trusted_proxies = {"127.0.0.0/8", "::1/128"};
};

struct LimitSettings {
  std::size_t header_bytes = 32UL * 1024;
  std::size_t body = 32UL * 1024 * 1024;
  std::size_t management_body = 1024UL * 1024;
  std::size_t stored_request = 128UL * 1024 * 1024;
  std::int64_t stored_growth = 32;
  std::size_t body_memory = 0;
  std::size_t body_memory_per_key = 0;
  std::size_t unauthenticated_memory = 0;
  std::size_t body_rate = 1024;
  std::chrono::milliseconds body_grace{30'000};
  std::int64_t json_depth = 200;
  std::int64_t connections = 20000;
  std::int64_t queued_requests = 1024;
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds idle_timeout{75'000};
  std::chrono::milliseconds write_timeout{60'000};
  std::chrono::milliseconds drain_timeout{10'000};
  std::int64_t requests_per_minute = 0;
  std::int64_t history_rows_per_minute = 0;
  std::int64_t automations = 200;
  std::int64_t projects_per_team = 0;
  std::int64_t live_streams = 1000;
  std::int64_t live_streams_per_user = 16;
  std::int64_t live_streams_per_team = 0;  ///< 0: a quarter of live_streams
};

struct StorageSettings {
  std::filesystem::path data_dir = "./spindle-data";
  Secret metadata{"sqlite"};  ///< `sqlite`, or a PostgreSQL connection URI with its password
  std::int64_t metadata_readers = 4;
  Secret secret_key;  ///< empty: use the key file in the data folder

  bool usesPostgres() const { return metadata.reveal() != "sqlite"; }
};

/// This server among others that share its PostgreSQL database.
struct NodeSettings {
  std::string url;  ///< empty: the URL of the listener
  std::chrono::milliseconds drain_delay{0};
};

/// The place of files: artifacts, file objects, training data.
enum class FileStore { kFolder, kS3 };

/// Files, and the S3 bucket that may contain them.
struct FileSettings {
  FileStore store = FileStore::kFolder;
  std::string s3_endpoint;
  std::string s3_bucket;
  std::string s3_prefix;
  std::string s3_region = "us-east-1";
  bool s3_path_style = true;
  std::filesystem::path s3_credentials_file;  ///< empty: environment variables
  std::filesystem::path s3_ca_file;           ///< empty: the certificates of the system
  std::chrono::milliseconds s3_timeout{30'000};
  std::size_t s3_cache = 10UL * 1024 * 1024 * 1024;
  bool s3_direct_downloads = false;

  bool usesS3() const { return store == FileStore::kS3; }
};

/// The place of calls, spans, feedback, run history and gateway usage.
enum class TraceStoreChoice { kEmbedded, kClickHouse };
/// Compression of the requests to ClickHouse and of its results.
enum class Compression { kNone, kGzip, kZstd };

/// Calls, spans, feedback, run history and gateway usage: the embedded columnar store, or a
/// ClickHouse database.
struct TraceSettings {
  TraceStoreChoice store = TraceStoreChoice::kEmbedded;
  std::size_t memory = 384UL * 1024 * 1024;
  std::size_t recent = 96UL * 1024 * 1024;
  std::size_t spill = 16UL * 1024 * 1024 * 1024;
  std::int64_t threads = 0;
  std::chrono::milliseconds query_timeout{60'000};
  std::string clickhouse_url;
  std::string clickhouse_user = "default";
  Secret clickhouse_password;
  std::string clickhouse_database = "default";
  bool clickhouse_replicated = false;
  std::string clickhouse_cluster;
  std::filesystem::path clickhouse_ca_file;  ///< empty: the certificates of the system
  Compression clickhouse_compression = Compression::kNone;
  std::chrono::milliseconds clickhouse_connect_timeout{5'000};
  std::chrono::milliseconds clickhouse_insert_timeout{30'000};
  std::size_t clickhouse_query_memory = 4UL * 1024 * 1024 * 1024;
  std::int64_t clickhouse_connections = 32;

  bool usesClickHouse() const { return store == TraceStoreChoice::kClickHouse; }
};

/// Ingestion of agent spans.
struct AgentSettings {
  double sample_rate = 1.0;
  bool sample_dry_run = false;
};

/// Evaluations that the server runs.
struct EvaluationSettings {
  std::string upstream_url;  ///< base URL of an OpenAI-compatible API, up to and including `/v1`;
                             ///< empty: none
  Secret upstream_key;
  std::chrono::milliseconds upstream_timeout{120'000};
  std::int64_t concurrency = 4;
  std::int64_t retries = 4;
};

/// Local inference engines, and upstreams.
struct InferenceSettings {
  std::filesystem::path engine_path;    ///< empty: `spindle-engine` beside the server
  std::filesystem::path default_model;  ///< empty: spindle-nano if found; `none`: no model
  std::size_t memory = 0;               ///< 0: half of the machine's memory
  std::int64_t slots = 4;
  std::int64_t context = 8192;
  std::int64_t threads = 0;
  std::int64_t adapters = 8;
  std::size_t adapter_cache = 10UL * 1024 * 1024 * 1024;
  std::size_t model_cache = 100UL * 1024 * 1024 * 1024;
  std::size_t model_file_limit = 100UL * 1024 * 1024 * 1024;
  std::filesystem::path shared_adapters;  ///< empty: `peft-adapters` in the data folder
  std::chrono::milliseconds idle_unload{0};
  std::chrono::milliseconds start_timeout{300'000};
  std::chrono::milliseconds health_interval{5'000};
  std::int64_t circuit_failures = 5;
  std::chrono::milliseconds circuit_pause{1'000};
  std::int64_t usage_days = 400;
  UsageSync usage_sync = UsageSync::kInterval;
  SandboxMode sandbox = SandboxMode::kAuto;
};

/// The trainer that the server starts on its own machine, and external training data.
struct TrainingSettings {
  bool local = true;
  std::filesystem::path trainer_path;  ///< empty: `spindle-trainer` beside the server
  std::int64_t threads = 0;
  std::chrono::milliseconds idle_stop{600'000};
  std::chrono::milliseconds save_interval{20'000};
  std::size_t fetch_limit = 1UL << 30;
  std::filesystem::path data_folder;  ///< empty: none
  SandboxMode sandbox = SandboxMode::kAuto;
};

/// Allowed webhook endpoints, and delivery of webhook requests.
struct WebhookSettings {
  PrivateTargets allow_private = PrivateTargets::kAuto;
  bool allow_http = false;
  std::vector<std::string> allow_hosts;
  std::vector<std::string> allow_cidrs;
  std::filesystem::path ca_file;
  std::chrono::milliseconds timeout{15'000};
  std::vector<std::chrono::milliseconds> retry_delays = {
      std::chrono::seconds(5), std::chrono::minutes(5), std::chrono::minutes(30),
      std::chrono::hours(2),   std::chrono::hours(5),   std::chrono::hours(10),
      std::chrono::hours(10)};
  double retry_jitter = 0.2;
  std::int64_t deliveries_per_minute = 60;
  std::int64_t concurrency = 64;
};

struct LogSettings {
  LogLevel level = LogLevel::kInfo;
  LogFormatChoice format = LogFormatChoice::kAuto;
};

struct WireSettings {
  wire::Profile profile = wire::Profile::kAuto;
};

struct AuthSettings {
  Secret admin_api_key;  ///< empty: the first start generates one
  std::chrono::milliseconds session_idle{std::chrono::hours(12)};
  std::chrono::milliseconds session_lifetime{std::chrono::hours(7 * 24)};
};

/// The role of new users of the identity provider in their team.
enum class OidcRole { kMember, kViewer };

/// The identity provider for sign-ins.
struct OidcSettings {
  std::string issuer;  ///< empty: none
  std::string client_id;
  Secret client_secret;
  std::string scopes = "openid profile email";
  std::string name;
  std::vector<std::string> allowed_domains;
  bool create_users = false;
  std::string team;
  OidcRole role = OidcRole::kMember;
};

struct AuditSettings {
  std::int64_t retention_days = 365;
};

/// All settings of the server, as plain values. `app` maps them to the option structs of the areas.
struct Settings {
  ServerSettings server;
  LimitSettings limits;
  StorageSettings storage;
  NodeSettings node;
  FileSettings files;
  TraceSettings traces;
  AgentSettings agents;
  EvaluationSettings evaluation;
  InferenceSettings inference;
  TrainingSettings training;
  WebhookSettings webhooks;
  LogSettings log;
  WireSettings wire;
  AuthSettings auth;
  OidcSettings oidc;
  AuditSettings audit;
};

}  // namespace spindle::config
