#include "identity/idempotency_api.h"

namespace spindle::identity {
namespace {

IdempotentStart startOf(const http::LedgerEntry& entry) {
  IdempotentStart start;
  start.id = entry.id;
  start.lease = entry.lease;
  return start;
}

}  // namespace

Result<http::LedgerEntry> StoredIdempotency::begin(const http::KeyedPost& post) {
  Result<IdempotentStart> start =
      store_.begin({post.user_id, post.method, post.path, post.key, post.body});
  if (!start) return std::move(start).error();
  http::LedgerEntry entry;
  entry.id = std::move(start->id);
  entry.lease = std::move(start->lease);
  if (start->replay) {
    http::KeptAnswer& answer = entry.replay.emplace();
    answer.status = start->replay->status;
    answer.headers = std::move(start->replay->headers);
    answer.body = std::move(start->replay->body);
  }
  return entry;
}

Result<void> StoredIdempotency::finish(const http::LedgerEntry& entry,
                                       const http::KeptAnswer& answer) {
  return store_.finish(startOf(entry), {answer.status, answer.headers, answer.body});
}

Result<void> StoredIdempotency::abandon(const http::LedgerEntry& entry) {
  return store_.abandon(startOf(entry));
}

}  // namespace spindle::identity
