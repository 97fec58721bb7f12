#include "schema/described.h"

#include <string>
#include <utility>
#include <variant>

#include "base/core/check.h"
#include "schema/wrapper_type.h"

namespace spindle::schema {
namespace {

json::Document objectOf(std::string members) {
  std::variant<json::Document, json::SyntaxError> parsed =
      json::Document::parse(std::move(members));
  auto* document = std::get_if<json::Document>(&parsed);
  SPINDLE_ASSERT(document != nullptr && document->root().isObject(),
                 "the additional schema members are not a JSON object");
  return std::move(*document);
}

/// A type with the JSON Schema of another type.
class DescribedAsType final : public WrapperType {
 public:
  DescribedAsType(TypePtr inner, TypePtr shown)
      : WrapperType(std::move(inner)), shown_(std::move(shown)) {}

  void describe(json::Writer& out, Components& components) const override {
    shown_->describe(out, components);
  }

 private:
  TypePtr shown_;
};

/// A type with additional members in its JSON Schema.
class DescribedType final : public WrapperType {
 public:
  DescribedType(TypePtr inner, std::string members)
      : WrapperType(std::move(inner)), members_(objectOf(std::move(members))) {}

  void describe(json::Writer& out, Components& components) const override {
    WrapperType::describe(out, components);
    const json::Node members = members_.root();
    for (auto at = members.begin(); at != members.end(); ++at) {
      out.key((*at).text());
      ++at;
      out.raw((*at).raw());
    }
  }

 private:
  json::Document members_;
};

}  // namespace

TypePtr detail::describedType(TypePtr inner, std::string_view members) {
  return std::make_shared<DescribedType>(std::move(inner), std::string(members));
}

TypePtr detail::describedAsType(TypePtr inner, TypePtr shown) {
  return std::make_shared<DescribedAsType>(std::move(inner), std::move(shown));
}

}  // namespace spindle::schema
