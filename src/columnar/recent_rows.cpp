#include "columnar/recent_rows.h"

#include <algorithm>

namespace spindle::columnar {

std::string fullKey(TableKey table, std::string_view key) {
  std::string full;
  full.reserve(key.size() + 5);
  full += static_cast<char>(table.family);
  for (int shift = 0; shift < 32; shift += 8) {
    full += static_cast<char>(static_cast<std::uint32_t>(table.partition) >> shift & 0xFFU);
  }
  full += key;
  return full;
}

void RecentRows::begin(GenerationNumber generation) {
  generations_.emplace_back();
  generations_.back().generation = generation;
}

void RecentRows::end(GenerationNumber generation) {
  const auto rows =
      std::find_if(generations_.begin(), generations_.end(),
                   [generation](const Rows& r) { return r.generation == generation; });
  if (rows != generations_.end()) generations_.erase(rows);
}

std::optional<Place> RecentRows::find(const std::string& full_key) const {
  for (auto rows = generations_.rbegin(); rows != generations_.rend(); ++rows) {
    const auto found = rows->places.find(full_key);
    if (found != rows->places.end()) return found->second;
  }
  return std::nullopt;
}

void RecentRows::put(const std::string& full_key, Place place) {
  erase(full_key);
  generations_.back().places.emplace(full_key, place);
}

void RecentRows::erase(const std::string& full_key) {
  for (Rows& rows : generations_) rows.places.erase(full_key);
}

void RecentRows::forEach(GenerationNumber generation,
                         const std::function<void(const Place&)>& visit) const {
  for (const Rows& rows : generations_) {
    if (rows.generation != generation) continue;
    for (const auto& [key, place] : rows.places) visit(place);
  }
}

void RecentRows::supersede(RowNumber number) { generations_.back().superseded.insert(number); }

bool RecentRows::isSuperseded(RowNumber number) const {
  return std::any_of(generations_.begin(), generations_.end(),
                     [number](const Rows& rows) { return rows.superseded.count(number) > 0; });
}

}  // namespace spindle::columnar
