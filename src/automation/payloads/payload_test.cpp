#include <map>

#include <gtest/gtest.h>

#include "automation/payloads/outbound_headers.h"
#include "automation/payloads/payload_preset.h"
#include "automation/payloads/payload_renderer.h"
#include "automation/payloads/payload_template.h"
#include "automation/payloads/payload_variable.h"
#include "automation/payloads/vectors_for_test.h"
#include "json/document.h"

namespace spindle::automation {
namespace {

const std::vector<LocStep> payload_loc = {LocStep("body"), LocStep("action"), LocStep("payload")};

PayloadFacts factsOf(const RenderVector& vector) {
  PayloadFacts facts;
  for (const auto& [name, value] : vector.variables) facts.variables.emplace(name, value);
  facts.metadata = vector.metadata;
  return facts;
}

Credentials credentialsOf(const RenderVector& vector) {
  Credentials credentials;
  if (!vector.access_token.empty()) credentials.access_token = Secret(vector.access_token);
  credentials.secret_name = vector.secret_name;
  credentials.secret = Secret(vector.secret);
  return credentials;
}

std::string headerIn(const HeaderList& headers, std::string_view name) {
  for (const auto& [known, value] : headers) {
    if (known == name) return value;
  }
  return "";
}

Credentials bothCredentials() {
  Credentials credentials;
  credentials.access_token = Secret("tok_example_123");
  credentials.secret_name = "DEPLOY_KEY";
  credentials.secret = Secret("s3cr3t-deploy-key");
  return credentials;
}

std::string problemOf(std::string_view text, const CredentialNames& attached = {}) {
  const auto checked = checkTemplate(text, attached, payload_loc);
  if (checked) return "";
  EXPECT_EQ(checked.error().violations().at(0).loc, payload_loc);
  return checked.error().violations().at(0).type;
}

TEST(WorkedExamples, RenderToTheirBodies) {
  for (const RenderVector& vector : renderVectors()) {
    const Result<std::string> body =
        renderPayload(vector.text, factsOf(vector), credentialsOf(vector));
    ASSERT_TRUE(body) << vector.id;
    EXPECT_EQ(*body, vector.body) << vector.id;
    EXPECT_EQ(problemOf(vector.text, credentialsOf(vector).names()), "") << vector.id;
  }
  EXPECT_EQ(renderVectors().size(), 16U);
}

TEST(WorkedExamples, HaveTheExpectedSignatures) {
  for (const RenderVector& vector : renderVectors()) {
    OutboundFacts facts;
    facts.delivery_id = vector.delivery_id;
    facts.sent_at = timestampOfMicros(vector.timestamp * 1'000'000 + 999'999);
    const HeaderList headers = outboundHeaders(facts, vector.body, credentialsOf(vector), "0.1.0");
    EXPECT_EQ(headerIn(headers, "Content-Type"), "application/json") << vector.id;
    EXPECT_EQ(headerIn(headers, "Authorization"),
              vector.access_token.empty() ? "" : "Bearer " + vector.access_token)
        << vector.id;
    EXPECT_EQ(headerIn(headers, "X-Svc-Signature"), vector.signature) << vector.id;
    EXPECT_EQ(headerIn(headers, "Webhook-Signature"), vector.standard_signature) << vector.id;
    EXPECT_EQ(headerIn(headers, "Webhook-Timestamp"), std::to_string(vector.timestamp));
  }
}

TEST(WorkedExamples, RejectInvalidTemplates) {
  EXPECT_EQ(problemOf(R"({"a":${artifact_metadata.n}5x})"), "json_invalid");  // X01
  EXPECT_EQ(problemOf(R"({"a":${nope}})"), "unknown_variable");               // X02
  EXPECT_EQ(problemOf(R"({"a":"\${alias}"})"), "json_invalid");               // X03
  const std::string_view late = R"({"a":-${artifact_metadata.s}})";           // X04
  EXPECT_EQ(problemOf(late), "");
  PayloadFacts facts;
  facts.metadata = R"({"s":"abc"})";
  const Result<std::string> body = renderPayload(late, facts, {});
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().reason(), "render_error");
}

TEST(DefaultPayload, EqualsExampleE11) { EXPECT_EQ(defaultPayload(), renderVectors().at(10).text); }

TEST(Template, VariablesEndWithTheirName) {
  const auto kinds = [](std::string_view text) {
    std::string all;
    for (const TemplatePiece& piece : scanTemplate(text)) {
      all += "TBUM"[static_cast<int>(piece.kind)];
      all += piece.in_string ? '"' : '.';
      all += piece.text + "|";
    }
    return all;
  };
  const std::map<std::string_view, std::string_view> expected = {
      {"${alias}", "B.alias|"},
      {"$NAME-x", "U.NAME|T.-x|"},
      {"${alias", "T.${alias|"},
      {"${}${1a}$5$", "T.${}${1a}$5$|"},
      {"$${alias}", "T.${alias}|"},
      {"$$NAME", "T.$|U.NAME|"},
      {"${artifact_metadata.a.b c}", "M.a.b c|"},
      {"${artifact_metadata.}", "T.${artifact_metadata.}|"},
      {"${artifact_metadata}", "B.artifact_metadata|"},
      {R"({"a":"\"${tag}"})", R"(T"{"a":"\"|B"tag|T."}|)"}};
  for (const auto& [text, pieces] : expected) EXPECT_EQ(kinds(text), pieces) << text;
}

TEST(Template, KeepsTextThatIsNotAVariable) {
  for (const std::string_view text : {"${nope}", "$NAME", "${artifact_metadata.a b}", "$$NAME"}) {
    std::string again;
    for (const TemplatePiece& piece : scanTemplate(text)) again += piece.verbatim();
    EXPECT_EQ(again, text);
  }
}

TEST(TemplateCheck, RequiresAnObjectOrArray) {
  EXPECT_EQ(problemOf("[1]"), "");
  EXPECT_EQ(problemOf("{}\n"), "");
  EXPECT_EQ(problemOf("1"), "json_invalid");
  EXPECT_EQ(problemOf(R"("${alias}")"), "json_invalid");
  EXPECT_EQ(problemOf("${alias}"), "json_invalid");
  EXPECT_EQ(problemOf(""), "json_invalid");
  EXPECT_EQ(problemOf("{}" + std::string(kMaxTemplateBytes, ' ')), "string_too_long");
  EXPECT_EQ(problemOf("{}" + std::string(kMaxTemplateBytes - 2, ' ')), "");
}

TEST(TemplateCheck, KnowsOnlyTheWebhooksCredentials) {
  EXPECT_EQ(problemOf(R"({"k":$KEY})", {false, "KEY"}), "");
  EXPECT_EQ(problemOf(R"({"k":$KEY})", {false, "OTHER"}), "json_invalid");
  EXPECT_EQ(problemOf(R"({"k":${ACCESS_TOKEN}})", {true, ""}), "");
  EXPECT_EQ(problemOf(R"({"k":${ACCESS_TOKEN}})", {false, "KEY"}), "unknown_variable");
}

TEST(TemplateCheck, WarnsOfUnknownNamesAndOfSecretsInTheBody) {
  const auto checked =
      checkTemplate(R"({"a":"${NOPE} ${NOPE} ${alias} $HOME","b":"${KEY}","t":"${ACCESS_TOKEN}"})",
                    {true, "KEY"}, payload_loc);
  ASSERT_TRUE(checked);
  ASSERT_EQ(checked->size(), 2U);
  EXPECT_EQ(checked->at(0).code, "unknown_variable");
  EXPECT_EQ(checked->at(0).name, "NOPE");
  EXPECT_EQ(checked->at(1).code, "secret_in_body");
  EXPECT_EQ(checked->at(1).name, "KEY");
}

TEST(Rendering, RejectsTooLargeBodies) {
  PayloadFacts facts;
  facts.variables.emplace("alias", std::string(kMaxPayloadBytes, 'x'));
  const Result<std::string> body = renderPayload(R"(["${alias}"])", facts, {});
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().reason(), "body_too_large");
}

