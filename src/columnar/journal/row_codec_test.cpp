#include "columnar/journal/row_codec.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "columnar/journal/journal_record.h"

namespace spindle::columnar {
namespace {

Row everything() {
  return {Value(),
          std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::int64_t>::max(),
          std::int64_t{-1},
          -0.0,
          true,
          false,
          timestampOfMicros(-1),
          std::string("text\0behind", 11),
          std::vector<std::string>{},
          std::vector<std::string>{"", "two"}};
}

TEST(RowCodec, DecodesEveryValue) {
  std::string bytes;
  encodeRow(everything(), bytes);
  EXPECT_EQ(decodeRow(bytes, everything().size()), everything());
}

TEST(RowCodec, ReadsNewColumnsAsNull) {
  std::string bytes;
  encodeRow({std::string("a")}, bytes);
  EXPECT_EQ(decodeRow(bytes, 3), (Row{std::string("a"), Value(), Value()}));
  EXPECT_EQ(decodeRow(bytes, 0), std::nullopt);
}

TEST(RowCodec, HandlesInvalidBytes) {
  std::string whole;
  encodeRow(everything(), whole);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_EQ(decodeRow(std::string_view(whole).substr(0, cut), 11), std::nullopt) << cut;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    const std::optional<Row> row = decodeRow(bytes, 11);
    EXPECT_TRUE(!row || row->size() == 11);
  }
}

/// Records what it visits.
class Listing final : public RecordVisitor {
 public:
  void defineFamily(FamilyId family, std::string_view name) override {
    text += "family " + std::to_string(family) + " " + std::string(name) + "\n";
  }
  void definePartition(PartitionNumber number, std::string_view name) override {
    text += "partition " + std::to_string(number) + " " + std::string(name) + "\n";
  }
  void retirePartition(PartitionNumber number) override {
    text += "retire " + std::to_string(number) + "\n";
  }
  void put(FamilyId family,
           PartitionNumber partition,
           RowNumber number,
           std::string_view row,
           RecordRange place) override {
    text += "put " + std::to_string(family) + " " + std::to_string(partition) + " " +
            std::to_string(number) + " " + std::to_string(row.size()) + "\n";
    spans.push_back(place);
  }
  void remove(FamilyId family,
              PartitionNumber partition,
              RowNumber number,
              GenerationNumber generation,
              std::string_view key) override {
    text += "remove " + std::to_string(family) + " " + std::to_string(partition) + " " +
            std::to_string(number) + " " + std::to_string(generation) + " " + std::string(key) +
            "\n";
  }

  std::string text;
  std::vector<RecordRange> spans;
};

TEST(JournalRecord, DecodesWhatWasEncoded) {
  RecordWriter record;
  EXPECT_TRUE(record.empty());
  record.defineFamily(0, "notes");
  record.definePartition(300, "a project");
  const RecordRange span = record.put(0, 300, 1'000'000, {std::string("key"), Value()});
  record.remove(0, 300, 999'999, 4, "key");
  record.retirePartition(2);
  Listing listing;
  ASSERT_TRUE(readRecord(record.bytes(), listing));
  EXPECT_EQ(listing.text,
            "family 0 notes\npartition 300 a project\nput 0 300 1000000 7\n"
            "remove 0 300 999999 4 key\nretire 2\n");
  ASSERT_EQ(listing.spans.size(), 1U);
  EXPECT_EQ(listing.spans[0].offset, span.offset);
  EXPECT_EQ(decodeRow(record.bytes().substr(span.offset, span.bytes), 2),
            (Row{std::string("key"), Value()}));
  EXPECT_FALSE(readRecord(record.bytes().substr(0, record.bytes().size() - 1), listing));
  EXPECT_FALSE(readRecord("\x7F", listing));
}

TEST(RowCodec, ComputesTheEncodedSize) {
  const std::vector<Row> rows = {
      {},
      {Value(), true, false, 0.5, std::string()},
      {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{-8193},
       std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()},
      {timestampOfMicros(0), timestampOfMicros(-1), timestampOfMicros(1'700'000'000'000'000)},
      {std::string(127, 'x'), std::string(128, 'x'), std::string(20'000, 'x')},
      {std::vector<std::string>{}, std::vector<std::string>{"", "a", std::string(300, 'y')}},
      Row(200)};
  for (const Row& row : rows) {
    std::string bytes;
    encodeRow(row, bytes);
    EXPECT_EQ(encodedBytes(row), bytes.size());
  }
}

}  // namespace
}  // namespace spindle::columnar
