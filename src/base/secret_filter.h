#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"

namespace spindle {

/// Replaces a secret in text by `***`: the secret itself, base64 and base64url of it at any
/// alignment (as in `Basic` credentials), its percent-encoded form and its JSON-escaped form.
/// Secrets shorter than kShortest are not looked for: they would match ordinary words.
/// Immutable, thread-safe.
class SecretFilter {
 public:
  static constexpr std::size_t kShortest = 6;

  /// Replaces nothing.
  SecretFilter() = default;
  explicit SecretFilter(const Secret& secret);

  std::string apply(std::string text) const;
  bool empty() const { return patterns_.empty(); }

  /// The same for a text that comes in pieces, wherever it is cut. Holds back only bytes that may
  /// be the beginning of the secret. One thread at a time; the filter must outlive it.
  class Stream {
   public:
    Stream() = default;
    explicit Stream(const SecretFilter& filter) : filter_(&filter) {}

    /// Returns what can go on now.
    std::string feed(std::string_view bytes);
    /// Returns what was held back, at the end of the text.
    std::string finish();

   private:
    const SecretFilter* filter_ = nullptr;
    std::string held_;
  };

 private:
  /// Returns the length of the longest end of a text that is the beginning of a pattern.
  std::size_t openEnd(std::string_view text) const;

  std::vector<Secret> patterns_;
};

}  // namespace spindle
