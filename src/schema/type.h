#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "json/document.h"
#include "json/writer.h"
#include "schema/report.h"
#include "wire/spelling.h"

namespace spindle::schema {

class Type;
using wire::Spelling;

/// Collects the named records that an OpenAPI document refers to, for `components/schemas`.
class Components {
 public:
  /// Adds the record under its name and returns `#/components/schemas/<name>`.
  /// Two different records with the same name are a programming error and abort the process.
  std::string reference(const std::string& name, const Type& record);

  /// Writes every added record, and the records that these refer to, as members of an open object.
  void write(json::Writer& out);

 private:
  std::map<std::string, const Type*> records_;
};

/// Reads, writes and describes the JSON representation of a C++ type. The C++ type is erased, so
/// this code compiles once; Codec<T> adds the type again. Immutable after construction and
/// therefore thread-safe.
class Type {
 public:
  virtual ~Type() = default;

  /// Reads `input` into `*out`, which holds a default-constructed value. Returns false if a rule is
  /// violated: the report then contains the violation, and `*out` is valid but unspecified.
  virtual bool read(const json::Node& input, const Path& path, void* out, Report& report) const = 0;
  /// Writes `value`. `spelling` selects the wire profile of member names only.
  virtual void write(const void* value, json::Writer& out, Spelling spelling) const = 0;
  /// Writes the members of a JSON Schema object that the caller has opened.
  virtual void describe(json::Writer& out, Components& components) const = 0;
  /// Writes the JSON Schema object that describe() writes the members of.
  void writeSchema(json::Writer& out, Components& components) const {
    out.beginObject();
    describe(out, components);
    out.endObject();
  }
  /// Writes the schema of a named record inline, where describe() writes a reference.
  virtual void describeInline(json::Writer& out, Components& components) const {
    describe(out, components);
  }

  /// Returns the type of the values that are not null: this type, unless it is nullable.
  virtual const Type& withoutNull() const { return *this; }
  /// Returns true if a query parameter of this type may be repeated.
  virtual bool isList() const { return false; }
  virtual bool isNull(const void* /*value*/) const { return false; }
  /// Returns true if the value is absent. An absent value is neither written nor used as a default.
  virtual bool isAbsent(const void* /*value*/) const { return false; }
};

/// Writes the JSON Schema members `type` and, unless it is empty, `format`.
inline void writeType(json::Writer& out, std::string_view type, std::string_view format = {}) {
  out.key("type").string(type);
  if (!format.empty()) out.key("format").string(format);
}

/// A shared pointer to a Type. The functions are not inline: the declarations of records, which run
/// once, copy and destroy thousands of these pointers.
class TypePtr {
 public:
  TypePtr() = default;
  TypePtr(std::nullptr_t) {}  // NOLINT: a pointer converts from nullptr
  template <class Derived>
  TypePtr(std::shared_ptr<Derived> type)  // NOLINT: and from a pointer to a derived class
      : type_(std::move(type)) {}
  TypePtr(const TypePtr& other);
  TypePtr(TypePtr&& other) noexcept;
  TypePtr& operator=(const TypePtr& other);
  TypePtr& operator=(TypePtr&& other) noexcept;
  ~TypePtr();

  const Type& operator*() const { return *type_; }
  const Type* operator->() const { return type_.get(); }
  explicit operator bool() const { return type_ != nullptr; }

 private:
  std::shared_ptr<const Type> type_;
};

/// A typed, shared handle of a Type that reads and writes T. Cheap to copy.
template <class T>
class Codec {
 public:
  explicit Codec(TypePtr type) : type_(std::move(type)) {}

  bool read(const json::Node& input, const Path& path, T& out, Report& report) const {
    return type_->read(input, path, &out, report);
  }
  void write(const T& value, json::Writer& out, Spelling spelling = Spelling::kNeutral) const {
    type_->write(&value, out, spelling);
  }
  std::string toJson(const T& value, Spelling spelling = Spelling::kNeutral) const {
    std::string text;
    json::Writer out(text);
    write(value, out, spelling);
    return text;
  }
  const TypePtr& type() const { return type_; }

 private:
  TypePtr type_;
};

}  // namespace spindle::schema
