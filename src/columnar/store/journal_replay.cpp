#include "columnar/store/journal_replay.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "columnar/journal/row_codec.h"
#include "columnar/journal/utf8.h"

namespace spindle::columnar {

void JournalReplay::read(std::string_view record, std::uint64_t offset) {
  offset_ = offset;
  if (!readRecord(record, *this)) ++lost_steps_;
}

void JournalReplay::defineFamily(FamilyId family, std::string_view name) {
  for (FamilyId id = 0; id < parts_.families.size(); ++id) {
    if (parts_.families[id].name.text() == name) families_[family] = id;
  }
}

void JournalReplay::definePartition(PartitionNumber number, std::string_view name) {
  if (parts_.partitions.isDefined(number)) return;
  // If the file is older than the journal, the name may still refer to a dropped partition.
  const std::optional<PartitionNumber> before = parts_.partitions.find(name);
  if (before && *before < number) parts_.partitions.retire({*before, 0, generation_});
  parts_.partitions.define(number, name);
}

void JournalReplay::retirePartition(PartitionNumber number) {
  parts_.partitions.retire({number, 0, generation_});
}

void JournalReplay::put(FamilyId family,
                        PartitionNumber partition,
                        RowNumber number,
                        std::string_view row,
                        RecordRange place) {
  if (!isNext()) return;
  const auto id = families_.find(family);
  const bool known = id != families_.end() && parts_.partitions.isDefined(partition);
  std::optional<Row> values;
  if (known) values = decodeRow(row, parts_.families[id->second].columns.size());
  const bool whole = values && isRowOf(parts_.families[id->second], *values) &&
                     std::all_of(values->begin(), values->end(), isText);
  if (!whole) {
    ++lost_steps_;
    return;
  }
  receiver_.put({id->second, partition}, number, *std::move(values),
                {offset_ + place.offset, place.bytes});
}

void JournalReplay::remove(FamilyId family,
                           PartitionNumber partition,
                           RowNumber number,
                           GenerationNumber generation,
                           std::string_view key) {
  if (!isNext()) return;
  const auto id = families_.find(family);
  if (id == families_.end()) {
    ++lost_steps_;
    return;
  }
  receiver_.remove({id->second, partition}, number, generation, key);
}

}  // namespace spindle::columnar
