#include "clickhouse/client/server_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "clickhouse/client/log.h"

namespace spindle::clickhouse {
namespace {

constexpr std::string_view kCode = "Code: ";
constexpr std::string_view kException = "DB::Exception";
constexpr std::string_view kMark = "__exception__\r\n";
constexpr std::size_t kMaxLoggedBytes = 2'000;

enum class Failure {
  kAuthentication,
  kPrivileges,
  kDatabase,
  kSchema,
  kMemory,
  kTime,
  kBusy,
  kReplica,
  kFull,
  kLimit,
};

struct KnownCode {
  int code;
  Failure failure;
};

/// The codes of ClickHouse's src/Common/ErrorCodes.cpp that have their own treatment, in ascending
/// order.
constexpr auto kKnownCodes = std::to_array<KnownCode>({
    {10, Failure::kSchema},           // NOT_FOUND_COLUMN_IN_BLOCK
    {16, Failure::kSchema},           // NO_SUCH_COLUMN_IN_TABLE
    {47, Failure::kSchema},           // UNKNOWN_IDENTIFIER
    {60, Failure::kSchema},           // UNKNOWN_TABLE
    {81, Failure::kDatabase},         // UNKNOWN_DATABASE
    {158, Failure::kLimit},           // TOO_MANY_ROWS
    {159, Failure::kTime},            // TIMEOUT_EXCEEDED
    {160, Failure::kTime},            // TOO_SLOW
    {164, Failure::kPrivileges},      // READONLY
    {191, Failure::kLimit},           // SET_SIZE_LIMIT_EXCEEDED
    {192, Failure::kAuthentication},  // UNKNOWN_USER
    {193, Failure::kAuthentication},  // WRONG_PASSWORD
    {194, Failure::kAuthentication},  // REQUIRED_PASSWORD
    {195, Failure::kAuthentication},  // IP_ADDRESS_NOT_ALLOWED
    {201, Failure::kBusy},            // QUOTA_EXCEEDED
    {202, Failure::kBusy},            // TOO_MANY_SIMULTANEOUS_QUERIES
    {203, Failure::kBusy},            // NO_FREE_CONNECTION
    {209, Failure::kReplica},         // SOCKET_TIMEOUT
    {210, Failure::kReplica},         // NETWORK_ERROR
    {225, Failure::kReplica},         // NO_ZOOKEEPER
    {241, Failure::kMemory},          // MEMORY_LIMIT_EXCEEDED
    {242, Failure::kReplica},         // TABLE_IS_READ_ONLY
    {243, Failure::kFull},            // NOT_ENOUGH_SPACE
    {252, Failure::kBusy},            // TOO_MANY_PARTS
    {254, Failure::kReplica},         // NO_ACTIVE_REPLICAS
    {279, Failure::kReplica},         // ALL_CONNECTION_TRIES_FAILED
    {285, Failure::kReplica},         // TOO_FEW_LIVE_REPLICAS
    {286, Failure::kReplica},         // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
    {289, Failure::kReplica},         // REPLICA_IS_NOT_IN_QUORUM
    {307, Failure::kLimit},           // TOO_MANY_BYTES
    {319, Failure::kReplica},         // UNKNOWN_STATUS_OF_INSERT
    {341, Failure::kReplica},         // UNFINISHED
    {394, Failure::kTime},            // QUERY_WAS_CANCELLED
    {396, Failure::kLimit},           // TOO_MANY_ROWS_OR_BYTES
    {439, Failure::kBusy},            // CANNOT_SCHEDULE_TASK
    {497, Failure::kPrivileges},      // ACCESS_DENIED
    {516, Failure::kAuthentication},  // AUTHENTICATION_FAILED
    {692, Failure::kBusy},            // TOO_MANY_MUTATIONS
    {745, Failure::kBusy},            // SERVER_OVERLOADED
    {999, Failure::kReplica},         // coordination service
});
static_assert(std::is_sorted(kKnownCodes.begin(), kKnownCodes.end(), [](KnownCode a, KnownCode b) {
  return a.code < b.code;
}));

std::optional<Failure> failureOf(const ServerException& exception) {
  // A write to a full disk has different codes, but always the text of the operating system.
  if (exception.text.find("No space left on device") != std::string::npos) return Failure::kFull;
  const auto* const found =
      std::lower_bound(kKnownCodes.begin(), kKnownCodes.end(), exception.code,
                       [](KnownCode known, int code) { return known.code < code; });
  if (found == kKnownCodes.end() || found->code != exception.code) return std::nullopt;
  return found->failure;
}

void logException(std::string_view event, const ServerException& exception) {
  kLog.error(event, {{"code", exception.code},
                     {"message", std::string_view(exception.text).substr(0, kMaxLoggedBytes)}});
}

Error retryLater(ErrorCode code, std::string_view message, std::string_view reason, int seconds) {
  return Error(code, message).because(reason).with("retry_after_seconds", std::to_string(seconds));
}

Error unavailableBecause(std::string_view message, std::string_view reason) {
  return Error::unavailable(message).because(reason);
}

}  // namespace

std::optional<ServerException> exceptionIn(std::string_view text) {
  if (!text.starts_with(kCode)) return std::nullopt;
  const std::string_view rest = text.substr(kCode.size());
  int code = 0;
  const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), code);
  if (failed != std::errc() || code <= 0) return std::nullopt;
  // Near the number: `Code: 241. DB::Exception: …`, before 21.4 `Code: 241, e.displayText() = …`.
  const std::string_view after(end, static_cast<std::size_t>(rest.data() + rest.size() - end));
  if (after.substr(0, 64).find(kException) == std::string_view::npos) return std::nullopt;
  return ServerException{code, std::string(text)};
}

