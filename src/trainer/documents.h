#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/row.h"

namespace spindle::trainer {

/// Tokens to train on, document by document. Immutable once read.
class Documents {
 public:
  /// Adds a file's (see PretrainOptions). `mask_path` may be empty.
  /// @return kNotFound, kUnavailable; kInvalidArgument naming the file
  Result<void> add(const std::string& path,
                   const std::string& mask_path,
                   std::int64_t document_end,
                   std::uint64_t vocabulary);

  std::size_t size() const { return begins_.size(); }
  std::uint64_t tokens() const { return tokens_.size(); }

 private:
  friend class DocumentOrder;

  std::vector<std::uint16_t> tokens_;
  std::vector<std::uint8_t> masks_;
  std::vector<std::size_t> begins_;
};

/// Documents of some passes' rows.
struct DocumentBatch {
  Row row;
  Targets targets;
};

/// Deals documents out, every epoch in an order of its own that a seed decides.
class DocumentOrder {
 public:
  /// `documents` outlives it, and has some. Documents longer than `context` are cut.
  DocumentOrder(const Documents& documents, std::uint64_t seed, std::uint64_t context)
      : documents_(documents), seed_(seed), context_(context) {}

  /// At least one document, and further ones while they fit into `tokens`.
  DocumentBatch next(std::uint64_t tokens);
  /// Those from the front, in the file's order; empty when there are no more. For measuring.
  std::optional<DocumentBatch> inOrder(std::uint64_t tokens);

  /// How often all of them were dealt.
  double epochs() const;
  /// How many were dealt, to go on from.
  std::uint64_t position() const { return position_; }
  void goTo(std::uint64_t position) { position_ = position; }

 private:
  std::size_t documentAt(std::uint64_t position);
  std::uint64_t lengthOf(std::size_t document) const;
  void append(std::size_t document, DocumentBatch& batch) const;

  const Documents& documents_;
  const std::uint64_t seed_;
  const std::uint64_t context_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> epoch_;  ///< whose order it is
  std::vector<std::size_t> order_;
};

}  // namespace spindle::trainer
