#include "columnar/journal/journal_record.h"

#include "columnar/journal/row_codec.h"

namespace spindle::columnar {
namespace {

enum class Step : std::uint8_t { kFamily = 1, kDefine, kRetire, kPut, kRemove };

void putStep(std::string& out, Step step) { out += static_cast<char>(step); }

void readPut(ByteReader& in, std::string_view record, RecordVisitor& visitor) {
  const std::uint64_t family = in.number();
  const auto partition = static_cast<PartitionNumber>(in.number());
  const auto number = static_cast<RowNumber>(in.number());
  const std::string_view row = in.text();
  if (!in.ok()) return;
  const auto offset = static_cast<std::uint64_t>(row.data() - record.data());
  visitor.put(family, partition, number, row, {offset, row.size()});
}

void readRemove(ByteReader& in, RecordVisitor& visitor) {
  const std::uint64_t family = in.number();
  const auto partition = static_cast<PartitionNumber>(in.number());
  const auto number = static_cast<RowNumber>(in.number());
  const auto generation = static_cast<GenerationNumber>(in.number());
  const std::string_view key = in.text();
  if (in.ok()) visitor.remove(family, partition, number, generation, key);
}

}  // namespace

void RecordWriter::defineFamily(FamilyId family, std::string_view name) {
  putStep(bytes_, Step::kFamily);
  putNumber(bytes_, family);
  putText(bytes_, name);
}

void RecordWriter::definePartition(PartitionNumber number, std::string_view name) {
  putStep(bytes_, Step::kDefine);
  putNumber(bytes_, static_cast<std::uint64_t>(number));
  putText(bytes_, name);
}

void RecordWriter::retirePartition(PartitionNumber number) {
  putStep(bytes_, Step::kRetire);
  putNumber(bytes_, static_cast<std::uint64_t>(number));
}

RecordRange RecordWriter::put(FamilyId family,
                              PartitionNumber partition,
                              RowNumber number,
                              const Row& row) {
  putStep(bytes_, Step::kPut);
  putNumber(bytes_, family);
  putNumber(bytes_, static_cast<std::uint64_t>(partition));
  putNumber(bytes_, static_cast<std::uint64_t>(number));
  scratch_.clear();
  encodeRow(row, scratch_);
  putText(bytes_, scratch_);
  return {bytes_.size() - scratch_.size(), scratch_.size()};
}

void RecordWriter::remove(FamilyId family,
                          PartitionNumber partition,
                          RowNumber number,
                          GenerationNumber generation,
                          std::string_view key) {
  putStep(bytes_, Step::kRemove);
  putNumber(bytes_, family);
  putNumber(bytes_, static_cast<std::uint64_t>(partition));
  putNumber(bytes_, static_cast<std::uint64_t>(number));
  putNumber(bytes_, static_cast<std::uint64_t>(generation));
  putText(bytes_, key);
}

bool readRecord(std::string_view record, RecordVisitor& visitor) {
  ByteReader in(record);
  while (in.ok() && !in.atEnd()) {
    switch (static_cast<Step>(in.byte())) {
      case Step::kFamily: {
        const FamilyId family = in.number();
        const std::string_view name = in.text();
        if (in.ok()) visitor.defineFamily(family, name);
        break;
      }
      case Step::kDefine: {
        const auto number = static_cast<PartitionNumber>(in.number());
        const std::string_view name = in.text();
        if (in.ok()) visitor.definePartition(number, name);
        break;
      }
      case Step::kRetire: {
        const auto number = static_cast<PartitionNumber>(in.number());
        if (in.ok()) visitor.retirePartition(number);
        break;
      }
      case Step::kPut:
        readPut(in, record, visitor);
        break;
      case Step::kRemove:
        readRemove(in, visitor);
        break;
      default:
        return false;
    }
  }
  return in.ok();
}

}  // namespace spindle::columnar
