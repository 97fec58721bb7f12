#include "clickhouse/client/cursor.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "base/core/check.h"
#include "base/core/little_endian.h"
#include "clickhouse/client/column_type.h"
#include "clickhouse/client/log.h"
#include "clickhouse/client/response_stream.h"
#include "clickhouse/client/server_error.h"

namespace spindle::clickhouse {
namespace {

constexpr std::size_t kMaxColumns = 1'000;
/// Kept of the end of a body, to find an exception there.
constexpr std::size_t kTailBytes = 16UL << 10;

/// Reads values from the bytes that have arrived. Reading beyond them sets `more`, and a value that
/// no server sends sets `invalid`; then all results are meaningless.
class BytesReader {
 public:
  explicit BytesReader(std::string_view bytes, std::size_t limit) : bytes_(bytes), limit_(limit) {}

  std::string_view take(std::uint64_t count) {
    if (count > limit_) is_invalid_ = true;
    if (is_invalid_ || needs_more_) return {};
    if (count > bytes_.size() - at_) {
      needs_more_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (byte.empty()) return 0;
      const auto bits = static_cast<unsigned char>(byte[0]);
      number |= static_cast<std::uint64_t>(bits & 0x7FU) << shift;
      if (bits < 0x80) return number;
    }
    is_invalid_ = true;
    return 0;
  }
  std::string_view text() { return take(varint()); }
  bool nullMark() {
    const std::string_view mark = take(1);
    return !mark.empty() && mark[0] != 0;
  }

  std::size_t at() const { return at_; }
  bool needsMore() const { return needs_more_; }
  bool isInvalid() const { return is_invalid_; }
  bool isGood() const { return !needs_more_ && !is_invalid_; }

 private:
  std::string_view bytes_;
  const std::size_t limit_;
  std::size_t at_ = 0;
  bool needs_more_ = false;
  bool is_invalid_ = false;
};

struct ResultColumn {
  std::string name;
  ColumnType type;
};

/// The place of one value in the buffer.
struct Cell {
  std::size_t at = 0;
  std::size_t size = 0;
  bool is_null = false;
};

std::int64_t integerOf(const ColumnType& type, std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  const auto unused = static_cast<int>(64 - 8 * bytes.size());
  if (type.is_signed && unused > 0)
    return static_cast<std::int64_t>(number << unused) >> unused;  // extends the sign
  return static_cast<std::int64_t>(number);
}

}  // namespace

class Cursor::Source {
 public:
  Source(std::unique_ptr<ResponseStream> stream, std::size_t value_bytes)
      : stream_(std::move(stream)),
        value_bytes_(value_bytes),
        tag_(stream_->head().headers.get("X-ClickHouse-Exception-Tag")) {}

  /// Reads the names and types of the columns.
  Result<void> open() {
    while (true) {
      BytesReader reader(buffer_, value_bytes_);
      const std::uint64_t count = reader.varint();
      if (count > kMaxColumns) return failure("ClickHouse sent too many columns.");
      std::vector<std::string_view> texts;
      for (std::uint64_t i = 0; i < 2 * count && reader.isGood(); ++i)
        texts.push_back(reader.text());
      if (reader.isInvalid()) return failure("ClickHouse sent an invalid result.");
      if (!reader.needsMore()) return takeColumns(texts, reader.at());
      if (TRY(fill())) continue;
      // A statement without a result has no columns either.
      if (buffer_.empty()) return {};
      return failure("ClickHouse sent an incomplete result.");
    }
  }

  Result<bool> next() {
    if (ended_) return false;
    while (true) {
      BytesReader reader(std::string_view(buffer_).substr(at_), value_bytes_);
      if (at_ < buffer_.size()) {
        readRow(reader);
        if (reader.isInvalid()) return failure("ClickHouse sent an invalid result.");
        if (reader.isGood() && reader.at() > value_bytes_) return tooLarge();
        if (reader.isGood() && !columns_.empty()) {
          row_ = at_;
          at_ += reader.at();
          return true;
        }
      }
      if (buffer_.size() - at_ > value_bytes_) return tooLarge();
      if (TRY(fill())) continue;
      if (at_ < buffer_.size()) return failure("ClickHouse sent an incomplete result.");
      if (const auto exception = exceptionAtEnd(tail_, tag_, true)) return errorOf(*exception);
      ended_ = true;
      return false;
    }
  }

  const std::vector<ResultColumn>& columns() const { return columns_; }
  const Cell& cell(std::size_t column) const { return cells_.at(column); }
  std::string_view bytes(std::size_t column) const {
    const Cell& place = cells_.at(column);
    return std::string_view(buffer_).substr(row_ + place.at, place.size);
  }
  const ColumnType& typeFor(std::size_t column, TypeKind kind) const {
    const ColumnType& type = columns_.at(column).type;
    SPINDLE_ASSERT(type.kind == kind || type.kind == TypeKind::kNothing,
                   "a result column is read with its own type");
    return type;
  }

 private:
  Result<void> takeColumns(const std::vector<std::string_view>& texts, std::size_t end) {
    const std::size_t count = texts.size() / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<ColumnType> type = columnTypeOf(texts[count + i]);
      if (!type) {
        kLog.error("column_type_unknown", {{"column", texts[i]}, {"type", texts[count + i]}});
        return Error::internal("ClickHouse sent a column of an unknown type.");
      }
      columns_.push_back({std::string(texts[i]), *type});
    }
    cells_.resize(count);
    at_ = end;
    return {};
  }

