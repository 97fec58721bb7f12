#include "http/error_body.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

TEST(ErrorBody, CarriesTheMembersOfItsError) {
  const Error error = Error::notFound("a:v1 was deleted")
                          .with("deleted_at", R"("2024-05-01T10:00:00Z")")
                          .with("missing", R"(["x"])");
  EXPECT_EQ(errorResponse(error, ErrorShape::kReason).body,
            R"({"reason":"a:v1 was deleted","deleted_at":"2024-05-01T10:00:00Z","missing":["x"]})");
  EXPECT_EQ(errorResponse(error, ErrorShape::kReason).status, 404);
}

TEST(ErrorBody, SaysThatTheDiskIsFull) {
  const Error error(ErrorCode::kStorageFull, "No space is left.");
  const Response response = errorResponse(error, ErrorShape::kDetailWithCode);
  EXPECT_EQ(response.status, 507);
  EXPECT_EQ(response.body, R"({"detail":"No space is left.","code":"storage_full"})");
}

}  // namespace
}  // namespace spindle::http