std::optional<ServerException> exceptionAtEnd(std::string_view tail,
                                              std::string_view tag,
                                              bool is_complete) {
  // With a tag: `__exception__\r\n<tag>\r\n<text>\r\n<size> <tag>\r\n__exception__\r\n`.
  // Without one: `__exception__\r\n<text>`, or, from old servers, the text alone.
  if (!tag.empty()) {
    const std::string opening = std::string(kMark).append(tag).append("\r\n");
    const std::size_t at = tail.rfind(opening);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view text = tail.substr(at + opening.size());
    const std::string closing = " " + std::string(tag) + "\r\n" + std::string(kMark);
    if (text.ends_with(closing)) {
      text.remove_suffix(closing.size());
      text = text.substr(0, text.rfind("\r\n"));
    }
    if (std::optional<ServerException> read = exceptionIn(text)) return read;
    return ServerException{0, std::string(text)};
  }
  std::size_t at = tail.rfind(kMark);
  if (at != std::string_view::npos) {
    const std::string_view text = tail.substr(at + kMark.size());
    std::optional<ServerException> read = exceptionIn(text);
    // The text of a server ends with its version.
    const std::size_t version = text.rfind("(version ");
    const bool is_last = version != std::string_view::npos && text.size() - version <= 64 &&
                         (text.ends_with(")") || text.ends_with(")\n"));
    if (read && (!is_complete || is_last)) return read;
  }
  if (is_complete) return std::nullopt;
  for (at = tail.rfind(kCode); at != std::string_view::npos; at = tail.rfind(kCode, at - 1)) {
    if (std::optional<ServerException> read = exceptionIn(tail.substr(at))) return read;
    if (at == 0) break;
  }
  return std::nullopt;
}

Error errorOf(const ServerException& exception) {
  const std::optional<Failure> failure = failureOf(exception);
  if (!failure) {
    logException("statement_refused", exception);
    return Error::internal("The trace store could not execute the statement (ClickHouse error " +
                           std::to_string(exception.code) + ").")
        .because("clickhouse_refused");
  }
  switch (*failure) {
    case Failure::kAuthentication:
      return unavailableBecause(
          "ClickHouse refuses the user or the password of the trace store; check the settings.",
          "clickhouse_authentication");
    case Failure::kPrivileges:
      logException("privilege_missing", exception);
      return unavailableBecause(
          "The ClickHouse user of the trace store lacks a privilege; the log names it.",
          "clickhouse_privileges");
    case Failure::kDatabase:
      return unavailableBecause("The ClickHouse database of the trace store does not exist.",
                                "clickhouse_database");
    case Failure::kSchema:
      logException("schema_mismatch", exception);
      return unavailableBecause("A ClickHouse table or column of the trace store is missing.",
                                "clickhouse_schema");
    case Failure::kMemory:
      return unavailableBecause(
          "The query does not fit in the memory of the trace store; narrow it, or raise the limit.",
          "clickhouse_memory");
    case Failure::kTime:
      return Error(ErrorCode::kTimeout, "The query took too long; narrow it.")
          .because("clickhouse_timeout");
    case Failure::kBusy:
      return retryLater(ErrorCode::kRateLimited, "The trace store is overloaded; try again.",
                        "clickhouse_busy", 5);
    case Failure::kReplica:
      return retryLater(ErrorCode::kUnavailable,
                        "The ClickHouse replica of the trace store is not available; try again.",
                        "clickhouse_replica", 2);
    case Failure::kFull:
      return Error(ErrorCode::kStorageFull,
                   "The disk of ClickHouse is full; free or add space there.")
          .because("clickhouse_full");
    case Failure::kLimit:
      return Error(ErrorCode::kTooLarge, "The query exceeds a limit of ClickHouse; narrow it.")
          .because("clickhouse_limit");
  }
  return Error::internal("The trace store failed.");
}

Error unexpectedStatus(int status) {
  if (status == 401 || status == 403)
    return unavailableBecause(
        "ClickHouse refuses the user or the password of the trace store; check the settings.",
        "clickhouse_authentication");
  return retryLater(ErrorCode::kUnavailable,
                    "ClickHouse responded with the HTTP status " + std::to_string(status) +
                        " and without an error of its own; check the URL.",
                    "clickhouse_unreachable", 2);
}

Error connectionError(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kTimeout:
      return Error(ErrorCode::kTimeout, "ClickHouse did not respond in time.")
          .because("clickhouse_timeout");
    case ErrorCode::kTooLarge:
      return error;
    default:
      return retryLater(ErrorCode::kUnavailable, "ClickHouse is not available: " + error.message(),
                        "clickhouse_unreachable", 2);
  }
}

bool isTransient(const Error& error) {
  constexpr auto kReasons =
      std::to_array<std::string_view>({"clickhouse_busy", "clickhouse_memory", "clickhouse_replica",
                                       "clickhouse_timeout", "clickhouse_unreachable"});
  return std::find(kReasons.begin(), kReasons.end(), error.reason()) != kReasons.end();
}

}  // namespace spindle::clickhouse
