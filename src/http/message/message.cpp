#include "http/message/message.h"

#include <algorithm>
#include <array>

namespace spindle::http {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 8> kMethods = {{
    {Method::kGet, "GET"},
    {Method::kHead, "HEAD"},
    {Method::kPost, "POST"},
    {Method::kPut, "PUT"},
    {Method::kPatch, "PATCH"},
    {Method::kDelete, "DELETE"},
    {Method::kOptions, "OPTIONS"},
    {Method::kOther, "OTHER"},
}};

}  // namespace

std::string_view nameOf(Method method) {
  for (const auto& [known, name] : kMethods) {
    if (known == method) return name;
  }
  return "OTHER";
}

Method methodOf(std::string_view name) {
  for (const auto& [known, text] : kMethods) {
    if (text == name) return known;
  }
  return Method::kOther;
}

bool equalIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return x == y || toLower(x) == toLower(y);
         });
}

const std::string* Headers::find(std::string_view name) const {
  for (const Field& field : fields_) {
    if (equalIgnoringCase(field.first, name)) return &field.second;
  }
  return nullptr;
}

std::string_view Headers::get(std::string_view name) const {
  const std::string* value = find(name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

void Headers::set(std::string_view name, std::string_view value) {
  const auto same = [name](const Field& field) { return equalIgnoringCase(field.first, name); };
  const auto first = std::find_if(fields_.begin(), fields_.end(), same);
  if (first == fields_.end()) {
    add(name, value);
    return;
  }
  first->second = value;
  fields_.erase(std::remove_if(first + 1, fields_.end(), same), fields_.end());
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_,
                [name](const Field& field) { return equalIgnoringCase(field.first, name); });
}

std::string_view Request::path() const {
  const std::string_view all = target;
  return all.substr(0, all.find('?'));
}

std::string_view Request::query() const {
  const std::string_view all = target;
  const std::size_t mark = all.find('?');
  return mark == std::string_view::npos ? std::string_view() : all.substr(mark + 1);
}

}  // namespace spindle::http
