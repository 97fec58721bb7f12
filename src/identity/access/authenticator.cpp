#include "identity/access/authenticator.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "identity/types/api_key.h"

namespace spindle::identity {
namespace {

constexpr std::chrono::minutes kLastUsedResolution(10);  // resolution of last_used_at

}  // namespace

Result<AuthenticatedUser> Authenticator::authenticate(std::string_view key) {
  if (!isUsableKey(key)) return Error::unauthenticated();
  const std::string digest = keys_.digestOf(key);
  const std::optional<std::uint64_t> token = keys_.changeToken();
  std::shared_ptr<const ApiKeyOwner> owner = token ? cache_.find(digest, *token) : nullptr;
  if (owner == nullptr) {
    std::optional<ApiKeyOwner> found = TRY(keys_.findOwner(digest));
    // Wrong keys are not cached: any client could fill the memory with them.
    if (!found.has_value()) return Error::unauthenticated();
    owner = std::make_shared<const ApiKeyOwner>(*std::move(found));
    if (token) cache_.put(digest, *token, owner);
  }
  const Timestamp now = clock_.now();
  if (owner->expires_at && *owner->expires_at <= now) return Error::unauthenticated();
  recordUse(*owner, now);
  return AuthenticatedUser{owner->user_id, owner->username, owner->key_id, owner->api_key_id,
                           owner->team_id};
}

void Authenticator::recordUse(const ApiKeyOwner& owner, Timestamp now) {
  if (owner.last_used_at && now - *owner.last_used_at < kLastUsedResolution) return;
  const MutexLock lock(uses_mutex_);
  uses_.insert_or_assign(owner.api_key_id, now);
}

Result<void> Authenticator::flushUses() {
  std::vector<std::pair<std::string, Timestamp>> uses;
  {
    const MutexLock lock(uses_mutex_);
    uses.assign(uses_.begin(), uses_.end());
    uses_.clear();
  }
  if (uses.empty()) return {};
  return keys_.recordUses(uses);
}

}  // namespace spindle::identity
