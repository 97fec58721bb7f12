#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/core/mutex.h"

namespace spindle::identity {

/// Caches values from the database while nothing in it changes: an entry is valid only while the
/// database's change token is the one it was stored under. Bounded. Thread-safe; sharded, so that
/// threads with different keys rarely contend.
template <class Value>
class ValidatedCache {
 public:
  /// Returns the entry stored under this token, or null.
  std::shared_ptr<const Value> find(std::string_view key, std::uint64_t token) {
    Shard& shard = shardOf(key);
    const MutexLock lock(shard.mutex);
    if (shard.token != token) return nullptr;
    const auto found = shard.entries.find(key);
    return found == shard.entries.end() ? nullptr : found->second;
  }

  /// Stores an entry. `token` must be read from the database before the value.
  void put(std::string_view key, std::uint64_t token, std::shared_ptr<const Value> value) {
    Shard& shard = shardOf(key);
    const MutexLock lock(shard.mutex);
    if (shard.token != token || shard.entries.size() >= kMaxPerShard) {
      shard.entries.clear();
      shard.token = token;
    }
    shard.entries.insert_or_assign(std::string(key), std::move(value));
  }

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kMaxPerShard = 1024;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  struct Shard {
    Mutex mutex;
    std::uint64_t token SPINDLE_GUARDED_BY(mutex) = 0;
    std::unordered_map<std::string, std::shared_ptr<const Value>, Hash, std::equal_to<>> entries
        SPINDLE_GUARDED_BY(mutex);
  };

  Shard& shardOf(std::string_view key) { return shards_[Hash()(key) % kShards]; }

  std::array<Shard, kShards> shards_;
};

}  // namespace spindle::identity
