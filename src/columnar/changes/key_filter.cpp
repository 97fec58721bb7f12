#include "columnar/changes/key_filter.h"

#include <algorithm>
#include <functional>

#include "columnar/changes/recent_rows.h"
#include "columnar/duckdb/table_sql.h"

namespace spindle::columnar {
namespace {

constexpr std::size_t kFewestKeys = 1024;
constexpr std::size_t kKeysPerBlock = 24;

/// Mixes a number so that every result bit depends on every input bit.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31U);
}

/// Position of a key: a number that selects the block, and six bits for each word of the block.
struct Spot {
  explicit Spot(std::string_view key)
      : block(mixed(std::hash<std::string_view>()(key))), bits(mixed(block)) {}

  std::uint64_t bit(std::size_t word) const {
    return std::uint64_t{1} << (bits >> (6U * word) & 63U);
  }

  std::uint64_t block;
  std::uint64_t bits;
};

}  // namespace

void KeyFilter::expect(std::size_t keys) {
  const std::size_t room = std::max(keys, kFewestKeys);
  parts_.push_back({std::vector<Block>((room + kKeysPerBlock - 1) / kKeysPerBlock), room});
}

void KeyFilter::add(std::string_view key) {
  if (parts_.empty() || parts_.back().room == 0)
    expect(parts_.empty() ? 0 : 2 * parts_.back().blocks.size() * kKeysPerBlock);
  Part& part = parts_.back();
  const Spot spot(key);
  Block& block = part.blocks[spot.block % part.blocks.size()];
  for (std::size_t word = 0; word < block.size(); ++word) block[word] |= spot.bit(word);
  --part.room;
}

bool KeyFilter::mayContain(std::string_view key) const {
  const Spot spot(key);
  return std::any_of(parts_.begin(), parts_.end(), [&spot](const Part& part) {
    const Block& block = part.blocks[spot.block % part.blocks.size()];
    for (std::size_t word = 0; word < block.size(); ++word) {
      if ((block[word] & spot.bit(word)) == 0) return false;
    }
    return true;
  });
}

void KeyFilters::add(FamilyId family, std::string_view full_key) {
  if (!families_[family].isOrderedKey(keyIn(full_key))) keys_[family].filter.add(full_key);
}

Result<bool> KeyFilters::mayContain(TableKey table, std::string_view full_key) {
  Keys& keys = keys_[table.family];
  if (!keys.complete) {
    TRY(readFile(table.family, keys.filter));
    keys.complete = true;
  }
  // Added keys may still be only in memory.
  return stored_.isKnown(table) && keys.filter.mayContain(full_key);
}

Result<void> KeyFilters::readFile(FamilyId family, KeyFilter& filter) {
  const Family& of = families_[family];
  // A family that is partly ordered has few other keys, or the filter grows.
  if (!of.key_order)
    filter.expect(static_cast<std::size_t>(std::max<std::int64_t>(stored_.rowsOf(family), 0)));
  TRY(readTable(family, sharedTable(of), std::nullopt, filter));
  for (const PartitionNumber number : stored_.partitionsWith(family, true)) {
    TRY(readTable(family, ownTable(of, number), number, filter));
  }
  return {};
}

Result<void> KeyFilters::readTable(FamilyId family,
                                   SqlView table,
                                   std::optional<PartitionNumber> own,
                                   KeyFilter& filter) {
  const Family& of = families_[family];
  const SqlText partition = own ? SqlText::number(*own) : SqlText(kPartitionColumn);
  SqlText sql =
      "SELECT " + quotedName(of.columns[of.key].name) + ", " + partition + "::BIGINT FROM " + table;
  if (of.key_order) sql += " WHERE " + SqlText(of.key_order->unordered);
  const ScanGate::Pass pass(scans_);
  return forEachRow(connection_, sql, [&](const QueryResult& result, std::size_t row) {
    const auto number = static_cast<PartitionNumber>(result.integer(1, row));
    filter.add(fullKey({family, number}, result.text(0, row)));
  });
}

}  // namespace spindle::columnar
