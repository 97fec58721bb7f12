#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "json/document.h"
#include "json/writer.h"
#include "schema/report.h"
#include "wire/spelling.h"

namespace spindle::schema {

class Type;
using wire::Spelling;

/// Collects the named records that a description refers to, for `components/schemas`.
class Components {
 public:
  /// Notes the record under its name and returns `#/components/schemas/<name>`.
  /// Two different records of one name are a mistake of ours and stop the program.
  std::string reference(const std::string& name, const Type& record);

  /// Writes every record noted so far, and those that they refer to, as members of an open object.
  void write(json::Writer& out);

 private:
  std::map<std::string, const Type*> records_;
};

/// What a value of some C++ type looks like in JSON: how to read it, to write it and to describe
/// it. The C++ type is erased, so that this code compiles once; Codec<T> brings it back.
/// Immutable once built, and therefore thread-safe.
class Type {
 public:
  virtual ~Type() = default;

  /// Reads into `*out`, which holds a default-made value. False when a rule broke: it is in the
  /// report, and `*out` is in some valid state.
  virtual bool read(const json::Node& input, const Path& path, void* out, Report& report) const = 0;
  /// The spelling is that of member names; `value` is written as it is.
  virtual void write(const void* value, json::Writer& out, Spelling spelling) const = 0;
  /// Writes the members of a JSON Schema object that the caller has opened.
  virtual void describe(json::Writer& out, Components& components) const = 0;
  /// Of a named record: the schema itself, where describe() writes a reference.
  virtual void describeWhole(json::Writer& out, Components& components) const {
    describe(out, components);
  }

  /// The type of the values that are not null: itself, unless it takes null as well.
  virtual const Type& withoutNull() const { return *this; }
  /// Whether a repeated query parameter makes sense for it.
  virtual bool isList() const { return false; }
  virtual bool isNull(const void* /*value*/) const { return false; }
  /// An absent value is not written at all, and is no default.
  virtual bool isAbsent(const void* /*value*/) const { return false; }
};

/// A Type that is known to read and write T. A cheap, shared handle.
template <class T>
class Codec {
 public:
  explicit Codec(std::shared_ptr<const Type> type) : type_(std::move(type)) {}

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
  const std::shared_ptr<const Type>& type() const { return type_; }

 private:
  std::shared_ptr<const Type> type_;
};

}  // namespace spindle::schema
