#include <compare>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/crypto/crypto.h"
#include "storage/copy/table_copy.h"

namespace spindle::storage {
namespace {

constexpr std::size_t kMostCharacters = 40;  ///< of a key in an example

/// Orders as both engines do: null first, numbers by value, texts by bytes.
std::strong_ordering compare(const Value& a, const Value& b) {
  if (a.isNull() || b.isNull()) return b.isNull() <=> a.isNull();
  if (a.asInteger() != nullptr && b.asInteger() != nullptr)
    return *a.asInteger() <=> *b.asInteger();
  if (a.asText() != nullptr && b.asText() != nullptr) return a.asText()->compare(*b.asText()) <=> 0;
  return std::strong_order(a.asReal() == nullptr ? 0.0 : *a.asReal(),
                           b.asReal() == nullptr ? 0.0 : *b.asReal());
}

std::strong_ordering compare(const RowKey& a, const RowKey& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const std::strong_ordering order = compare(a[i], b[i]); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

template <class Number>
void appendBytes(std::string& out, Number number) {
  char bytes[sizeof(number)];
  std::memcpy(bytes, &number, sizeof(number));
  out.append(bytes, sizeof(bytes));
}

/// Appends a value so that different rows have different encodings.
void encode(std::string& out, const Value& value) {
  if (const std::int64_t* number = value.asInteger()) {
    out += 'i';
    appendBytes(out, *number);
  } else if (const double* real = value.asReal()) {
    out += 'r';
    appendBytes(out, *real);
  } else if (const std::string* text = value.asText()) {
    out += 't';
    appendBytes(out, text->size());
    out += *text;
  } else {
    out += 'n';
  }
}

std::string encode(const Row& row, const Table& table) {
  std::string out;
  for (const Value& value : valuesOf(row, table)) encode(out, value);
  return out;
}

std::string printed(const Value& value) {
  if (const std::int64_t* number = value.asInteger()) return std::to_string(*number);
  if (const double* real = value.asReal()) return fmt::format("{}", *real);
  const std::string text = value.asText() == nullptr ? "null" : *value.asText();
  return text.size() <= kMostCharacters ? text : text.substr(0, kMostCharacters) + "…";
}

/// Reads one table in the order of its key, page by page.
class RowStream {
 public:
  RowStream(Database& database, const TablePages& pages, const PageLimits& limits)
      : database_(database), pages_(pages), limits_(limits) {}

  /// Returns the current row, or null at the end.
  Result<const Row*> current() {
    if (at_ == page_.size() && !ended_) {
      Rows next = TRY(
          database_.read([&](Session& session) { return pages_.read(session, last_, limits_); }));
      page_ = std::move(next);
      at_ = 0;
      ended_ = page_.empty();
      if (!ended_) last_ = pages_.keyOf(page_.back());
    }
    return at_ == page_.size() ? nullptr : &page_[at_];
  }
  void advance() {
    ++at_;
    ++count_;
  }
  std::int64_t count() const { return count_; }

 private:
  Database& database_;
  const TablePages& pages_;
  const PageLimits limits_;
  Rows page_;
  std::size_t at_ = 0;
  std::optional<RowKey> last_;
  bool ended_ = false;
  std::int64_t count_ = 0;
};

/// Collects differences.
class Differences {
 public:
  void add(const RowKey& key, std::string_view what) {
    ++count_;
    if (examples_.size() == kMostExamples) return;
    std::string text;
    for (const Value& value : key) text += (text.empty() ? "" : ", ") + printed(value);
    examples_.push_back(fmt::format("({}) {}", text, what));
  }
  std::int64_t count() const { return count_; }
  std::vector<std::string> take() { return std::move(examples_); }

 private:
  std::int64_t count_ = 0;
  std::vector<std::string> examples_;
};

}  // namespace

Result<TableComparison> compareTable(Database& from,
                                     Database& to,
                                     const Table& table,
                                     const PageLimits& limits,
                                     const RowsDone& done) {
  const TablePages pages(table);
  RowStream left(from, pages, limits);
  RowStream right(to, pages, limits);
  Differences differences;
  Sha256Stream digest;
  while (true) {
    const Row* const a = TRY(left.current());
    const Row* const b = TRY(right.current());
    if (a == nullptr && b == nullptr) break;
    std::strong_ordering order = std::strong_ordering::equal;
    if (a == nullptr) {
      order = std::strong_ordering::greater;
    } else if (b == nullptr) {
      order = std::strong_ordering::less;
    } else {
      order = compare(pages.keyOf(*a), pages.keyOf(*b));
    }
    const std::string encoded = order > 0 ? std::string() : encode(*a, table);
    digest.add(encoded);
    if (order > 0) {
      differences.add(pages.keyOf(*b), "exists only in the target");
    } else if (order < 0) {
      differences.add(pages.keyOf(*a), "is missing in the target");
    } else if (encoded != encode(*b, table)) {
      differences.add(pages.keyOf(*a), "is different");
    }
    if (order <= 0) left.advance();
    if (order >= 0) right.advance();
    if (order <= 0 && left.count() % 512 == 0) done(512);
  }
  done(left.count() % 512);
  TableComparison result;
  result.from_rows = left.count();
  result.to_rows = right.count();
  result.differing = differences.count();
  result.examples = differences.take();
  result.digest = toHex(digest.finish());
  return result;
}

}  // namespace spindle::storage
