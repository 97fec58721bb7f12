#include "schema/validated_json.h"

#include <utility>

namespace spindle::schema {
namespace {

class ValidatedJsonType final : public Type {
 public:
  ValidatedJsonType(TypePtr shape, std::shared_ptr<void> (*place)())
      : shape_(std::move(shape)), place_(place) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    const std::shared_ptr<void> place = place_();
    if (!shape_->read(input, path, place.get(), report)) return false;
    static_cast<json::Text*>(out)->json = input.raw();
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.raw(static_cast<const json::Text*>(value)->json);
  }
  void describe(json::Writer& out, Components& components) const override {
    shape_->describe(out, components);
  }

 private:
  TypePtr shape_;
  std::shared_ptr<void> (*place_)();
};

}  // namespace

TypePtr detail::validatedJsonType(TypePtr shape, std::shared_ptr<void> (*place)()) {
  return std::make_shared<ValidatedJsonType>(std::move(shape), place);
}

}  // namespace spindle::schema
