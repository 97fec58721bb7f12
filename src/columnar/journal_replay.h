#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "columnar/journal_record.h"
#include "columnar/store_parts.h"

namespace spindle::columnar {

/// Receives the rows of a journal, step by step.
class StepReceiver {
 public:
  virtual ~StepReceiver() = default;
  /// A row that comes. `place` is where its bytes stand in the journal.
  virtual void put(TableKey table, RowNumber number, Row row, Span place) = 0;
  /// A row that goes. `generation` is where it was when the journal was written, 0 for the file.
  virtual void remove(TableKey table,
                      RowNumber number,
                      GenerationNumber generation,
                      std::string_view key) = 0;
};

/// Reads the records of one journal: defines and retires partitions as they say, and hands rows on.
/// A step that cannot be understood (a damaged row, a family of no known name) is counted and left
/// out. For the thread that recovers.
class JournalReplay final : public RecordVisitor {
 public:
  /// The first `skipped_steps` rows that come or go are in the file already.
  JournalReplay(StoreParts& parts,
                GenerationNumber generation,
                std::int64_t skipped_steps,
                StepReceiver& receiver)
      : parts_(parts),
        generation_(generation),
        skipped_steps_(skipped_steps),
        receiver_(receiver) {}

  /// `offset` is where the record begins in the journal.
  void read(std::string_view record, std::uint64_t offset);

  /// Rows that came or went so far, those left out included.
  std::int64_t steps() const { return steps_; }
  std::int64_t lostSteps() const { return lost_steps_; }

  void defineFamily(FamilyId family, std::string_view name) override;
  void definePartition(PartitionNumber number, std::string_view name) override;
  void retirePartition(PartitionNumber number) override;
  void put(FamilyId family,
           PartitionNumber partition,
           RowNumber number,
           std::string_view row,
           Span place) override;
  void remove(FamilyId family,
              PartitionNumber partition,
              RowNumber number,
              GenerationNumber generation,
              std::string_view key) override;

 private:
  /// Counts a step. @return whether it is to be handed on.
  bool isNext() { return steps_++ >= skipped_steps_; }

  StoreParts& parts_;
  const GenerationNumber generation_;
  const std::int64_t skipped_steps_;
  StepReceiver& receiver_;
  std::uint64_t offset_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t lost_steps_ = 0;
  std::map<FamilyId, FamilyId> families_;  // position in the journal, position now
};

}  // namespace spindle::columnar
