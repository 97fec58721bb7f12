#include "evaluation/scoring/object_parameters.h"

#include <cmath>

namespace spindle::evaluation {
namespace {

using json::Node;

std::string named(std::string_view name, std::string_view rule) {
  return "'" + std::string(name) + "' " + std::string(rule);
}

}  // namespace

std::optional<Node> ObjectParameters::find(std::string_view name) const {
  std::optional<Node> found = object_.find(name);
  if (found && found->isNull()) found.reset();
  return found;
}

void ObjectParameters::refuse(std::string_view complaint) {
  if (!problem_) problem_ = Error::invalidArgument(complaint);
}

bool ObjectParameters::flag(std::string_view name, bool otherwise) {
  const std::optional<Node> found = find(name);
  if (!found) return otherwise;
  if (!found->isBool()) refuse(named(name, "must be true or false"));
  return found->boolean();
}

std::optional<double> ObjectParameters::optionalNumber(std::string_view name) {
  const std::optional<Node> found = find(name);
  if (!found) return std::nullopt;
  if (!found->isNumber() || !std::isfinite(found->number())) {
    refuse(named(name, "must be a number"));
    return std::nullopt;
  }
  return found->number();
}

double ObjectParameters::number(std::string_view name, double otherwise) {
  return optionalNumber(name).value_or(otherwise);
}

std::string ObjectParameters::text(std::string_view name, std::string_view otherwise) {
  const std::optional<Node> found = find(name);
  if (!found) return std::string(otherwise);
  if (found->isString()) return found->text();
  refuse(named(name, "must be a text"));
  return {};
}

std::string ObjectParameters::requiredText(std::string_view name) {
  if (!find(name)) refuse(named(name, "is required"));
  return text(name, {});
}

std::optional<std::string> ObjectParameters::object(std::string_view name) {
  const std::optional<Node> found = find(name);
  if (!found) return std::nullopt;
  if (!found->isObject()) refuse(named(name, "must be an object"));
  return std::string(found->raw());
}

std::optional<std::string> ObjectParameters::list(std::string_view name) {
  const std::optional<Node> found = find(name);
  if (!found) return std::nullopt;
  if (!found->isArray()) refuse(named(name, "must be a list"));
  return std::string(found->raw());
}

}  // namespace spindle::evaluation
