#include "identity/oidc/id_token.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "base/crypto/crypto.h"
#include "identity/oidc/jwk_set.h"

namespace spindle::identity {
namespace {

constexpr std::string_view kIssuer = "https://id.example.com";

struct FreeOpenSsl {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeOpenSsl>;

std::string paddedBytes(const BIGNUM* number, int size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), size);
  return bytes;
}

/// Returns a number of a key in Base64 for URLs.
std::string numberOfKey(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EXPECT_EQ(EVP_PKEY_get_bn_param(key, name, &number), 1);
  const std::unique_ptr<BIGNUM, FreeOpenSsl> owned(number);
  return encodeBase64Url(paddedBytes(number, BN_num_bytes(number)));
}

std::string jwkOf(EVP_PKEY* key, const std::string& id, const std::string& more = "") {
  const std::string end = R"(,"kid":")" + id + "\"" + more + "}";
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) {
    return R"({"kty":"RSA","n":")" + numberOfKey(key, OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
           numberOfKey(key, OSSL_PKEY_PARAM_RSA_E) + "\"" + end;
  }
  std::string point(65, '\0');
  std::size_t size = 0;
  EXPECT_EQ(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY,
                                            reinterpret_cast<unsigned char*>(point.data()),
                                            point.size(), &size),
            1);
  return R"({"kty":"EC","crv":"P-256","x":")" + encodeBase64Url(point.substr(1, 32)) +
         R"(","y":")" + encodeBase64Url(point.substr(33)) + "\"" + end;
}

std::string signatureOf(EVP_PKEY* key, const std::string& data) {
  const std::unique_ptr<EVP_MD_CTX, FreeOpenSsl> context(EVP_MD_CTX_new());
  EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key);
  std::size_t size = 1024;
  std::string signature(size, '\0');
  EXPECT_EQ(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                           reinterpret_cast<const unsigned char*>(data.data()), data.size()),
            1);
  signature.resize(size);
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) return signature;
  const auto* next = reinterpret_cast<const unsigned char*>(signature.data());
  const std::unique_ptr<ECDSA_SIG, FreeOpenSsl> parsed(
      d2i_ECDSA_SIG(nullptr, &next, static_cast<long>(size)));
  return paddedBytes(ECDSA_SIG_get0_r(parsed.get()), 32) +
         paddedBytes(ECDSA_SIG_get0_s(parsed.get()), 32);
}

class IdTokenTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    rsa_ = PrivateKey(EVP_RSA_gen(2048)).release();
    ec_ = PrivateKey(EVP_EC_gen("P-256")).release();
    other_ = PrivateKey(EVP_RSA_gen(2048)).release();
  }
  static void TearDownTestSuite() {
    for (EVP_PKEY* key : {rsa_, ec_, other_}) EVP_PKEY_free(key);
  }

  static std::string keySet() {
    return R"({"keys":[)" + jwkOf(rsa_, "r1") + "," + jwkOf(ec_, "e1") + "]}";
  }

  std::string token(const std::string& header, const std::string& claims, EVP_PKEY* key = rsa_) {
    const std::string text = encodeBase64Url(header) + "." + encodeBase64Url(claims);
    return text + "." + encodeBase64Url(signatureOf(key, text));
  }
  /// Returns valid claims with changed or additional members at the end, which win.
  static std::string claims(const std::string& more = "") {
    return R"({"iss":"https://id.example.com","aud":"spindle","sub":"42","exp":1700000600,)"
           R"("iat":1700000000,"nonce":"n-1","email":"ada@example.com","email_verified":true)" +
           more + "}";
  }

  /// Returns "ok", or the error and its reason.
  std::string outcome(const std::string& text, const std::string& keys = keySet()) {
    const Result<JwkSet> set = JwkSet::parse(keys);
    EXPECT_TRUE(set);
    const Result<IdClaims> result = verifyIdToken(text, *set, rules_);
    if (result) return "ok";
    EXPECT_EQ(result.error().code(), ErrorCode::kUnauthenticated);
    return result.error().message() + std::string(result.error().reason());
  }
  std::string withClaims(const std::string& more) { return outcome(token(rs256_, claims(more))); }

  static inline EVP_PKEY* rsa_ = nullptr;
  static inline EVP_PKEY* ec_ = nullptr;
  static inline EVP_PKEY* other_ = nullptr;
  const std::string rs256_ = R"({"alg":"RS256","kid":"r1"})";
  const std::string es256_ = R"({"alg":"ES256","kid":"e1"})";
  IdTokenRules rules_{.issuer = std::string(kIssuer),
                      .client_id = "spindle",
                      .nonce = "n-1",
                      .now = timestampOfMicros(1'700'000'100'000'000)};
};

TEST_F(IdTokenTest, AcceptsRs256AndEs256) {
  EXPECT_EQ(outcome(token(rs256_, claims())), "ok");
  EXPECT_EQ(outcome(token(es256_, claims(), ec_)), "ok");
  const Result<IdClaims> found =
      verifyIdToken(token(rs256_, claims(R"(,"name":"Ada L","preferred_username":"ada")")),
                    *JwkSet::parse(keySet()), rules_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->subject, "42");
  EXPECT_EQ(found->email, "ada@example.com");
  EXPECT_TRUE(found->email_verified);
  EXPECT_EQ(found->name, "Ada L");
  EXPECT_EQ(found->preferred_username, "ada");
}

TEST_F(IdTokenTest, RefusesOtherAlgorithms) {
  const std::string refused = "The ID token is not valid: its algorithm is not accepted";
  const std::string unsigned_text =
      encodeBase64Url(R"({"alg":"none"})") + "." + encodeBase64Url(claims()) + ".";
  EXPECT_EQ(outcome(unsigned_text), refused);
  for (const char* alg : {"none", "None", "HS256", "RS512", "PS256", "EdDSA", "rs256", ""}) {
    EXPECT_EQ(outcome(token(R"({"alg":")" + std::string(alg) + R"(","kid":"r1"})", claims())),
              refused);
  }
  EXPECT_EQ(outcome(token(R"({"kid":"r1"})", claims())), refused);
}

TEST_F(IdTokenTest, UsesAKeyForItsOwnAlgorithmOnly) {
  const std::string unknown = "The ID token is not valid: its key is unknownunknown_key";
  EXPECT_EQ(outcome(token(R"({"alg":"ES256","kid":"r1"})", claims(), ec_)), unknown);
  EXPECT_EQ(outcome(token(R"({"alg":"RS256","kid":"e1"})", claims())), unknown);
  EXPECT_EQ(outcome(token(R"({"alg":"RS256","kid":"r2"})", claims())), unknown);
}

TEST_F(IdTokenTest, NeedsAKeyIdUnlessTheKeyIsUnambiguous) {
  const std::string header = R"({"alg":"RS256"})";
  EXPECT_EQ(outcome(token(header, claims())), "ok");
  const std::string two = R"({"keys":[)" + jwkOf(rsa_, "r1") + "," + jwkOf(other_, "r2") + "]}";
  EXPECT_EQ(outcome(token(header, claims()), two),
            "The ID token is not valid: its key is unknownunknown_key");
  EXPECT_EQ(outcome(token(rs256_, claims()), two), "ok");
}

TEST_F(IdTokenTest, RefusesWrongSignatures) {
  const std::string wrong = "The ID token is not valid: its signature is wrong";
  EXPECT_EQ(outcome(token(rs256_, claims(), other_)), wrong);
  std::string changed = token(rs256_, claims());
  const std::size_t dot = changed.find('.');
  changed.replace(dot + 1, changed.rfind('.') - dot - 1, encodeBase64Url(claims(R"(,"sub":"1")")));
  EXPECT_EQ(outcome(changed), wrong);
  const std::string text = encodeBase64Url(es256_) + "." + encodeBase64Url(claims()) + ".";
  EXPECT_EQ(outcome(text), wrong);
  EXPECT_EQ(outcome(text + encodeBase64Url(std::string(64, '\0'))), wrong);
  EXPECT_EQ(outcome(text + encodeBase64Url(std::string(63, 'x'))), wrong);
}

TEST_F(IdTokenTest, RefusesWrongClaims) {
  EXPECT_NE(withClaims(R"(,"iss":"https://evil.example.com")"), "ok");
  EXPECT_NE(withClaims(R"(,"iss":"https://id.example.com/")"), "ok");
  EXPECT_NE(withClaims(R"(,"aud":"other")"), "ok");
  EXPECT_NE(withClaims(R"(,"aud":["spindle","other"])"), "ok");
  EXPECT_EQ(withClaims(R"(,"aud":["spindle","other"],"azp":"spindle")"), "ok");
  EXPECT_EQ(withClaims(R"(,"aud":["spindle"])"), "ok");
  EXPECT_NE(withClaims(R"(,"azp":"other")"), "ok");
  EXPECT_NE(withClaims(R"(,"aud":{"spindle":1})"), "ok");
  EXPECT_NE(withClaims(R"(,"exp":1700000039)"), "ok");
  EXPECT_EQ(withClaims(R"(,"exp":1700000041)"), "ok");
  EXPECT_NE(withClaims(R"(,"exp":"1900000000")"), "ok");
  EXPECT_NE(withClaims(R"(,"exp":1e400)"), "ok");
  EXPECT_NE(withClaims(R"(,"exp":null)"), "ok");
  EXPECT_NE(withClaims(R"(,"iat":1700000161)"), "ok");
  EXPECT_NE(withClaims(R"(,"iat":null)"), "ok");
  EXPECT_NE(withClaims(R"(,"nbf":1700000161)"), "ok");
  EXPECT_EQ(withClaims(R"(,"nbf":1700000160)"), "ok");
  EXPECT_NE(withClaims(R"(,"nonce":"n-2")"), "ok");
  EXPECT_NE(withClaims(R"(,"nonce":null)"), "ok");
  EXPECT_NE(withClaims(R"(,"sub":"")"), "ok");
  EXPECT_NE(withClaims(R"(,"sub":7)"), "ok");
  EXPECT_NE(withClaims(",\"sub\":\"" + std::string(256, 'x') + "\""), "ok");
  rules_.nonce = "";
  EXPECT_NE(withClaims(R"(,"nonce":"")"), "ok");
}

TEST_F(IdTokenTest, RefusesMalformedTokens) {
  const std::string good = token(rs256_, claims());
  for (const std::string& text :
       {std::string(), std::string("."), std::string(".."), std::string("a.b.c"), good + ".x",
        good + "=", "x" + good, std::string(20'000, 'a'), encodeBase64Url("[]") + ".e30.e30"}) {
    EXPECT_NE(outcome(text), "ok") << text.substr(0, 20);
  }
  EXPECT_NE(outcome(token(R"({"alg":"RS256","kid":"r1","crit":["x"]})", claims())), "ok");
  EXPECT_NE(outcome(token(R"({"alg":"RS256","kid":1})", claims())), "ok");
}

TEST_F(IdTokenTest, SkipsUnusableKeys) {
  const auto set = [](const std::string& jwk) { return "{\"keys\":[" + jwk + "]}"; };
  const std::string good = token(rs256_, claims());
  EXPECT_NE(outcome(good, set(jwkOf(rsa_, "r1", R"(,"use":"enc")"))), "ok");
  EXPECT_NE(outcome(good, set(jwkOf(rsa_, "r1", R"(,"alg":"RS512")"))), "ok");
  EXPECT_EQ(outcome(good, set(jwkOf(rsa_, "r1", R"(,"alg":"RS256","use":"sig")"))), "ok");
  EXPECT_NE(outcome(good, set(R"({"kty":"RSA","kid":"r1","n":"AQAB","e":"AQAB"})")), "ok");
  EXPECT_NE(outcome(good, set(R"({"kty":"EC","kid":"r1","crv":"P-256","x":"AA","y":"AA"})")), "ok");
  EXPECT_NE(outcome(good, set(R"({"kty":"oct","kid":"r1","k":"AAAA"})")), "ok");
  EXPECT_FALSE(JwkSet::parse("[]"));
  EXPECT_FALSE(JwkSet::parse("{}"));
  EXPECT_FALSE(JwkSet::parse(R"({"keys":[1]})"));
}

}  // namespace
}  // namespace spindle::identity
