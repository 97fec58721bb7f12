#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/secret.h"

namespace spindle {

/// Replaces a secret in text by `***`: the secret itself, its base64 and base64url forms at any
/// alignment (as in `Basic` credentials), its percent-encoded form and its JSON-escaped form.
/// Secrets shorter than kShortest are not replaced, because they would match ordinary words.
/// Immutable, thread-safe.
class SecretFilter {
 public:
  static constexpr std::size_t kShortest = 6;

  /// Replaces nothing.
  SecretFilter() = default;
  explicit SecretFilter(const Secret& secret);

  std::string apply(std::string text) const;
  bool empty() const { return patterns_.empty(); }

  /// Filters a text that arrives in chunks of any size. Delays only bytes that may be the start of
  /// the secret. For one thread at a time; the filter must outlive it.
  class Stream {
   public:
    Stream() = default;
    explicit Stream(const SecretFilter& filter) : filter_(&filter) {}

    /// Returns the text that can be passed on now.
    std::string feed(std::string_view bytes);
    /// Returns the delayed text, at the end of the input.
    std::string finish();

   private:
    const SecretFilter* filter_ = nullptr;
    std::string held_;
  };

 private:
  /// Returns the length of the longest suffix of a text that is a prefix of a pattern.
  std::size_t partialMatchLength(std::string_view text) const;

  std::vector<Secret> patterns_;
};

}  // namespace spindle