  /// Sets the cells of the row that starts at the reader.
  void readRow(BytesReader& reader) {
    for (std::size_t i = 0; i < columns_.size() && reader.isGood(); ++i) {
      const ColumnType& type = columns_[i].type;
      Cell& place = cells_[i];
      place.is_null = type.nullable && reader.nullMark();
      place.at = reader.at();
      if (place.is_null) {
        place.size = 0;
        continue;
      }
      if (type.kind == TypeKind::kTexts) {
        skipTexts(reader, type);
        place.size = reader.at() - place.at;
        continue;
      }
      const std::uint64_t size =
          type.bytes == 0 ? reader.varint() : static_cast<std::uint64_t>(type.bytes);
      place.at = reader.at();
      place.size = reader.take(size).size();
    }
  }

  static void skipTexts(BytesReader& reader, const ColumnType& type) {
    const std::uint64_t count = reader.varint();
    for (std::uint64_t i = 0; i < count && reader.isGood(); ++i) {
      if (!type.nullable_items || !reader.nullMark()) reader.text();
    }
  }

  /// Receives more bytes, after removing those of the rows before. @return false at the end.
  Result<bool> fill() {
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t before = buffer_.size();
    Result<bool> more = stream_->read(buffer_);
    if (!more) {
      if (const auto exception = exceptionAtEnd(tail_, tag_, false)) return errorOf(*exception);
      return connectionError(more.error());
    }
    const std::string_view added = std::string_view(buffer_).substr(before);
    tail_.append(added.substr(added.size() - std::min(added.size(), kTailBytes)));
    if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
    return *more;
  }

  static Error tooLarge() { return {ErrorCode::kTooLarge, "A row of the result is too large."}; }

  /// Returns the exception that the rest of the body contains, else an error with this message.
  Error failure(std::string_view message) {
    while (true) {
      at_ = buffer_.size();
      const Result<bool> more = fill();
      if (!more) return more.error();
      if (!*more) break;
    }
    if (const auto exception = exceptionAtEnd(tail_, tag_, false)) return errorOf(*exception);
    return connectionError(Error(ErrorCode::kUpstream, message));
  }

  const std::unique_ptr<ResponseStream> stream_;
  const std::size_t value_bytes_;
  const std::string tag_;
  std::vector<ResultColumn> columns_;
  std::vector<Cell> cells_;  ///< of the current row, relative to its start
  std::string buffer_;
  std::size_t row_ = 0;  ///< start of the current row in the buffer
  std::size_t at_ = 0;   ///< start of the next row in the buffer
  std::string tail_;
  bool ended_ = false;
};

Cursor::Cursor(std::unique_ptr<Source> source) : source_(opaque(std::move(source))) {}

Result<Cursor> Cursor::over(std::unique_ptr<ResponseStream> stream, std::size_t value_bytes) {
  auto source = std::make_unique<Source>(std::move(stream), value_bytes);
  TRY(source->open());
  return Cursor(std::move(source));
}

Result<bool> Cursor::next() { return source_->next(); }

std::size_t Cursor::columns() const { return source_->columns().size(); }

const std::string& Cursor::name(std::size_t column) const {
  return source_->columns().at(column).name;
}

bool Cursor::isNull(std::size_t column) const {
  const ColumnType& type = source_->columns().at(column).type;
  return source_->cell(column).is_null || type.kind == TypeKind::kNothing;
}

std::int64_t Cursor::integer(std::size_t column) const {
  return integerOf(source_->typeFor(column, TypeKind::kInteger), source_->bytes(column));
}

double Cursor::real(std::size_t column) const {
  const ColumnType& type = source_->typeFor(column, TypeKind::kReal);
  const std::string_view bytes = source_->bytes(column);
  if (isNull(column)) return 0;
  if (type.bytes == 4)
    return static_cast<double>(std::bit_cast<float>(littleEndianAt<std::uint32_t>(bytes, 0)));
  return std::bit_cast<double>(littleEndianAt<std::uint64_t>(bytes, 0));
}

bool Cursor::boolean(std::size_t column) const {
  const std::string_view bytes = source_->bytes(column);
  SPINDLE_ASSERT(bytes.size() <= 1, "a result column is read with its own type");
  return !bytes.empty() && bytes[0] != 0;
}

Timestamp Cursor::time(std::size_t column) const {
  constexpr int kMicroDigits = 6;
  const ColumnType& type = source_->typeFor(column, TypeKind::kTime);
  std::int64_t ticks = integerOf(type, source_->bytes(column));
  for (int digits = type.fraction_digits; digits < kMicroDigits; ++digits) ticks *= 10;
  for (int digits = kMicroDigits; digits < type.fraction_digits; ++digits) ticks /= 10;
  return timestampOfMicros(ticks);
}

std::string_view Cursor::text(std::size_t column) const {
  source_->typeFor(column, TypeKind::kText);
  return source_->bytes(column);
}

std::vector<std::string> Cursor::texts(std::size_t column) const {
  const ColumnType& type = source_->typeFor(column, TypeKind::kTexts);
  std::vector<std::string> texts;
  const std::string_view bytes = source_->bytes(column);
  if (bytes.empty()) return texts;
  BytesReader reader(bytes, bytes.size());
  const std::uint64_t count = reader.varint();
  for (std::uint64_t i = 0; i < count && reader.isGood(); ++i) {
    const bool is_null = type.nullable_items && reader.nullMark();
    texts.emplace_back(is_null ? std::string_view() : reader.text());
  }
  return texts;
}

}  // namespace spindle::clickhouse
