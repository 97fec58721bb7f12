#include "columnar/changes/recent_rows.h"

#include <algorithm>

namespace spindle::columnar {
namespace {

constexpr std::size_t kKeyBegin = 5;  // after one byte for the family and four for the partition

}  // namespace

std::string fullKey(TableKey table, std::string_view key) {
  std::string full;
  full.reserve(key.size() + kKeyBegin);
  full += static_cast<char>(table.family);
  for (int shift = 0; shift < 32; shift += 8) {
    full += static_cast<char>(static_cast<std::uint32_t>(table.partition) >> shift & 0xFFU);
  }
  full += key;
  return full;
}

std::string_view keyIn(std::string_view full_key) { return full_key.substr(kKeyBegin); }

TableKey tableIn(std::string_view full_key) {
  std::uint32_t partition = 0;
  for (std::size_t i = 1; i < kKeyBegin; ++i) {
    partition |= static_cast<std::uint32_t>(static_cast<unsigned char>(full_key[i])) << 8 * (i - 1);
  }
  return {static_cast<unsigned char>(full_key[0]), static_cast<PartitionNumber>(partition)};
}

void RecentRows::begin(GenerationNumber generation) {
  generations_.push_back(std::make_shared<Rows>());
  generations_.back()->generation = generation;
}

std::shared_ptr<void> RecentRows::end(GenerationNumber generation) {
  const auto found = std::find_if(
      generations_.begin(), generations_.end(),
      [generation](const std::shared_ptr<Rows>& r) { return r->generation == generation; });
  if (found == generations_.end()) return nullptr;
  std::shared_ptr<void> rows = std::move(*found);
  generations_.erase(found);
  return rows;
}

std::optional<RowLocation> RecentRows::find(const std::string& full_key) const {
  for (auto rows = generations_.rbegin(); rows != generations_.rend(); ++rows) {
    const auto found = (*rows)->places.find(full_key);
    if (found != (*rows)->places.end()) return found->second;
  }
  return std::nullopt;
}

void RecentRows::put(const std::string& full_key, const RowLocation& place) {
  generations_.back()->places.emplace(full_key, place);
}

void RecentRows::erase(const std::string& full_key, GenerationNumber generation) {
  for (const std::shared_ptr<Rows>& rows : generations_) {
    if (rows->generation == generation) rows->places.erase(full_key);
  }
}

void RecentRows::forEach(GenerationNumber generation,
                         const std::function<void(const RowLocation&)>& visit) const {
  for (const std::shared_ptr<Rows>& rows : generations_) {
    if (rows->generation != generation) continue;
    for (const auto& [key, place] : rows->places) visit(place);
  }
}

void RecentRows::forEachKey(const std::function<void(std::string_view full_key)>& visit) const {
  for (const std::shared_ptr<Rows>& rows : generations_) {
    for (const auto& [key, place] : rows->places) visit(key);
  }
}

void RecentRows::supersede(RowNumber number) { generations_.back()->superseded.insert(number); }

bool RecentRows::isSuperseded(RowNumber number) const {
  return std::any_of(
      generations_.begin(), generations_.end(),
      [number](const std::shared_ptr<Rows>& rows) { return rows->superseded.count(number) > 0; });
}

}  // namespace spindle::columnar
