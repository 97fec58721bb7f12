#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/crypto.h"
#include "columnar/journal/family.h"

namespace spindle::app {

/// Digest of a set of rows in any order: the sums of the SHA-256 of all rows.
class RowSetDigest {
 public:
  void add(const Sha256& row);
  std::int64_t rows() const { return rows_; }
  std::string text() const;
  bool operator==(const RowSetDigest&) const = default;

 private:
  std::array<std::uint64_t, 4> sums_{};
  std::int64_t rows_ = 0;
};

/// Digests of the rows of one family and project, divided by their keys, so that a few different
/// rows are found without a comparison of all.
class PartitionDigest {
 public:
  static constexpr std::size_t kParts = 256;

  void add(const columnar::Family& family, const columnar::Row& row);
  const RowSetDigest& whole() const { return whole_; }
  /// Returns the first part in which the two differ, or nothing.
  std::optional<std::size_t> firstDifference(const PartitionDigest& other) const;

  /// Returns the part of a key.
  static std::size_t partOf(std::string_view key);

 private:
  RowSetDigest whole_;
  std::array<RowSetDigest, kParts> parts_;
};

/// Returns the key of a row.
const std::string& keyOf(const columnar::Family& family, const columnar::Row& row);
Sha256 digestOf(const columnar::Row& row);

/// Rows of one part by their key.
using RowsByKey = std::map<std::string, Sha256>;

/// Returns a sentence for each of the first few keys that differ.
std::vector<std::string> describeDifferences(const RowsByKey& from, const RowsByKey& to);

}  // namespace spindle::app
