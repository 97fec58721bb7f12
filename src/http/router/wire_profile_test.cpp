#include <gtest/gtest.h>

#include "http/router/route_group.h"
#include "schema/scalar.h"

namespace spindle::http {
namespace {

using wire::Profile;
using wire::Spelling;

struct Asked {
  std::string user;
  std::string trace;
};
struct Note {
  std::string ref;
};

std::string vendor(std::string_view neutral) {
  return std::string(wire::memberFor(Spelling::kVendor, neutral));
}

/// Responds with the reference of the body and, in the same member, the parameters.
void addNotes(Router& router) {
  RoutePolicy open;
  open.credentials = Credentials::kOpen;
  const auto note =
      schema::Record<Note>("Note").required("svc_ref", &Note::ref, schema::string()).codec();
  RouteGroup routes(router, open, "notes");
  routes.post(
      "/notes", {"addNote", "Add a note."},
      {.params = Parameters<Asked>()
                     .query("svc_user_id", &Asked::user, schema::string({.max_length = 3}), "")
                     .header("X-Svc-Trace-Id", &Asked::trace, schema::string(), ""),
       .body = note,
       .reply = note},
      [](const Asked& asked, Note sent) -> Result<Note> {
        sent.ref += asked.user + asked.trace;
        return sent;
      });
}

struct Sent {
  std::string target = "/notes";
  std::string body = R"({"svc_ref":"r"})";
  Headers headers = {};
};

Response send(Profile profile, const Sent& sent) {
  Request request;
  request.method = Method::kPost;
  request.target = sent.target;
  request.headers = sent.headers;
  request.body = sent.body;
  Router router({}, profile);
  addNotes(router);
  return router.handle(request);
}

Headers ofTheSdk() {
  Headers headers;
  headers.add(vendor("X-Svc-Client-Capabilities"), "trace_id_on_end");
  return headers;
}

std::string noteIn(Spelling spelling) {
  return "{\"" + std::string(wire::memberFor(spelling, "svc_ref")) + "\":\"r\"}";
}

TEST(HttpWireProfile, AutomaticProfileFollowsTheClient) {
  EXPECT_EQ(send(Profile::kAuto, {}).body, noteIn(Spelling::kNeutral));
  EXPECT_EQ(send(Profile::kAuto, {.headers = ofTheSdk()}).body, noteIn(Spelling::kVendor));
}

TEST(HttpWireProfile, OtherProfilesAreFixed) {
  EXPECT_EQ(send(Profile::kNeutral, {.headers = ofTheSdk()}).body, noteIn(Spelling::kNeutral));
  EXPECT_EQ(send(Profile::kVendor, {}).body, noteIn(Spelling::kVendor));
}

TEST(HttpWireProfile, RequestsAcceptBothProfiles) {
  EXPECT_EQ(send(Profile::kNeutral, {.body = noteIn(Spelling::kVendor)}).body,
            noteIn(Spelling::kNeutral));
  EXPECT_EQ(send(Profile::kVendor, {.body = noteIn(Spelling::kNeutral)}).body,
            noteIn(Spelling::kVendor));
}

TEST(HttpWireProfile, ParametersAndHeadersAcceptBothProfiles) {
  Headers neutral;
  neutral.add("x-svc-trace-id", "T");
  Headers other;
  other.add(vendor("X-Svc-Trace-Id"), "T");
  EXPECT_EQ(send(Profile::kNeutral, {.target = "/notes?svc_user_id=U", .headers = neutral}).body,
            R"({"svc_ref":"rUT"})");
  EXPECT_EQ(send(Profile::kNeutral,
                 {.target = "/notes?" + vendor("svc_user_id") + "=U", .headers = other})
                .body,
            R"({"svc_ref":"rUT"})");
}

TEST(HttpWireProfile, ErrorsUseTheNamesOfTheClient) {
  const auto loc = [](const std::string& place, const std::string& name) {
    return "\"loc\":[\"" + place + "\",\"" + name + "\"]";
  };
  const std::string missing = send(Profile::kAuto, {.body = "{}", .headers = ofTheSdk()}).body;
  EXPECT_NE(missing.find(loc("body", vendor("svc_ref"))), std::string::npos) << missing;
  EXPECT_NE(send(Profile::kAuto, {.body = "{}"}).body.find(loc("body", "svc_ref")),
            std::string::npos);
  const std::string query =
      send(Profile::kAuto, {.target = "/notes?" + vendor("svc_user_id") + "=long"}).body;
  EXPECT_NE(query.find(loc("query", vendor("svc_user_id"))), std::string::npos) << query;
}

}  // namespace
}  // namespace spindle::http
