#pragma once

#include <memory>
#include <utility>

#include "schema/type.h"

namespace spindle::schema {

/// Base class of types that read, write or describe the values of another type differently. All
/// other functions are those of the other type.
class WrapperType : public Type {
 public:
  explicit WrapperType(TypePtr inner) : inner_(std::move(inner)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    return inner_->read(input, path, out, report);
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    inner_->write(value, out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    inner_->describe(out, components);
  }
  bool isList() const override { return inner_->isList(); }
  bool isNull(const void* value) const override { return inner_->isNull(value); }
  bool isAbsent(const void* value) const override { return inner_->isAbsent(value); }

 protected:
  const Type& inner() const { return *inner_; }

 private:
  const TypePtr inner_;
};

}  // namespace spindle::schema
