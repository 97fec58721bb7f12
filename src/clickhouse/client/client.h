#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/opaque.h"
#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "base/crypto/secret.h"
#include "clickhouse/client/cursor.h"
#include "clickhouse/client/value.h"
#include "http/message/compression.h"

namespace spindle::clickhouse {

struct ClientOptions {
  /// Scheme, host and port of the HTTP interface, without user, query and fragment. A path is the
  /// prefix of a proxy.
  std::string url = "http://127.0.0.1:8123";
  std::string user = "default";
  Secret password = {};  ///< sent in a header
  std::string database = "default";
  std::string ca_file = {};  ///< PEM bundle of trusted certificates; empty: those of the system
  /// Content coding of results and inserted rows: kIdentity, kGzip or kZstd.
  http::Coding compression = http::Coding::kIdentity;
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds query_time{60'000};    ///< time limit of a query
  std::chrono::milliseconds insert_time{30'000};   ///< time limit of an INSERT
  std::chrono::milliseconds change_time{300'000};  ///< time limit of any other statement
  std::chrono::milliseconds grace{10'000};         ///< from a time limit until the client gives up
  std::size_t query_memory_bytes = 4UL << 30;      ///< memory limit of a query in the server
  std::size_t sort_memory_bytes = 1UL << 30;       ///< larger sorts and groups use the disk
  std::size_t connections = 32;  ///< for queries, and as many for everything else; others wait
  std::size_t buffered_bytes = 1UL << 20;  ///< received bytes that wait for their reader
  std::size_t value_bytes = 512UL << 20;   ///< limit of one row of a result
  /// Waits until a majority of the replicas has an INSERT. For replicated tables.
  bool insert_quorum = false;
};

/// The table and the columns of an INSERT.
struct InsertTarget {
  SqlName table;
  std::vector<SqlName> columns;  ///< in the order of the values of a row
};

/// The number of a server's release, such as 24.8.
struct ServerVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const ServerVersion&) const = default;
};

/// Client of ClickHouse's HTTP interface. Thread-safe. All functions block on the network: worker
/// threads only.
///
/// SQL consists of literals, checked names and parameters (`?`); see statementText(). Errors are
/// those of errorOf() and connectionError(). The password is neither part of a URL nor of an error
/// or a log line.
class Client {
 public:
  /// @throws std::runtime_error for an invalid URL or user, or if ca_file cannot be read.
  explicit Client(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Runs a query, which must not change anything. Sent again once if the connection breaks before
  /// the response. Returns when the first rows are known or the query has failed.
  Result<Cursor> query(SqlView sql, const std::vector<Value>& params = {});

  /// Runs a statement that returns no rows and is not an INSERT of rows.
  Result<void> execute(SqlView sql, const std::vector<Value>& params = {});

  /// Inserts rows in the format RowBinary (row_binary.h), as one block. Returns when ClickHouse has
  /// stored them. ClickHouse ignores an INSERT with a token of an earlier one of the same table, so
  /// that a repetition after an error stores nothing twice. After kTimeout and kUnavailable the
  /// rows may be stored.
  Result<void> insert(const InsertTarget& target, std::string_view rows, std::string_view token);

  /// Returns the release of the server, with the configured user and database.
  Result<ServerVersion> version();

  const ClientOptions& options() const;

 private:
  class Core;
  const std::unique_ptr<Core> core_;
};

}  // namespace spindle::clickhouse
