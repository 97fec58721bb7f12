#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "columnar/numbers.h"

namespace spindle::columnar {

/// Where the bytes of a row stand: in a record, or in a journal.
struct Span {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Writes down what one group of changes does, as it is done: which rows are added, which go.
class RecordWriter {
 public:
  /// What a family's position means in the records from here on.
  void defineFamily(FamilyId family, std::string_view name);
  void definePartition(PartitionNumber number, std::string_view name);
  void retirePartition(PartitionNumber number);
  /// @return where the row's bytes stand in the record.
  Span put(FamilyId family, PartitionNumber partition, RowNumber number, const Row& row);
  /// `generation` is where the row is, 0 for the file.
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

/// Takes what a RecordWriter wrote, in the same order.
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
                   Span place) = 0;
  virtual void remove(FamilyId family,
                      PartitionNumber partition,
                      RowNumber number,
                      GenerationNumber generation,
                      std::string_view key) = 0;
};

/// @return false when the bytes are no record; some of it may have been visited.
bool readRecord(std::string_view record, RecordVisitor& visitor);

}  // namespace spindle::columnar
