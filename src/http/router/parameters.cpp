#include "http/router/parameters.h"

#include "schema/parse.h"

namespace spindle::http {
namespace {

std::vector<std::string_view> textsOf(std::string_view location,
                                      std::string_view name,
                                      const ParameterSources& sources) {
  std::vector<std::string_view> texts;
  if (location == "header") {
    if (const std::string* value = sources.headers.find(name)) texts.emplace_back(*value);
    return texts;
  }
  for (const auto& [key, value] : location == "path" ? sources.path : sources.query) {
    if (key == name) texts.emplace_back(value);
  }
  return texts;
}

std::string asJson(std::string_view location,
                   const schema::detail::RecordType& record,
                   const ParameterSources& sources) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (const schema::detail::Field& field : record.fields()) {
    std::string_view name = field.name;
    std::vector<std::string_view> texts = textsOf(location, name, sources);
    if (texts.empty() && !field.vendor_name.empty()) {
      name = field.vendor_name;
      texts = textsOf(location, name, sources);
    }
    if (texts.empty()) continue;
    out.key(name);
    if (!field.type->isList()) {
      out.string(texts.back());
      continue;
    }
    out.beginArray();
    for (const std::string_view item : texts) out.string(item);
    out.endArray();
  }
  out.endObject();
  return text;
}

}  // namespace

ParameterSet::ParameterSet(Record path, Record query, Record header) {
  for (Part part : {Part{"path", std::move(path)}, Part{"query", std::move(query)},
                    Part{"header", std::move(header)}}) {
    if (!part.record->fields().empty()) parts_.push_back(std::move(part));
  }
}

void ParameterSet::read(const ParameterSources& sources,
                        void* out,
                        std::vector<Violation>& violations) const {
  for (const auto& [location, record] : parts_) {
    const std::optional<Error> error =
        schema::detail::parseInto(*record, asJson(location, *record, sources), location,
                                  json::Document::kDefaultDepth, out, sources.spelling);
    if (!error) continue;
    for (const Violation& violation : error->violations()) {
      Violation& added = violations.emplace_back(violation);
      // asJson() created the enclosing object; the client did not send it.
      if (added.type == "missing") added.input = "null";
    }
  }
}

void ParameterSet::describe(json::Writer& out, schema::Components& components) const {
  for (const auto& [location, record] : parts_) {
    for (const schema::detail::Field& field : record->fields()) {
      out.beginObject().key("name").string(field.name).key("in").string(location);
      out.key("required").boolean(field.required);
      if (!field.doc.empty()) out.key("description").string(field.doc);
      out.key("schema");
      record->describeParameter(field, out, components);
      out.endObject();
    }
  }
}

}  // namespace spindle::http
