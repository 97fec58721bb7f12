#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace spindle {

/// A sensitive text. Prints as `***`, is wiped on destruction, and is readable only through
/// reveal().
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  Secret(Secret&&) noexcept = default;
  Secret& operator=(Secret&&) noexcept = default;
  ~Secret();

  std::string_view reveal() const { return value_; }
  bool empty() const { return value_.empty(); }

  friend std::ostream& operator<<(std::ostream& out, const Secret& secret);

 private:
  std::string value_;
};

}  // namespace spindle
