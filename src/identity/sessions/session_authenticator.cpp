#include "identity/sessions/session_authenticator.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "identity/types/session.h"

namespace spindle::identity {
namespace {

constexpr std::chrono::milliseconds kCoarsestResolution = std::chrono::minutes(10);
constexpr int kResolutionsPerIdleTime = 10;

}  // namespace

Result<SessionUser> SessionAuthenticator::authenticate(std::string_view token) {
  if (!isSessionToken(token)) return Error::unauthenticated();
  const std::string digest = sessions_.digestOf(token);
  const std::optional<std::uint64_t> change = sessions_.changeToken();
  std::shared_ptr<const SessionOwner> owner = change ? cache_.find(digest, *change) : nullptr;
  if (owner == nullptr) {
    std::optional<SessionOwner> found = TRY(sessions_.findOwner(digest));
    // Wrong tokens are not cached: any client could fill the memory with them.
    if (!found.has_value()) return Error::unauthenticated();
    owner = std::make_shared<const SessionOwner>(*std::move(found));
    if (change) cache_.put(digest, *change, owner);
  }
  const Timestamp now = clock_.now();
  if (hasEnded(*owner, now)) return Error::unauthenticated();
  recordUse(*owner, now);
  return SessionUser{owner->session_id, owner->user_id, owner->username,
                     owner->key_id.empty() ? sessionKeyId(owner->user_id) : owner->key_id,
                     owner->team_id};
}

Result<bool> SessionAuthenticator::isValid(std::string_view session_id) {
  const std::optional<SessionOwner> owner = TRY(sessions_.findOwnerById(session_id));
  return owner.has_value() && !hasEnded(*owner, clock_.now());
}

std::string SessionAuthenticator::csrfTokenOf(std::string_view token) const {
  const std::string_view key(reinterpret_cast<const char*>(csrf_key_.data()), csrf_key_.size());
  const Sha256 digest = hmacSha256(key, token);
  return encodeBase64Url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool SessionAuthenticator::hasEnded(const SessionOwner& owner, Timestamp now) {
  if (owner.expires_at <= now || isIdle(owner, now)) return true;
  return owner.key_expires_at && *owner.key_expires_at <= now;
}

bool SessionAuthenticator::isIdle(const SessionOwner& owner, Timestamp now) {
  if (now - owner.last_used_at < times_.idle) return false;
  // A later use may not be stored yet.
  const MutexLock lock(uses_mutex_);
  const auto later = uses_.find(owner.session_id);
  return later == uses_.end() || now - later->second >= times_.idle;
}

void SessionAuthenticator::recordUse(const SessionOwner& owner, Timestamp now) {
  const auto resolution = std::min(kCoarsestResolution, times_.idle / kResolutionsPerIdleTime);
  if (now - owner.last_used_at < resolution) return;
  const MutexLock lock(uses_mutex_);
  uses_.insert_or_assign(owner.session_id, now);
}

Result<void> SessionAuthenticator::flushUses() {
  std::vector<std::pair<std::string, Timestamp>> uses;
  {
    const MutexLock lock(uses_mutex_);
    uses.assign(uses_.begin(), uses_.end());
  }
  if (uses.empty()) return {};
  TRY(sessions_.recordUses(uses));
  const MutexLock lock(uses_mutex_);
  for (const auto& [id, time] : uses) {
    const auto kept = uses_.find(id);
    if (kept != uses_.end() && kept->second == time) uses_.erase(kept);
  }
  return {};
}

Result<void> SessionAuthenticator::removeExpired() {
  TRY(flushUses());
  return sessions_.removeExpired(
      clock_.now() - std::chrono::duration_cast<std::chrono::microseconds>(times_.idle));
}

}  // namespace spindle::identity
