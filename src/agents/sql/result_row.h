#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::agents {

/// The current row of a result, whatever engine computed it. Columns are counted from 0. Views are
/// valid until the next row. NULL reads as an empty text or as an unspecified number. A read with
/// another type than that of the column is a bug.
class ResultRow {
 public:
  ResultRow() = default;
  virtual ~ResultRow() = default;
  ResultRow(const ResultRow&) = delete;
  ResultRow& operator=(const ResultRow&) = delete;

  virtual bool isNull(std::size_t column) const = 0;
  virtual std::int64_t integer(std::size_t column) const = 0;
  virtual double real(std::size_t column) const = 0;
  virtual bool boolean(std::size_t column) const = 0;
  virtual Timestamp time(std::size_t column) const = 0;
  virtual std::string_view text(std::size_t column) const = 0;
  virtual std::vector<std::string> texts(std::size_t column) const = 0;
};

/// The current row of a cursor of an engine.
template <class Cursor>
class CursorRow final : public ResultRow {
 public:
  /// The cursor must outlive this object.
  explicit CursorRow(const Cursor& cursor) : cursor_(cursor) {}

  bool isNull(std::size_t column) const override { return cursor_.isNull(column); }
  std::int64_t integer(std::size_t column) const override { return cursor_.integer(column); }
  double real(std::size_t column) const override { return cursor_.real(column); }
  bool boolean(std::size_t column) const override { return cursor_.boolean(column); }
  Timestamp time(std::size_t column) const override { return cursor_.time(column); }
  std::string_view text(std::size_t column) const override { return cursor_.text(column); }
  std::vector<std::string> texts(std::size_t column) const override {
    return cursor_.texts(column);
  }

 private:
  const Cursor& cursor_;
};

}  // namespace spindle::agents
