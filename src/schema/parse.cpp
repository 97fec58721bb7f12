#include "schema/parse.h"

#include "json/escape.h"

namespace spindle::schema {

std::optional<Error> detail::parseInto(const Type& type,
                                       std::string text,
                                       std::string_view location,
                                       std::size_t max_depth,
                                       void* out,
                                       Spelling spelling) {
  const Path root(location);
  Report report(false, spelling);
  if (text.empty()) {
    report.add(root, {"missing", "Field required", {}}, "null");
    return Error::invalid(report.take());
  }
  auto outcome = json::Document::parse(std::move(text), max_depth);
  if (const auto* broken = std::get_if<json::SyntaxError>(&outcome)) {
    const Path here(static_cast<std::int64_t>(broken->position), &root);
    report.add(
        here,
        {"json_invalid", "JSON decode error", "{\"error\":" + json::quoted(broken->message) + "}"},
        "{}");
    return Error::invalid(report.take());
  }
  const auto& document = std::get<json::Document>(outcome);
  if (type.read(document.root(), root, out, report)) return std::nullopt;
  return Error::invalid(report.take());
}

void writeViolations(json::Writer& out, const std::vector<Violation>& violations) {
  out.beginArray();
  for (const Violation& violation : violations) {
    out.beginObject().key("type").string(violation.type).key("loc").beginArray();
    for (const LocStep& step : violation.loc) {
      if (const auto* index = std::get_if<std::int64_t>(&step)) {
        out.integer(*index);
      } else {
        out.string(std::get<std::string>(step));
      }
    }
    out.endArray().key("msg").string(violation.msg).key("input").raw(violation.input);
    if (!violation.ctx.empty()) out.key("ctx").raw(violation.ctx);
    out.endObject();
  }
  out.endArray();
}

std::string violationsJson(const std::vector<Violation>& violations) {
  std::string text;
  json::Writer out(text);
  writeViolations(out.beginObject().key("detail"), violations);
  out.endObject();
  return text;
}

}  // namespace spindle::schema
