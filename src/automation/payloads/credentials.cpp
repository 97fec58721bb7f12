#include "automation/payloads/credentials.h"

#include <cstddef>
#include <string_view>

namespace spindle::automation {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::size_t kShortestMasked = 4;

void maskAll(std::string& text, std::string_view value) {
  if (value.size() < kShortestMasked) return;
  for (std::size_t at = text.find(value); at != std::string::npos;
       at = text.find(value, at + kMask.size())) {
    text.replace(at, value.size(), kMask);
  }
}

}  // namespace

Credentials Credentials::masked() const {
  const Secret mask{std::string(kMask)};
  Credentials masked;
  if (access_token) masked.access_token = mask;
  masked.secret_name = secret_name;
  if (!secret_name.empty()) masked.secret = mask;
  return masked;
}

std::string Credentials::maskedIn(std::string text) const {
  if (access_token) maskAll(text, access_token->reveal());
  maskAll(text, secret.reveal());
  if (previous_secret) maskAll(text, previous_secret->reveal());
  return text;
}

}  // namespace spindle::automation
