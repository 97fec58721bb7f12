#include "columnar/tables/partitions.h"

#include <algorithm>
#include <utility>

namespace spindle::columnar {

std::optional<PartitionNumber> Partitions::find(std::string_view name,
                                                std::uint64_t version) const {
  const MutexLock lock(mutex_);
  const auto lives = names_.find(name);
  if (lives == names_.end()) return std::nullopt;
  for (const Lifetime& life : lives->second) {
    if (version < life.ended) return life.number;
  }
  return std::nullopt;
}

std::optional<PartitionNumber> Partitions::find(std::string_view name) const {
  return find(name, UINT64_MAX - 1);
}

std::optional<std::string> Partitions::nameOf(PartitionNumber number) const {
  const MutexLock lock(mutex_);
  const auto name = numbers_.find(number);
  return name == numbers_.end() ? std::nullopt : std::optional(name->second);
}

std::vector<std::string> Partitions::names() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, lives] : names_) {
    if (!lives.empty() && lives.back().ended == UINT64_MAX) names.push_back(name);
  }
  return names;
}

PartitionNumber Partitions::nextNumber() const {
  const MutexLock lock(mutex_);
  return next_;
}

void Partitions::reserve(PartitionNumber below) {
  const MutexLock lock(mutex_);
  next_ = std::max(next_, below);
}

void Partitions::define(PartitionNumber number, std::string_view name) {
  const MutexLock lock(mutex_);
  names_[std::string(name)].push_back({number});
  numbers_.emplace(number, name);
  new_.push_back({number, std::string(name)});
  next_ = std::max(next_, number + 1);
}

void Partitions::retire(const Retired& retired) {
  const MutexLock lock(mutex_);
  const auto name = numbers_.find(retired.number);
  if (name == numbers_.end()) return;
  for (Lifetime& life : names_[name->second]) {
    if (life.number == retired.number) life.ended = std::min(life.ended, retired.version);
  }
  retired_.emplace(retired.number, retired);
}

std::vector<Partitions::Retired> Partitions::retired() const {
  const MutexLock lock(mutex_);
  std::vector<Retired> all;
  for (const auto& [number, retired] : retired_) all.push_back(retired);
  return all;
}

bool Partitions::isRetired(PartitionNumber number) const {
  const MutexLock lock(mutex_);
  return retired_.count(number) > 0;
}

bool Partitions::isDefined(PartitionNumber number) const {
  const MutexLock lock(mutex_);
  return numbers_.count(number) > 0;
}

void Partitions::forget(PartitionNumber number) {
  const MutexLock lock(mutex_);
  retired_.erase(number);
  const auto name = numbers_.find(number);
  if (name == numbers_.end()) return;
  const auto lives = names_.find(name->second);
  std::erase_if(lives->second, [number](const Lifetime& life) { return life.number == number; });
  if (lives->second.empty()) names_.erase(lives);
  numbers_.erase(name);
}

std::vector<Partitions::Named> Partitions::takeNew() {
  const MutexLock lock(mutex_);
  return std::exchange(new_, {});
}

void Partitions::returnNew(std::vector<Named> names) {
  const MutexLock lock(mutex_);
  new_.insert(new_.end(), std::make_move_iterator(names.begin()),
              std::make_move_iterator(names.end()));
}

}  // namespace spindle::columnar
