#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::http {

struct MultipartLimits {
  std::size_t parts = 128;
  std::size_t header_bytes = 8UL * 1024;  ///< of one part
};

/// One part of a form. The views point into the body that was parsed.
struct FormPart {
  std::string name;
  bool has_filename = false;      ///< also true for an empty file input, whose filename is empty
  std::string filename;           ///< prefers `filename*`; may contain path separators
  std::string_view content_type;  ///< default: `text/plain`
  std::string_view data;
};

/// Splits a form (multipart/form-data, RFC 7578) into its parts, in order, without copying the
/// data. `content_type` is the complete field of the request; `body` must outlive the parts.
/// @return kUnsupportedMediaType for another media type; kInvalidArgument if the boundary or the
/// form is invalid; kTooLarge if the form has too many parts or the header of a part is too long.
Result<std::vector<FormPart>> parseMultipart(std::string_view content_type,
                                             std::string_view body,
                                             const MultipartLimits& limits = {});

/// Returns the unquoted value of a field parameter (`boundary` of `multipart/form-data;
/// boundary="x"`). @return kNotFound if it is absent, kInvalidArgument if the field is invalid.
Result<std::string> fieldParameter(std::string_view field, std::string_view parameter);

}  // namespace spindle::http