TEST(Rendering, ShowsMaskedCredentialsAsStars) {
  const std::string_view text = R"({"a":"${ACCESS_TOKEN}","b":${DEPLOY_KEY},"c":"$DEPLOY_KEY"})";
  const Result<std::string> body = renderPayload(text, {}, bothCredentials().masked());
  ASSERT_TRUE(body);
  EXPECT_EQ(*body, R"({"a":"***","b":"***","c":"***"})");
}

TEST(Rendering, TakesTheLastOfRepeatedKeysAndIgnoresBrokenMetadata) {
  PayloadFacts facts;
  facts.metadata = R"({"a":1,"a":2})";
  EXPECT_EQ(renderPayload(R"([${artifact_metadata.a}])", facts, {}).value(), "[2]");
  facts.metadata = "[1]";
  EXPECT_EQ(renderPayload(R"([${artifact_metadata.a}])", facts, {}).value(), "[null]");
}

TEST(MaskedText, MasksEchoedCredentials) {
  Credentials credentials = bothCredentials();
  credentials.previous_secret = Secret("the-old-value");
  EXPECT_EQ(
      credentials.maskedIn("tok_example_123, s3cr3t-deploy-key; the-old-value tok_example_123"),
      "***, ***; *** ***");
  credentials.secret = Secret("a");
  EXPECT_EQ(credentials.maskedIn("banana"), "banana");
}

