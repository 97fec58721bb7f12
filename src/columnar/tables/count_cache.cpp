#include "columnar/tables/count_cache.h"

namespace spindle::columnar {

std::optional<CountCache::Count> CountCache::find(TableKey table,
                                                  std::string_view condition,
                                                  std::uint64_t epoch) const {
  const MutexLock lock(mutex_);
  const auto found = entries_.find({table, std::string(condition)});
  if (found == entries_.end() || found->second.epoch != epoch) return std::nullopt;
  return found->second.count;
}

void CountCache::put(TableKey table, std::string_view condition, std::uint64_t epoch, Count count) {
  const MutexLock lock(mutex_);
  if (entries_.size() >= kMostCounts) entries_.clear();
  Entry& entry = entries_[{table, std::string(condition)}];
  const bool is_older =
      epoch < entry.epoch || (epoch == entry.epoch && count.generation < entry.count.generation);
  if (!is_older) entry = {epoch, count};
}

}  // namespace spindle::columnar
