#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/document.h"
#include "schema/type.h"

namespace spindle::schema {

namespace detail {

/// Reads a whole JSON text into `*out`. Errors carry `place` ("body") as the first step of their
/// location. Both spellings of member names are read; `spelling` is for naming the missing ones.
std::optional<Error> parseInto(const Type& type,
                               std::string text,
                               std::string_view place,
                               std::size_t max_depth,
                               void* out,
                               Spelling spelling = Spelling::kNeutral);

}  // namespace detail

/// Reads a JSON text, or says everything that is wrong with it (kInvalidSchema).
template <class T>
Result<T> parse(const Codec<T>& codec,
                std::string text,  // NOLINT(performance-unnecessary-value-param): it is moved on
                std::string_view place = "body",
                std::size_t max_depth = json::Document::kDefaultDepth) {
  T value{};
  std::optional<Error> error =
      detail::parseInto(*codec.type(), std::move(text), place, max_depth, &value);
  if (error) return *std::move(error);
  return value;
}

/// The body of a 422 answer: `{"detail":[{"type","loc","msg","input","ctx"?}…]}`.
std::string violationsJson(const std::vector<Violation>& violations);

}  // namespace spindle::schema
