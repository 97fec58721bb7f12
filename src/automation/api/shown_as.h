#pragma once

#include <memory>
#include <string>

#include "base/core/check.h"
#include "schema/type.h"

namespace spindle::automation {
namespace detail {

/// Writes a T as the value that a function returns for it.
template <class T, class Shown>
class ShownType final : public schema::Type {
 public:
  ShownType(const schema::Codec<Shown>& codec, Shown (*show)(const T&))
      : codec_(codec), show_(show) {}

  bool read(const json::Node& /*input*/,
            const schema::Path& /*path*/,
            void* /*out*/,
            schema::Report& /*report*/) const override {
    SPINDLE_ASSERT(false, "a type of responses was read");
    return false;
  }
  void write(const void* value, json::Writer& out, schema::Spelling spelling) const override {
    codec_.write(show_(*static_cast<const T*>(value)), out, spelling);
  }
  void describe(json::Writer& out, schema::Components& components) const override {
    codec_.type()->describe(out, components);
  }

 private:
  schema::Codec<Shown> codec_;
  Shown (*show_)(const T&);
};

}  // namespace detail

/// A type of responses: members of the type T are shown as `show(member)`, so that a record can
/// name the members of the struct that the repositories return. For members that are always
/// written.
template <class T, class Shown>
schema::Codec<T> shownAs(const schema::Codec<Shown>& codec, Shown (*show)(const T&)) {
  return schema::Codec<T>(std::make_shared<detail::ShownType<T, Shown>>(codec, show));
}

/// Returns the name of a value of an enumeration, for shownAs().
template <class E>
std::string nameOf(const E& value) {
  return std::string(textOf(value));
}

}  // namespace spindle::automation
