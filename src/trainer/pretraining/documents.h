#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/kernels/row.h"

namespace spindle::trainer {

/// The training tokens, split into documents. Immutable after loading.
class Documents {
 public:
  /// Adds the documents of a file (format: see PretrainOptions). `mask_path` may be empty.
  /// @return kNotFound; kUnavailable; kInvalidArgument with the file name
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

/// A row of packed documents and its targets.
struct DocumentBatch {
  Row row;
  Targets targets;
};

/// Returns documents in shuffled order. The seed determines a new order for every epoch.
class DocumentOrder {
 public:
  /// `documents` must outlive this object and must not be empty. Truncates documents longer than
  /// `context`.
  DocumentOrder(const Documents& documents, std::uint64_t seed, std::uint64_t context)
      : documents_(documents), seed_(seed), context_(context) {}

  /// Returns at least one document, and further ones while they fit into `tokens`.
  DocumentBatch next(std::uint64_t tokens);
  /// Returns the next documents in file order; empty at the end. For evaluation.
  std::optional<DocumentBatch> nextInFileOrder(std::uint64_t tokens);

  /// Returns the number of completed epochs, with fraction.
  double epochs() const;
  /// Returns the number of documents returned so far, for resuming.
  std::uint64_t position() const { return position_; }
  void setPosition(std::uint64_t position) { position_ = position; }

 private:
  std::size_t documentAt(std::uint64_t position);
  std::uint64_t lengthOf(std::size_t document) const;
  void append(std::size_t document, DocumentBatch& batch) const;

  const Documents& documents_;
  const std::uint64_t seed_;
  const std::uint64_t context_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> epoch_;  ///< the epoch of order_
  std::vector<std::size_t> order_;
};

}  // namespace spindle::trainer
