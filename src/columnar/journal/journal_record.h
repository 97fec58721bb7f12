#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "columnar/journal/numbers.h"

namespace spindle::columnar {

/// Position and length of the bytes of a row in a record or a journal.
struct RecordRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Encodes the effects of one group of changes: rows to add and rows to remove.
class RecordWriter {
 public:
  /// Defines the name of a family index for this and later records.
  void defineFamily(FamilyId family, std::string_view name);
  void definePartition(PartitionNumber number, std::string_view name);
  void retirePartition(PartitionNumber number);
  /// Encodes a row to add. @return the position of its bytes in the record.
  RecordRange put(FamilyId family, PartitionNumber partition, RowNumber number, const Row& row);
  /// Encodes a row to remove. `generation` is the generation that contains the row, 0 for the file.
  void remove(FamilyId family,
              PartitionNumber partition,
              RowNumber number,
              GenerationNumber generation,
              std::string_view key);

  bool empty() const { return bytes_.empty(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::string scratch_;
};

/// Receives the entries of a record in the order in which RecordWriter wrote them.
class RecordVisitor {
 public:
  virtual ~RecordVisitor() = default;
  virtual void defineFamily(FamilyId family, std::string_view name) = 0;
  virtual void definePartition(PartitionNumber number, std::string_view name) = 0;
  virtual void retirePartition(PartitionNumber number) = 0;
  virtual void put(FamilyId family,
                   PartitionNumber partition,
                   RowNumber number,
                   std::string_view row,
                   RecordRange place) = 0;
  virtual void remove(FamilyId family,
                      PartitionNumber partition,
                      RowNumber number,
                      GenerationNumber generation,
                      std::string_view key) = 0;
};

/// Decodes a record. @return false if the bytes are not a valid record; some entries may have been
/// visited.
bool readRecord(std::string_view record, RecordVisitor& visitor);

}  // namespace spindle::columnar
