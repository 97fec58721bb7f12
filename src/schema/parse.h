#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "json/document.h"
#include "schema/type.h"

namespace spindle::schema {

namespace detail {

/// Parses a JSON text into `*out`. The location of errors starts with `place` ("body"). Accepts the
/// member names of both wire profiles; `spelling` selects the names of missing members in errors.
std::optional<Error> parseInto(const Type& type,
                               std::string text,
                               std::string_view location,
                               std::size_t max_depth,
                               void* out,
                               Spelling spelling = Spelling::kNeutral);

}  // namespace detail

/// Parses a JSON text, or returns an error with all violations (kInvalidSchema).
template <class T>
Result<T> parse(const Codec<T>& codec,
                std::string text,  // NOLINT(performance-unnecessary-value-param): it is moved on
                std::string_view location = "body",
                std::size_t max_depth = json::Document::kDefaultDepth) {
  T value{};
  std::optional<Error> error =
      detail::parseInto(*codec.type(), std::move(text), location, max_depth, &value);
  if (error) return *std::move(error);
  return value;
}

/// Writes a list of `{"type","loc","msg","input","ctx"?}`.
void writeViolations(json::Writer& out, const std::vector<Violation>& violations);
/// Returns the body of a 422 response: `{"detail":[{"type","loc","msg","input","ctx"?}…]}`.
std::string violationsJson(const std::vector<Violation>& violations);

}  // namespace spindle::schema
