#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "json/document.h"

namespace spindle::evaluation {

/// Reads the members of an object that describes a scorer or a model. The first invalid member sets
/// problem(); values that are read afterwards are meaningless. Null counts as missing.
class ObjectParameters {
 public:
  /// `object` must outlive this object.
  explicit ObjectParameters(const json::Node& object) : object_(object) {}

  bool flag(std::string_view name, bool otherwise);
  double number(std::string_view name, double otherwise);
  std::optional<double> optionalNumber(std::string_view name);
  std::string text(std::string_view name, std::string_view otherwise);
  std::string requiredText(std::string_view name);
  /// Returns the JSON text of an object.
  std::optional<std::string> object(std::string_view name);
  /// Returns the JSON text of a list.
  std::optional<std::string> list(std::string_view name);
  std::optional<json::Node> find(std::string_view name) const;

  void refuse(std::string_view complaint);
  /// Returns kInvalidArgument for the first invalid member, or nothing.
  const std::optional<Error>& problem() const { return problem_; }

 private:
  const json::Node& object_;
  std::optional<Error> problem_;
};

}  // namespace spindle::evaluation
