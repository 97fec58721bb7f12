#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/message.h"
#include "http/message/uri.h"
#include "schema/record.h"

namespace spindle::http {

/// Placeholder for parameters, a body or a reply that an endpoint does not have.
struct Nothing {};

/// A name and its percent-decoded value from the path, the query or the headers.
using NamedText = std::pair<std::string, std::string>;

/// The parts of a request that contain parameters.
struct ParameterSources {
  const std::vector<NamedText>& path;
  const QueryParameters& query;
  const Headers& headers;
  wire::Spelling spelling = wire::Spelling::kNeutral;  ///< wire profile of missing names in errors
};

/// The parameters of a request, with their C++ type erased. The parameters of each part (path,
/// query, headers) are read as a record of strings: the lenient conversions of the schema produce
/// numbers, booleans and times, and errors have the same format as those of a body.
class ParameterSet {
 public:
  ParameterSet() = default;
  using Record = std::shared_ptr<const schema::detail::RecordType>;
  ParameterSet(Record path, Record query, Record header);

  /// Reads into the structure that the records were declared for. Appends all violations.
  void read(const ParameterSources& sources, void* out, std::vector<Violation>& violations) const;
  /// Writes the items of an OpenAPI `parameters` array.
  void describe(json::Writer& out, schema::Components& components) const;

 private:
  struct Part {
    std::string_view location;
    Record record;
  };

  std::vector<Part> parts_;  ///< those with parameters
};

/// Declares the path, query and header parameters of an endpoint:
///
///     Parameters<TeamPath>().path("team", &TeamPath::team, string(), "Name of the team.")
template <class P>
class Parameters {
 public:
  Parameters() : path_("path"), query_("query"), header_("header") {}

  template <class M, class B>
  Parameters& path(std::string_view name,
                   M B::*member,
                   const schema::Codec<M>& codec,
                   std::string_view doc) {
    path_.required(name, member, codec, doc);
    return *this;
  }
  template <class M, class B>
  Parameters& query(std::string_view name,
                    M B::*member,
                    const schema::Codec<M>& codec,
                    std::string_view doc) {
    query_.optional(name, member, codec, doc);
    return *this;
  }
  template <class M, class B>
  Parameters& requiredQuery(std::string_view name,
                            M B::*member,
                            const schema::Codec<M>& codec,
                            std::string_view doc) {
    query_.required(name, member, codec, doc);
    return *this;
  }
  template <class M, class B>
  Parameters& header(std::string_view name,
                     M B::*member,
                     const schema::Codec<M>& codec,
                     std::string_view doc) {
    header_.optional(name, member, codec, doc);
    return *this;
  }

  operator ParameterSet() const {  // NOLINT: the same parameters without their C++ type
    return {path_.sharedType(), query_.sharedType(), header_.sharedType()};
  }

 private:
  schema::Record<P> path_;
  schema::Record<P> query_;
  schema::Record<P> header_;
};

}  // namespace spindle::http
