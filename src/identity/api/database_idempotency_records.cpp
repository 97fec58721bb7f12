#include "identity/api/database_idempotency_records.h"

namespace spindle::identity {
namespace {

IdempotencyClaim claimOf(const http::IdempotencyRecord& entry) {
  IdempotencyClaim claim;
  claim.id = entry.id;
  claim.lease = entry.lease;
  return claim;
}

}  // namespace

Result<http::IdempotencyRecord> DatabaseIdempotencyRecords::begin(
    const http::IdempotentPost& post) {
  IdempotencyClaim claim =
      TRY(store_.begin({post.user_id, post.method, post.path, post.key, post.body}));
  http::IdempotencyRecord entry;
  entry.id = std::move(claim.id);
  entry.lease = std::move(claim.lease);
  if (claim.replay) {
    http::StoredResponse& response = entry.replay.emplace();
    response.status = claim.replay->status;
    response.headers = std::move(claim.replay->headers);
    response.body = std::move(claim.replay->body);
  }
  return entry;
}

Result<void> DatabaseIdempotencyRecords::finish(const http::IdempotencyRecord& entry,
                                                const http::StoredResponse& response) {
  return store_.finish(claimOf(entry), {response.status, response.headers, response.body});
}

Result<void> DatabaseIdempotencyRecords::abandon(const http::IdempotencyRecord& entry) {
  return store_.abandon(claimOf(entry));
}

}  // namespace spindle::identity
