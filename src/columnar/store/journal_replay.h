#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "columnar/journal/journal_record.h"
#include "columnar/store/store_parts.h"

namespace spindle::columnar {

/// Receives the rows of a journal in order.
class StepReceiver {
 public:
  virtual ~StepReceiver() = default;
  /// Receives an added row. `place` is the position of its bytes in the journal.
  virtual void put(TableKey table, RowNumber number, Row row, RecordRange place) = 0;
  /// Receives a removed row. `generation` contained the row when the journal was written, 0 for the
  /// file.
  virtual void remove(TableKey table,
                      RowNumber number,
                      GenerationNumber generation,
                      std::string_view key) = 0;
};

/// Decodes the records of one journal: defines and retires partitions and passes rows to the
/// receiver. Counts and skips entries that it cannot decode (a damaged row, an unknown family). For
/// the recovery thread.
class JournalReplay final : public RecordVisitor {
 public:
  /// The first `skipped_steps` added or removed rows are already in the file.
  JournalReplay(StoreParts& parts,
                GenerationNumber generation,
                std::int64_t skipped_steps,
                StepReceiver& receiver)
      : parts_(parts),
        generation_(generation),
        skipped_steps_(skipped_steps),
        receiver_(receiver) {}

  /// `offset` is the position of the record in the journal.
  void read(std::string_view record, std::uint64_t offset);

  /// Returns the number of added and removed rows so far, including skipped ones.
  std::int64_t steps() const { return steps_; }
  std::int64_t lostSteps() const { return lost_steps_; }

  void defineFamily(FamilyId family, std::string_view name) override;
  void definePartition(PartitionNumber number, std::string_view name) override;
  void retirePartition(PartitionNumber number) override;
  void put(FamilyId family,
           PartitionNumber partition,
           RowNumber number,
           std::string_view row,
           RecordRange place) override;
  void remove(FamilyId family,
              PartitionNumber partition,
              RowNumber number,
              GenerationNumber generation,
              std::string_view key) override;

 private:
  /// Counts a step. @return true if the step must be passed to the receiver.
  bool isNext() { return steps_++ >= skipped_steps_; }

  StoreParts& parts_;
  const GenerationNumber generation_;
  const std::int64_t skipped_steps_;
  StepReceiver& receiver_;
  std::uint64_t offset_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t lost_steps_ = 0;
  std::map<FamilyId, FamilyId> families_;  // from family index in the journal to current index
};

}  // namespace spindle::columnar
