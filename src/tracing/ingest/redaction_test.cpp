#include "tracing/ingest/redaction.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

TEST(Redaction, MatchesWholeNamesInAnySpelling) {
  for (const std::string_view name :
       {"authheaders", "authorization", "auth_token", "aws-access-key", "AWS_ACCESS_KEY_ID",
        "bearerToken", "vertex_credentials", "Webhook-Key", "webhook_secret"}) {
    EXPECT_TRUE(namesCredential(name)) << name;
  }
}

TEST(Redaction, MatchesSuffixes) {
  for (const std::string_view name :
       {"access_token", "apikey", "api_key", "OPENAI-API-KEY", "my_api_token", "clientSecret",
        "PRIVATE_KEY", "refresh-token", "aws_secret_access_key", "secret_key", "aSessionToken",
        "_a_p_i_k_e_y_"}) {
    EXPECT_TRUE(namesCredential(name)) << name;
  }
}

TEST(Redaction, LeavesOtherNamesAlone) {
  for (const std::string_view name :
       {"", "_", "token", "key", "max_tokens", "authorization_url", "my_authorization",
        "api_key_name", "apikeys", "secret", "password"}) {
    EXPECT_FALSE(namesCredential(name)) << name;
  }
}

TEST(Redaction, MatchesLongNames) {
  EXPECT_TRUE(namesCredential(std::string(1000, 'x') + "_api_key"));
  EXPECT_TRUE(namesCredential("api_key" + std::string(1000, '_')));
  EXPECT_FALSE(namesCredential(std::string(1000, 'x') + "authorization"));
}

}  // namespace
}  // namespace spindle::tracing
