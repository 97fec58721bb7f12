#include "trainer/pretraining/documents.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include "weights/formats/mapped_file.h"

namespace spindle::trainer {

Result<void> Documents::add(const std::string& path,
                            const std::string& mask_path,
                            std::int64_t document_end,
                            std::uint64_t vocabulary) {
  const weights::MappedFile file = TRY(weights::MappedFile::open(path));
  const std::string_view bytes = file.bytes();
  if (bytes.size() % 2 != 0 || bytes.empty())
    return Error::invalidArgument(path + ": it is not a file of 16-bit tokens.");
  const std::size_t count = bytes.size() / 2;
  std::vector<std::uint8_t> masks(count, 1);
  if (!mask_path.empty()) {
    const weights::MappedFile mask = TRY(weights::MappedFile::open(mask_path));
    if (mask.bytes().size() != count)
      return Error::invalidArgument(mask_path + ": it does not have a byte for every token.");
    std::memcpy(masks.data(), mask.bytes().data(), count);
  }
  bool begins = true;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t token = 0;
    std::memcpy(&token, bytes.data() + 2 * i, sizeof(token));
    if (token >= vocabulary) {
      return Error::invalidArgument(path + ": the token " + std::to_string(token) +
                                    " is not in the vocabulary.");
    }
    if (begins) begins_.push_back(tokens_.size());
    begins = token == document_end;
    tokens_.push_back(token);
    masks_.push_back(masks[i]);
  }
  return {};
}

DocumentBatch DocumentOrder::next(std::uint64_t tokens) {
  DocumentBatch batch;
  do {
    append(documentAt(position_++), batch);
  } while (batch.row.tokens.size() + lengthOf(documentAt(position_)) <= tokens);
  return batch;
}

std::optional<DocumentBatch> DocumentOrder::nextInFileOrder(std::uint64_t tokens) {
  if (position_ >= documents_.size()) return std::nullopt;
  DocumentBatch batch;
  do {
    append(position_++, batch);
  } while (position_ < documents_.size() &&
           batch.row.tokens.size() + lengthOf(position_) <= tokens);
  return batch;
}

double DocumentOrder::epochs() const {
  return static_cast<double>(position_) / static_cast<double>(documents_.size());
}

std::size_t DocumentOrder::documentAt(std::uint64_t position) {
  const std::uint64_t epoch = position / documents_.size();
  if (epoch_ != epoch) {
    order_.resize(documents_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::mt19937_64 random(seed_ + epoch);
    // std::shuffle differs between libraries.
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
    epoch_ = epoch;
  }
  return order_[position % documents_.size()];
}

std::uint64_t DocumentOrder::lengthOf(std::size_t document) const {
  const std::size_t end = document + 1 < documents_.size() ? documents_.begins_[document + 1]
                                                           : documents_.tokens_.size();
  return std::min<std::uint64_t>(context_, end - documents_.begins_[document]);
}

void DocumentOrder::append(std::size_t document, DocumentBatch& batch) const {
  const std::size_t begin = documents_.begins_[document];
  const auto base = static_cast<std::int64_t>(batch.row.tokens.size());
  const std::uint64_t length = lengthOf(document);
  std::vector<std::int64_t> tokens;
  for (std::uint64_t i = 0; i < length; ++i) {
    tokens.push_back(documents_.tokens_[begin + i]);
    if (i > 0 && documents_.masks_[begin + i] != 0) {
      batch.targets.at.push_back(base + static_cast<std::int64_t>(i) - 1);
      batch.targets.tokens.push_back(tokens.back());
    }
  }
  trainer::append(batch.row, tokens);
}

}  // namespace spindle::trainer
