#include "registry/artifacts/blob_url_signer.h"

#include <gtest/gtest.h>

namespace spindle::registry {
namespace {

constexpr Timestamp kNow{std::chrono::microseconds(1'700'000'000'000'000)};

BlobUrlClaims example() {
  BlobUrlClaims grant;
  grant.team_id = "team_1";
  grant.version_id = 12;
  grant.blob = {"sZRqySSS0jR8YjW00mERhA==", 6};
  grant.expires_at = kNow + std::chrono::hours(1);
  return grant;
}

TEST(BlobToken, ContainsItsClaims) {
  const BlobUrlSigner tokens(sha256("key"));
  const Result<BlobUrlClaims> grant =
      tokens.read(tokens.issue(example()), BlobUrlClaims::Use::kPut, kNow);
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->team_id, "team_1");
  EXPECT_EQ(grant->version_id, 12);
  EXPECT_EQ(grant->blob.digest, "sZRqySSS0jR8YjW00mERhA==");
  EXPECT_EQ(grant->blob.size, 6);
}

TEST(BlobToken, Expires) {
  const BlobUrlSigner tokens(sha256("key"));
  const Result<BlobUrlClaims> late =
      tokens.read(tokens.issue(example()), BlobUrlClaims::Use::kPut, kNow + std::chrono::hours(1));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::kPermissionDenied);
  EXPECT_EQ(late.error().reason(), "expired");
}

TEST(BlobToken, IsValidForOneUseAndOneServer) {
  const BlobUrlSigner tokens(sha256("key"));
  const std::string token = tokens.issue(example());
  EXPECT_FALSE(tokens.read(token, BlobUrlClaims::Use::kGet, kNow));
  EXPECT_FALSE(BlobUrlSigner(sha256("other")).read(token, BlobUrlClaims::Use::kPut, kNow));
}

TEST(BlobToken, DetectsChanges) {
  const BlobUrlSigner tokens(sha256("key"));
  const std::string token = tokens.issue(example());
  for (std::size_t i = 0; i + 1 < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(tokens.read(changed, BlobUrlClaims::Use::kPut, kNow)) << i;
  }
  for (const char* text : {"", ".", "abc", "abc.def", "...."}) {
    const Result<BlobUrlClaims> forged = tokens.read(text, BlobUrlClaims::Use::kPut, kNow);
    ASSERT_FALSE(forged);
    EXPECT_EQ(forged.error().code(), ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace spindle::registry