TEST(Headers, SignWithBothValuesAfterARotation) {
  Credentials credentials = bothCredentials();
  credentials.previous_secret = Secret("old");
  OutboundFacts facts{"dlv_1", timestampOfMicros(1'760'000'000'000'000), 3, "RUN_STATE", "auto_1"};
  const HeaderList headers = outboundHeaders(facts, "{}", credentials, "1.2.3");
  Credentials old;
  old.secret_name = "DEPLOY_KEY";
  old.secret = Secret("old");
  const std::string both = headerIn(headers, "Webhook-Signature");
  const HeaderList old_headers = outboundHeaders(facts, "{}", old, "1.2.3");
  EXPECT_TRUE(both.ends_with(" " + headerIn(old_headers, "Webhook-Signature"))) << both;
  EXPECT_EQ(headerIn(headers, "X-Svc-Signature"),
            headerIn(outboundHeaders(facts, "{}", bothCredentials(), "1"), "X-Svc-Signature"));
  EXPECT_EQ(headerIn(headers, "X-Svc-Event"), "RUN_STATE");
  EXPECT_EQ(headerIn(headers, "X-Svc-Automation-Id"), "auto_1");
  EXPECT_EQ(headerIn(headers, "X-Svc-Attempt"), "3");
  EXPECT_EQ(headerIn(headers, "User-Agent"), "svc-webhooks/1.2.3");
}

TEST(Headers, DecodeStandardWebhooksSecrets) {
  OutboundFacts facts{"msg_p5jXN8AQM9LWM0D4loKWxJek", timestampOfMicros(1'614'265'330'000'000)};
  Credentials credentials;
  credentials.secret_name = "KEY";
  credentials.secret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const HeaderList headers = outboundHeaders(facts, R"({"test": 2432232314})", credentials, "1");
  EXPECT_EQ(headerIn(headers, "Webhook-Signature"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Presets, RenderToJson) {
  for (const PayloadPreset& preset : payloadPresets()) {
    EXPECT_EQ(problemOf(preset.payload), "") << preset.name;
    const auto checked = checkTemplate(preset.payload, {}, payload_loc);
    EXPECT_TRUE(checked->empty()) << preset.name;
    EXPECT_TRUE(renderPayload(preset.payload, {}, {})) << preset.name;
    EXPECT_EQ(findPayloadPreset(preset.name), &preset);
  }
  EXPECT_EQ(payloadPresets().size(), 3U);
  EXPECT_EQ(findPayloadPreset("nope"), nullptr);
}

TEST(Presets, RepositoryDispatchFollowsTheInterfaceDocument) {
  const auto parsed = json::Document::parse(
      renderPayload(findPayloadPreset("repository_dispatch")->payload, {}, {}).value());
  const json::Node root = std::get<json::Document>(parsed).root();
  EXPECT_TRUE(root.find("event_type"));
  for (const std::string_view name : {"event_author", "artifact_version", "artifact_version_string",
                                      "artifact_collection_name", "project_name", "entity_name"}) {
    EXPECT_TRUE(root.find("client_payload")->find(name)) << name;
  }
}

TEST(Variables, ReserveTheirNames) {
  EXPECT_TRUE(isReservedSecretName("alias"));
  EXPECT_TRUE(isReservedSecretName("ACCESS_TOKEN"));
  EXPECT_TRUE(isReservedSecretName("artifact_metadata"));
  EXPECT_FALSE(isReservedSecretName("DEPLOY_KEY"));
}

TEST(Variables, WriteTimesToTheMillisecond) {
  EXPECT_EQ(eventTimeText(timestampOfMicros(1'700'000'000'007'999)), "2023-11-14T22:13:20.007Z");
  EXPECT_EQ(eventTimeText(timestampOfMicros(1'700'000'000'000'000)), "2023-11-14T22:13:20.000Z");
}

}  // namespace
}  // namespace spindle::automation
