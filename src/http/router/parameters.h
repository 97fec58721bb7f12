#pragma once

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

/// The parameters of one part of a request (path, query or header), read as a record of strings.
/// The lenient conversions of the schema produce numbers, booleans and times; errors have the same
/// format as those of a body.
class ParameterRecord {
 public:
  ParameterRecord(std::string_view location, const schema::detail::RecordType& type)
      : location_(location), type_(&type) {}

  /// Reads into the structure that the record was declared for. Appends all violations.
  void read(const ParameterSources& sources, void* out, std::vector<Violation>& violations) const;
  void describe(json::Writer& out, schema::Components& components) const;

 private:
  std::string asJson(const ParameterSources& sources) const;

  std::string_view location_;
  const schema::detail::RecordType* type_;
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

  /// Reads all parameters. Appends all violations to `violations`.
  P read(const ParameterSources& sources, std::vector<Violation>& violations) const {
    P parameters{};
    ParameterRecord("path", path_.type()).read(sources, &parameters, violations);
    ParameterRecord("query", query_.type()).read(sources, &parameters, violations);
    ParameterRecord("header", header_.type()).read(sources, &parameters, violations);
    return parameters;
  }
  /// Writes the items of an OpenAPI `parameters` array.
  void describe(json::Writer& out, schema::Components& components) const {
    ParameterRecord("path", path_.type()).describe(out, components);
    ParameterRecord("query", query_.type()).describe(out, components);
    ParameterRecord("header", header_.type()).describe(out, components);
  }

 private:
  schema::Record<P> path_;
  schema::Record<P> query_;
  schema::Record<P> header_;
};

}  // namespace spindle::http
