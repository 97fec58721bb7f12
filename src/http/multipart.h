#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spindle::http {

struct MultipartLimits {
  std::size_t parts = 128;
  std::size_t header_bytes = 8UL * 1024;  ///< of one part
};

/// One part of a form. The views point into the body that was parsed.
struct FormPart {
  std::string name;
  bool has_filename = false;      ///< a file input that was left empty has one too, an empty one
  std::string filename;           ///< of `filename*` when there are both; may hold path separators
  std::string_view content_type;  ///< `text/plain` when the part does not say
  std::string_view data;
};

/// Takes a form (multipart/form-data, RFC 7578) apart, in order, without copying the data.
/// `content_type` is the whole field of the request; `body` must outlive the parts.
/// @return kUnsupportedMediaType when the type is another one; kInvalidArgument when the boundary
/// or the form is broken; kTooLarge when there are too many parts or a part's header is too long.
Result<std::vector<FormPart>> parseMultipart(std::string_view content_type,
                                             std::string_view body,
                                             const MultipartLimits& limits = {});

/// The value of a field's parameter (`boundary` of `multipart/form-data; boundary="x"`), with the
/// quotes undone. @return kNotFound when it is absent, kInvalidArgument when the field is broken.
Result<std::string> fieldParameter(std::string_view field, std::string_view parameter);

}  // namespace spindle::http
