#include "base/crypto/secret_filter.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/crypto/crypto.h"

namespace spindle {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::size_t kShortestPattern = 6;

std::string percentEncoded(std::string_view text, std::string_view digits) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    out += '%';
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

std::string jsonEscaped(std::string_view text, bool slashes) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || (slashes && c == '/')) out += '\\';
    out += c;
  }
  return out;
}

/// Returns the characters that stand for `secret` in the base64 of a longer text, when `before`
/// bytes (modulo 3) precede it, without the characters that its neighbours influence.
std::string base64Part(std::string_view secret, std::size_t before) {
  const std::string encoded = encodeBase64(std::string(before, '\0') + std::string(secret));
  const std::size_t begin = (before * 8 + 5) / 6;
  const std::size_t end = (before + secret.size()) * 8 / 6;
  return encoded.substr(begin, end - begin);
}

}  // namespace

SecretFilter::SecretFilter(const Secret& secret) {
  const std::string_view text = secret.reveal();
  if (text.size() < kShortest) return;
  std::vector<std::string> all = {std::string(text), percentEncoded(text, "0123456789ABCDEF"),
                                  percentEncoded(text, "0123456789abcdef"),
                                  jsonEscaped(text, false), jsonEscaped(text, true)};
  for (std::size_t before = 0; before < 3; ++before) {
    std::string part = base64Part(text, before);
    std::string url_safe = part;
    std::replace(url_safe.begin(), url_safe.end(), '+', '-');
    std::replace(url_safe.begin(), url_safe.end(), '/', '_');
    all.push_back(jsonEscaped(part, true));
    all.push_back(percentEncoded(part, "0123456789ABCDEF"));
    all.push_back(std::move(part));
    all.push_back(std::move(url_safe));
  }
  std::vector<std::string_view> known;
  for (const std::string& pattern : all) {
    if (pattern.size() < kShortestPattern) continue;
    if (std::find(known.begin(), known.end(), pattern) != known.end()) continue;
    known.emplace_back(pattern);
    patterns_.emplace_back(pattern);
  }
}

std::string SecretFilter::apply(std::string text) const {
  for (const Secret& pattern : patterns_) {
    const std::string_view wanted = pattern.reveal();
    for (std::size_t at = text.find(wanted); at != std::string::npos;
         at = text.find(wanted, at + kMask.size())) {
      text.replace(at, wanted.size(), kMask);
    }
  }
  return text;
}

std::size_t SecretFilter::partialMatchLength(std::string_view text) const {
  std::size_t longest = 0;
  for (const Secret& secret : patterns_) {
    const std::string_view pattern = secret.reveal();
    const std::size_t most = std::min(pattern.size() - 1, text.size());
    const std::string_view end = text.substr(text.size() - most);
    for (std::size_t at = end.find(pattern.front()); at != std::string_view::npos;
         at = end.find(pattern.front(), at + 1)) {
      if (!pattern.starts_with(end.substr(at))) continue;
      longest = std::max(longest, end.size() - at);
      break;
    }
  }
  return longest;
}

std::string SecretFilter::Stream::feed(std::string_view bytes) {
  if (filter_ == nullptr || filter_->empty()) return std::string(bytes);
  std::string text = std::exchange(held_, {});
  text += bytes;
  text = filter_->apply(std::move(text));
  const std::size_t held = filter_->partialMatchLength(text);
  held_ = text.substr(text.size() - held);
  text.resize(text.size() - held);
  return text;
}

std::string SecretFilter::Stream::finish() { return std::exchange(held_, {}); }

}  // namespace spindle
