#include "schema/described.h"

#include <utility>
#include <variant>

#include "base/core/check.h"

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
class DescribedAsType : public Type {
 public:
  DescribedAsType(std::shared_ptr<const Type> inner, std::shared_ptr<const Type> shown)
      : inner_(std::move(inner)), shown_(std::move(shown)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const final {
    return inner_->read(input, path, out, report);
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const final {
    inner_->write(value, out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    shown_->describe(out, components);
  }
  bool isList() const final { return inner_->isList(); }
  bool isNull(const void* value) const final { return inner_->isNull(value); }
  bool isAbsent(const void* value) const final { return inner_->isAbsent(value); }

 private:
  std::shared_ptr<const Type> inner_;
  std::shared_ptr<const Type> shown_;
};

class DescribedType final : public DescribedAsType {
 public:
  DescribedType(const std::shared_ptr<const Type>& inner, std::string members)
      : DescribedAsType(inner, inner), members_(objectOf(std::move(members))) {}

  void describe(json::Writer& out, Components& components) const override {
    DescribedAsType::describe(out, components);
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

std::shared_ptr<const Type> detail::describedType(std::shared_ptr<const Type> inner,
                                                  std::string members) {
  return std::make_shared<DescribedType>(std::move(inner), std::move(members));
}

std::shared_ptr<const Type> detail::describedAsType(std::shared_ptr<const Type> inner,
                                                    std::shared_ptr<const Type> shown) {
  return std::make_shared<DescribedAsType>(std::move(inner), std::move(shown));
}

}  // namespace spindle::schema
