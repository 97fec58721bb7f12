#include "app/migrate/row_digest.h"

#include <cstring>

#include "columnar/journal/row_codec.h"

namespace spindle::app {
namespace {

constexpr std::size_t kMostExamples = 5;

}  // namespace

void RowSetDigest::add(const Sha256& row) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    std::uint64_t number = 0;
    std::memcpy(&number, row.data() + i * sizeof(number), sizeof(number));
    sums_[i] += number;
  }
  ++rows_;
}

std::string RowSetDigest::text() const {
  std::string bytes(sizeof(sums_), '\0');
  std::memcpy(bytes.data(), sums_.data(), sizeof(sums_));
  return toHex(sha256(std::to_string(rows_) + ":" + bytes));
}

void PartitionDigest::add(const columnar::Family& family, const columnar::Row& row) {
  const Sha256 digest = digestOf(row);
  whole_.add(digest);
  parts_[partOf(keyOf(family, row))].add(digest);
}

std::optional<std::size_t> PartitionDigest::firstDifference(const PartitionDigest& other) const {
  for (std::size_t part = 0; part < kParts; ++part) {
    if (parts_[part] != other.parts_[part]) return part;
  }
  return std::nullopt;
}

std::size_t PartitionDigest::partOf(std::string_view key) { return sha256(key)[0]; }

const std::string& keyOf(const columnar::Family& family, const columnar::Row& row) {
  return std::get<std::string>(row[family.key]);
}

Sha256 digestOf(const columnar::Row& row) {
  std::string encoded;
  columnar::encodeRow(row, encoded);
  return sha256(encoded);
}

std::vector<std::string> describeDifferences(const RowsByKey& from, const RowsByKey& to) {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& key, const char* what) {
    if (lines.size() < kMostExamples) lines.push_back(key + " " + what);
  };
  for (const auto& [key, digest] : from) {
    const auto found = to.find(key);
    if (found == to.end()) {
      add(key, "is missing in the target");
    } else if (found->second != digest) {
      add(key, "is different");
    }
  }
  for (const auto& [key, digest] : to) {
    if (!from.contains(key)) add(key, "exists only in the target");
  }
  return lines;
}

}  // namespace spindle::app
