#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/error.h"

namespace spindle::clickhouse {

/// An exception that ClickHouse reported.
struct ServerException {
  int code = 0;      ///< the number of ClickHouse's list of error codes
  std::string text;  ///< the complete message; may contain SQL and values: for logs only
};

/// Reads `Code: 241. DB::Exception: …`, the form of a message in a response body. Returns nothing
/// for another text.
std::optional<ServerException> exceptionIn(std::string_view text);

/// Finds the exception that ended a result in the middle, in the last bytes of its body. `tag` is
/// the header X-ClickHouse-Exception-Tag, which servers since 25.11 send, or empty. `is_complete`
/// tells that the body ended as HTTP requires and contains only complete rows: then only a marked
/// exception at the very end counts, because a row can contain any text.
std::optional<ServerException> exceptionAtEnd(std::string_view tail,
                                              std::string_view tag,
                                              bool is_complete);

/// Returns the error of an exception. Its message is safe for API clients; its reason is one of
/// those below. Logs the complete message if only the operator or a developer can help.
///
/// | exceptions | code, reason |
/// |---|---|
/// | wrong user or password | kUnavailable, clickhouse_authentication |
/// | missing privilege, read-only user | kUnavailable, clickhouse_privileges |
/// | unknown database | kUnavailable, clickhouse_database |
/// | unknown table or column | kUnavailable, clickhouse_schema |
/// | memory limit | kUnavailable, clickhouse_memory |
/// | time limit, cancelled | kTimeout, clickhouse_timeout |
/// | too many parts, queries or mutations | kRateLimited, clickhouse_busy, with retry_after_seconds
/// | | replica, quorum or coordination fails | kUnavailable, clickhouse_replica, with
/// retry_after_seconds | | disk or quota of the server full | kStorageFull, clickhouse_full | |
/// limit of rows or bytes of a result | kTooLarge, clickhouse_limit | | any other | kInternal,
/// clickhouse_refused |
Error errorOf(const ServerException& exception);

/// Returns the error of a response that no ClickHouse server can have sent, such as one of a proxy.
Error unexpectedStatus(int status);

/// Returns the error of the HTTP client as an error of the store: kTimeout stays, everything else
/// is kUnavailable with the reason clickhouse_unreachable, and kTooLarge stays.
Error connectionError(const Error& error);

/// Returns true for an error that can disappear by itself within seconds, so that the same
/// statement may be sent again.
bool isTransient(const Error& error);

}  // namespace spindle::clickhouse
