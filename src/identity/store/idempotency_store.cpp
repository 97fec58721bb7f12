#include "identity/store/idempotency_store.h"

#include <charconv>
#include <chrono>
#include <cstdint>

#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row;
using storage::Session;

constexpr std::chrono::hours kRetention(24);
constexpr std::chrono::seconds kLease(60);

/// Appends a text with its length before it, so that different lists never give the same bytes.
void append(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

class PackedTextReader {
 public:
  explicit PackedTextReader(std::string_view packed) : left_(packed) {}

  bool atEnd() const { return left_.empty(); }
  std::optional<std::string> next() {
    std::size_t size = 0;
    const auto [end, problem] = std::from_chars(left_.data(), left_.data() + left_.size(), size);
    const auto used = static_cast<std::size_t>(end - left_.data());
    if (problem != std::errc() || used >= left_.size() || *end != ':' ||
        left_.size() - used - 1 < size) {
      return std::nullopt;
    }
    std::string text(left_.substr(used + 1, size));
    left_.remove_prefix(used + 1 + size);
    return text;
  }

 private:
  std::string_view left_;
};

std::string pack(const RecordedResponse& response) {
  std::string packed;
  append(packed, std::to_string(response.status));
  append(packed, response.body);
  for (const auto& [name, value] : response.headers) {
    append(packed, name);
    append(packed, value);
  }
  return packed;
}

std::optional<RecordedResponse> unpack(std::string_view packed) {
  PackedTextReader texts(packed);
  RecordedResponse response;
  const std::optional<std::string> status = texts.next();
  if (!status) return std::nullopt;
  std::from_chars(status->data(), status->data() + status->size(), response.status);
  std::optional<std::string> body = texts.next();
  if (!body) return std::nullopt;
  response.body = *std::move(body);
  while (!texts.atEnd()) {
    std::optional<std::string> name = texts.next();
    std::optional<std::string> value = texts.next();
    if (!name || !value) return std::nullopt;
    response.headers.emplace_back(*std::move(name), *std::move(value));
  }
  return response;
}

std::string idOf(const IdempotentRequest& request) {
  std::string text;
  append(text, request.caller_id);
  append(text, request.method);
  append(text, request.path);
  append(text, request.key);
  return toHex(sha256(text));
}

Error reused() {
  Violation violation;
  violation.type = "idempotency_key_reused";
  violation.loc = {"header", "Idempotency-Key"};
  violation.msg = "This key was used with another query or request body";
  return Error::invalid({std::move(violation)});
}

}  // namespace

Result<IdempotencyClaim> IdempotencyStore::begin(const IdempotentRequest& request) {
  IdempotencyClaim claim;
  claim.id = idOf(request);
  claim.lease = randomAlphanumeric(20);
  const std::string digest = toHex(sha256(request.body));
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<IdempotencyClaim> {
    TRY(session.execute("DELETE FROM idempotency_keys WHERE expires_at <= ?", {now}));
    const std::int64_t fresh = TRY(session.execute(
        "INSERT INTO idempotency_keys (id, request_digest, lease, leased_until, expires_at) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        {claim.id, digest, claim.lease, now + kLease, now + kRetention}));
    if (fresh == 1) return claim;
    const std::optional<Row> found = TRY(session.queryOne(
        "SELECT request_digest, leased_until, answer FROM idempotency_keys WHERE id = ?",
        {claim.id}));
    const Row& row = *found;
    if (row.text("request_digest") != digest) return reused();
    if (const std::optional<std::string> stored = row.optionalText("answer")) {
      const std::optional<std::string> sealed = decodeBase64(*stored);
      const std::optional<std::string> packed =
          sealed ? open(seal_key_, *sealed, claim.id) : std::nullopt;
      IdempotencyClaim again = claim;
      if (packed) again.replay = unpack(*packed);
      if (!again.replay) return Error::internal("The stored response cannot be read.");
      return again;
    }
    if (row.time("leased_until") > now) {
      return Error::conflict("A request with this key is still running.")
          .because("idempotency_in_progress");
    }
    TRY(session.execute("UPDATE idempotency_keys SET lease = ?, leased_until = ? WHERE id = ?",
                        {claim.lease, now + kLease, claim.id}));
    return claim;
  });
}

Result<void> IdempotencyStore::finish(const IdempotencyClaim& claim,
                                      const RecordedResponse& response) {
  const std::string sealed = encodeBase64(seal(seal_key_, pack(response), claim.id));
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute("UPDATE idempotency_keys SET answer = ? WHERE id = ? AND lease = ?",
                        {sealed, claim.id, claim.lease}));
    return {};
  });
}

Result<void> IdempotencyStore::abandon(const IdempotencyClaim& claim) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute(
        "DELETE FROM idempotency_keys WHERE id = ? AND lease = ? AND answer IS NULL",
        {claim.id, claim.lease}));
    return {};
  });
}

}  // namespace spindle::identity
