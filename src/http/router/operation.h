#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "http/router/parameters.h"
#include "http/router/route.h"
#include "schema/type.h"

namespace spindle::http {

/// The parts of a reply that do not depend on the type of its value.
struct ReplyParts {
  int status = 0;  ///< 0: the success status of the route
  Headers headers;
  std::shared_ptr<BodyStream> stream;       ///< null if none
  std::shared_ptr<DeferredResponse> later;  ///< null if none
};

/// The result of a handler: a value, optionally with another status or additional headers. A
/// handler without a reply type can return a stream (see replyWithLines()) or a deferred response.
template <class Out>
struct Reply : ReplyParts {
  Reply(Out out) : value(std::move(out)) {}  // NOLINT: `return team;` reads well

  Reply& with(std::string_view name, std::string_view header_value) {
    headers.add(name, header_value);
    return *this;
  }

  Out value;
};

inline constexpr std::string_view kLinesType = "application/jsonl";

/// The identifier and the texts of an operation in the OpenAPI document.
struct OperationText {
  std::string_view id;
  std::string_view summary;
  std::string_view description = {};
};

/// The input and output of a handler, with the types erased: null for a body or a reply that does
/// not exist.
struct OperationTypes {
  ParameterSet params;
  schema::TypePtr body;
  schema::TypePtr reply;
};

/// Reads the parameters and the body of a request into default-constructed objects.
/// @return the error response for invalid input, or nothing.
std::optional<Response> readInput(const OperationTypes& types,
                                  const RoutePolicy& policy,
                                  const Context& context,
                                  void* params,
                                  void* body);

/// Returns the response to a handled request. `value` has the reply type and is ignored if the
/// operation has none.
Response respond(const OperationTypes& types,
                 const Context& context,
                 int success_status,
                 ReplyParts&& parts,
                 const void* value);

/// Returns a writer of the JSON Schema of a type; null for null.
Description descriptionOf(const schema::TypePtr& type);

/// Describes the parameters, the body and the reply of a route.
void describe(const OperationTypes& types, Route& route);

/// The parts of a route that do not depend on the types of its handler.
struct OperationHead {
  Method method;
  std::string_view path;
  OperationText text;
  std::string_view tag;
  int success_status;
};

/// Returns the documented route of an operation, without a handler.
Route routeOf(const OperationHead& head,
              const RouteDocumentation& facts,
              const RoutePolicy& policy,
              const OperationTypes& types);

/// Makes a route reply with a stream of JSON values, one per line. The handler's reply contains the
/// stream; `line` describes one line.
void replyWithLines(Route& route, const schema::TypePtr& line);

}  // namespace spindle::http
