#include "clickhouse/client/client.h"

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "base/core/no_blocking.h"
#include "base/core/utf8.h"
#include "clickhouse/client/response_stream.h"
#include "clickhouse/client/server_error.h"
#include "clickhouse/client/statement_text.h"
#include "http/client/client.h"
#include "http/message/uri.h"

namespace spindle::clickhouse {
namespace {

/// ClickHouse closes unused connections after at least three seconds.
constexpr std::chrono::milliseconds kIdleTimeout{2'000};
/// Read of the body of an error.
constexpr std::size_t kMaxErrorBytes = 64UL << 10;
/// Partitions that one INSERT may write to: more than any table has, because callers choose times
/// and the rows of several callers are one INSERT.
constexpr int kMaxPartitions = 2'000;
/// Nodes of the syntax tree: a query of the largest size that `query` accepts.
constexpr int kMaxNodes = 500'000;

/// The query part of a URL.
class UrlFields {
 public:
  UrlFields& add(std::string_view name, std::string_view value) {
    text_ += text_.empty() ? '?' : '&';
    text_.append(name).append("=").append(http::percentEncode(value));
    return *this;
  }
  UrlFields& add(std::string_view name, std::uint64_t number) {
    return add(name, std::to_string(number));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::uint64_t wholeSeconds(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

/// Returns true for a value that a header can contain.
bool isHeaderText(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return isUtf8(text);
}

http::ClientOptions httpOptions(const ClientOptions& options) {
  http::ClientOptions http;
  http.connect_timeout = options.connect_timeout;
  http.idle_timeout = kIdleTimeout;
  http.connections_per_origin = options.connections;
  http.idle_connections_per_origin = options.connections;
  http.ca_file = options.ca_file;
  return http;
}

/// @throws std::runtime_error for options that no request can be made of.
ClientOptions checked(ClientOptions options) {
  const Result<http::Url> url = http::parseUrl(options.url);
  if (!url) throw std::runtime_error("The URL of ClickHouse is invalid: " + url.error().message());
  if (url->target.find('?') != std::string::npos)
    throw std::runtime_error("The URL of ClickHouse must not contain a query.");
  if (!isHeaderText(options.user) || !isHeaderText(options.database) ||
      !isHeaderText(options.password.reveal()))
    throw std::runtime_error(
        "The user, the password and the database of ClickHouse must not contain control "
        "characters.");
  if (options.user.empty() || options.database.empty())
    throw std::runtime_error("The user and the database of ClickHouse must not be empty.");
  while (options.url.ends_with('/')) options.url.pop_back();
  return options;
}

/// Returns the error of a response that is not 200, or of one that names an exception.
std::optional<Error> errorOfResponse(const http::Response& response) {
  const std::string_view code = response.headers.get("X-ClickHouse-Exception-Code");
  if (response.status == 200 && (code.empty() || code == "0")) return std::nullopt;
  if (const std::optional<ServerException> exception = exceptionIn(response.body))
    return errorOf(*exception);
  ServerException exception;
  const auto read = std::from_chars(code.data(), code.data() + code.size(), exception.code);
  if (read.ec != std::errc() || code.empty()) return unexpectedStatus(response.status);
  exception.text = response.body;
  return errorOf(exception);
}

Result<void> mayBlock() {
  if (NoBlocking::forbids()) return Error::unavailable("ClickHouse may not be waited for here.");
  return {};
}

}  // namespace

class Client::Core {
 public:
  explicit Core(ClientOptions options)
      : options_(checked(std::move(options))),
        queries_(httpOptions(options_)),
        changes_(httpOptions(options_)) {}

  Result<Cursor> query(SqlView sql, const std::vector<Value>& params) {
    TRY(mayBlock());
    const StatementText statement = TRY(statementText(sql, params));
    UrlFields fields = fieldsOf(statement, options_.query_time);
    fields.add("default_format", "RowBinaryWithNamesAndTypes");
    fields.add("readonly", 2).add("cancel_http_readonly_queries_on_client_close", 1);
    fields.add("max_memory_usage", options_.query_memory_bytes);
    fields.add("max_bytes_before_external_sort", options_.sort_memory_bytes);
    fields.add("max_bytes_before_external_group_by", options_.sort_memory_bytes);
    if (options_.compression != http::Coding::kIdentity) fields.add("enable_http_compression", 1);
    Result<Cursor> rows = open(fields, statement.text);
    // A server may close an idle connection at the moment of its reuse.
    if (rows || rows.error().reason() != kBrokenConnection) return withoutMark(std::move(rows));
    return withoutMark(open(fields, statement.text));
  }

  Result<void> execute(SqlView sql, const std::vector<Value>& params) {
    TRY(mayBlock());
    const StatementText statement = TRY(statementText(sql, params));
    UrlFields fields = fieldsOf(statement, options_.change_time);
    fields.add("wait_end_of_query", 1);
    addQuorum(fields);  // INSERT … SELECT
    return send(fields, statement.text, http::Coding::kIdentity, options_.change_time);
  }

  Result<void> insert(const InsertTarget& target, std::string_view rows, std::string_view token) {
    TRY(mayBlock());
    SqlText sql = "INSERT INTO " + SqlText(target.table) + " (";
    for (std::size_t i = 0; i < target.columns.size(); ++i)
      sql.add(i == 0 ? SqlView() : SqlView(", ")).add(target.columns[i]);
    sql += ") FORMAT RowBinary";
    UrlFields fields;
    fields.add("query", sql.text());
    fields.add("wait_end_of_query", 1).add("async_insert", 0);
    fields.add("insert_deduplicate", 1).add("insert_deduplication_token", token);
    // A repetition completes what the first attempt did not write to derived tables.
    fields.add("deduplicate_blocks_in_dependent_materialized_views", 1);
    fields.add("max_partitions_per_insert_block", kMaxPartitions);
    fields.add("max_execution_time", wholeSeconds(options_.insert_time));
    addQuorum(fields);
    if (options_.compression == http::Coding::kIdentity)
      return send(fields, std::string(rows), http::Coding::kIdentity, options_.insert_time);
    const std::unique_ptr<http::Encoder> encoder = http::Encoder::make(options_.compression);
    std::string body = encoder->feed(rows, false);
    body += encoder->finish();
    return send(fields, std::move(body), options_.compression, options_.insert_time);
  }

  const ClientOptions& options() const { return options_; }

 private:
  /// Reason of the error of a connection that broke before the head of the response.
  static constexpr std::string_view kBrokenConnection = "clickhouse_broken_connection";

  static Result<Cursor> withoutMark(Result<Cursor> rows) {
    if (rows || rows.error().reason() != kBrokenConnection) return rows;
    return connectionError(Error(ErrorCode::kUpstream, rows.error().message()));
  }

  UrlFields fieldsOf(const StatementText& statement, std::chrono::milliseconds time) const {
    UrlFields fields;
    fields.add("max_execution_time", wholeSeconds(time));
    fields.add("max_query_size", kMaxStatementBytes);
    fields.add("max_ast_elements", kMaxNodes).add("max_expanded_ast_elements", kMaxNodes);
    for (const auto& [name, value] : statement.fields) fields.add(name, value);
    return fields;
  }

  void addQuorum(UrlFields& fields) const {
    if (!options_.insert_quorum) return;
    fields.add("insert_quorum", "auto").add("insert_quorum_parallel", 1);
    fields.add("insert_quorum_timeout", static_cast<std::uint64_t>(options_.insert_time.count()));
  }

  http::ClientRequest requestFor(const UrlFields& fields,
                                 std::string body,
                                 std::chrono::milliseconds time) const {
    http::ClientRequest request;
    request.method = http::Method::kPost;
    request.url = options_.url + "/" + fields.text();
    request.headers.add("X-ClickHouse-User", options_.user);
    request.headers.add("X-ClickHouse-Database", options_.database);
    if (!options_.password.empty())
      request.headers.add("X-ClickHouse-Key", options_.password.reveal());
    request.headers.add("Content-Type", "application/octet-stream");
    request.body = std::move(body);
    request.timeout = time + options_.grace;
    return request;
  }

  Result<Cursor> open(const UrlFields& fields, const std::string& statement) {
    http::ClientRequest request = requestFor(fields, statement, options_.query_time);
    request.stream_idle_timeout = options_.query_time + options_.grace;
    if (options_.compression != http::Coding::kIdentity)
      request.headers.add("Accept-Encoding", http::nameOf(options_.compression));
    auto stream =
        std::make_unique<ResponseStream>(queries_, std::move(request), options_.buffered_bytes);
    if (const Result<void> head = stream->awaitHead(); !head) {
      // An error with a reason tells that no connection was established.
      const bool is_broken =
          head.error().code() == ErrorCode::kUpstream && head.error().reason().empty();
      if (!is_broken) return connectionError(head.error());
      return Error(ErrorCode::kUpstream, head.error().message()).because(kBrokenConnection);
    }
    http::Response response = stream->head();
    const bool failed =
        response.status != 200 || response.headers.find("X-ClickHouse-Exception-Code") != nullptr;
    if (!failed) return Cursor::over(std::move(stream), options_.value_bytes);
    while (response.body.size() < kMaxErrorBytes) {
      const Result<bool> more = stream->read(response.body);
      if (!more || !*more) break;
    }
    return errorOfResponse(response).value_or(unexpectedStatus(response.status));
  }

  Result<void> send(const UrlFields& fields,
                    std::string body,
                    http::Coding coding,
                    std::chrono::milliseconds time) {
    http::ClientRequest request = requestFor(fields, std::move(body), time);
    if (coding != http::Coding::kIdentity)
      request.headers.add("Content-Encoding", http::nameOf(coding));
    const Result<http::Response> response = changes_.fetch(std::move(request));
    if (!response) return connectionError(response.error());
    if (std::optional<Error> error = errorOfResponse(*response)) return *std::move(error);
    // A server without wait_end_of_query may report an exception in the body.
    const std::string_view tag = response->headers.get("X-ClickHouse-Exception-Tag");
    if (const auto exception = exceptionAtEnd(response->body, tag, true))
      return errorOf(*exception);
    return {};
  }

  const ClientOptions options_;
  // Queries with slow readers must not take the connections of writes.
  http::Client queries_;
  http::Client changes_;
};

Client::Client(ClientOptions options) : core_(std::make_unique<Core>(std::move(options))) {}
Client::~Client() = default;

Result<Cursor> Client::query(SqlView sql, const std::vector<Value>& params) {
  return core_->query(sql, params);
}

Result<void> Client::execute(SqlView sql, const std::vector<Value>& params) {
  return core_->execute(sql, params);
}

Result<void> Client::insert(const InsertTarget& target,
                            std::string_view rows,
                            std::string_view token) {
  return core_->insert(target, rows, token);
}

Result<ServerVersion> Client::version() {
  const std::vector<std::string> texts =
      TRY(collectRows(core_->query("SELECT version()", {}),
                      [](const Cursor& row) { return std::string(row.text(0)); }));
  ServerVersion version;
  const std::string text = texts.empty() ? std::string() : texts.front();
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.' ||
      std::from_chars(major.ptr + 1, end, version.minor).ec != std::errc())
    return Error::unavailable("ClickHouse has an unknown version.").because("clickhouse_version");
  return version;
}

const ClientOptions& Client::options() const { return core_->options(); }

}  // namespace spindle::clickhouse
