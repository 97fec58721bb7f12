#include "identity/authenticator.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "identity/api_key.h"

namespace spindle::identity {
namespace {

constexpr std::chrono::minutes kUseGrain(10);  // resolution of last_used_at

}  // namespace

Result<Bearer> Authenticator::authenticate(std::string_view key) {
  if (!isUsableKey(key)) return Error::unauthenticated();
  const std::string digest = keys_.digestOf(key);
  const std::optional<std::uint64_t> token = keys_.changeToken();
  std::shared_ptr<const KeyBearer> bearer = token ? cache_.find(digest, *token) : nullptr;
  if (bearer == nullptr) {
    Result<std::optional<KeyBearer>> found = keys_.findBearer(digest);
    if (!found) return std::move(found).error();
    // Wrong keys are not cached: any client could fill the memory with them.
    if (!found->has_value()) return Error::unauthenticated();
    bearer = std::make_shared<const KeyBearer>(**std::move(found));
    if (token) cache_.put(digest, *token, bearer);
  }
  const Timestamp now = clock_.now();
  if (bearer->expires_at && *bearer->expires_at <= now) return Error::unauthenticated();
  noteUse(*bearer, now);
  return Bearer{bearer->user_id, bearer->username, bearer->key_id, bearer->api_key_id,
                bearer->team_id};
}

void Authenticator::noteUse(const KeyBearer& bearer, Timestamp now) {
  if (bearer.last_used_at && now - *bearer.last_used_at < kUseGrain) return;
  const MutexLock lock(uses_mutex_);
  uses_.insert_or_assign(bearer.api_key_id, now);
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
