#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "http/router/operation.h"
#include "http/router/route.h"
#include "schema/parse.h"
#include "training/api/training_api.h"
#include "training/data/group_upload.h"

namespace spindle::training {

/// Handles a request whose trajectory groups have arrived. Returns the response as JSON. The
/// context has no query parameters.
using GroupHandler =
    std::function<Result<std::string>(const http::Context& context, GroupUpload::Body body)>;

/// Returns a POST route whose body contains trajectory groups. They are written to a file while the
/// body arrives. The caller adds the descriptions of parameters, body and response.
http::Route groupRoute(const TrainingRoutes& routes,
                       std::string_view path,
                       const http::OperationText& text,
                       GroupHandler handle);

/// Parses a body without its groups. @return kInvalidSchema with all violations of the body and its
/// groups.
template <class T>
Result<T> parseSkeleton(const schema::Codec<T>& codec,
                        const GroupUpload::Body& body,
                        std::size_t json_depth) {
  Result<T> parsed = schema::parse(codec, body.skeleton, "body", json_depth);
  std::vector<Violation> violations =
      parsed ? std::vector<Violation>() : parsed.error().violations();
  violations.insert(violations.end(), body.violations.begin(), body.violations.end());
  if (!violations.empty()) return Error::invalid(std::move(violations));
  return parsed;
}

}  // namespace spindle::training
