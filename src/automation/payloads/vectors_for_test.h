#pragma once

#include <string>
#include <utility>
#include <vector>

namespace spindle::automation {

using VariableList = std::vector<std::pair<std::string, std::string>>;

/// A test vector of the specification: a template, its values and the resulting request.
struct RenderVector {
  std::string id;
  std::string text;
  VariableList variables = {};
  std::string metadata = {};
  std::string access_token = "tok_example_123";  ///< empty: none
  std::string secret_name = "DEPLOY_KEY";        ///< empty: none
  std::string secret = "s3cr3t-deploy-key";
  std::string body = {};
  std::string signature = {};  ///< X-Svc-Signature; empty: the header is absent
  std::string delivery_id = {};
  long timestamp = 0;
  std::string standard_signature = {};  ///< Webhook-Signature
};

inline VariableList registryEvent(const std::string& type) {
  return {{"project_name", "svc-registry-models"},
          {"entity_name", "acme"},
          {"event_type", type},
          {"event_author", "alice"},
          {"artifact_collection_name", "churn-model"},
          {"artifact_version", "svc-artifact://_id/QXJ0aWZhY3Q6NTE3ODg5ODg3"},
          {"artifact_version_string", "acme/svc-registry-models/churn-model:v3"},
          {"artifact_version_index", "3"},
          {"registry_name", "models"}};
}

/// Returns the variables of an event in the project acme-ml/churn: `own`, and those of all events.
inline VariableList projectEvent(const std::string& type,
                                 const std::string& author,
                                 VariableList own) {
  own.insert(own.end(), {{"project_name", "churn"},
                         {"entity_name", "acme-ml"},
                         {"event_type", type},
                         {"event_author", author}});
  return own;
}

/// `version` is an alias of the version, such as `v7`.
inline VariableList artifactEvent(const std::string& type,
                                  const std::string& version,
                                  VariableList own = {}) {
  own.insert(own.end(), {{"artifact_collection_name", "churn-xgb"},
                         {"artifact_version", "svc-artifact://_id/QXJ0aWZhY3Q6NTE3ODg5ODg3"},
                         {"artifact_version_string", "acme-ml/churn/churn-xgb:" + version},
                         {"artifact_version_index", "7"}});
  return projectEvent(type, "bob", std::move(own));
}

inline VariableList aliasEvent(const std::string& alias = "production") {
  return artifactEvent("ADD_ARTIFACT_ALIAS", "production", {{"alias", alias}});
}

inline VariableList runEvent(const std::string& type,
                             const std::string& state,
                             VariableList own = {}) {
  own.insert(own.end(),
             {{"run_id", "9mxi1arc"}, {"run_name", "glowing-shadows-8"}, {"run_state", state}});
  return projectEvent(type, "carol", std::move(own));
}

inline std::vector<RenderVector> renderVectors() {
  return {
      {.id = "E01",
       .text = R"({"event_type":"BUILD_AND_DEPLOY",)"
               R"("client_payload":{"event_author":"${event_author}",)"
               R"("artifact_version":"${artifact_version}",)"
               R"("artifact_version_string":"${artifact_version_string}",)"
               R"("artifact_collection_name":"${artifact_collection_name}",)"
               R"("project_name":"${project_name}","entity_name":"${entity_name}"}})",
       .variables = registryEvent("LINK_ARTIFACT"),
       .body = R"({"event_type":"BUILD_AND_DEPLOY","client_payload":{"event_author":"alice",)"
               R"("artifact_version":"svc-artifact://_id/QXJ0aWZhY3Q6NTE3ODg5ODg3",)"
               R"("artifact_version_string":"acme/svc-registry-models/churn-model:v3",)"
               R"("artifact_collection_name":"churn-model","project_name":"svc-registry-models",)"
               R"("entity_name":"acme"}})",
       .signature = "7bf99b6e1d331a733feea30af931bdedc63f23ff879fc0979499d07fba92bdfe",
       .delivery_id = "dlv_00000000000000000000000001",
       .timestamp = 1760000000,
       .standard_signature = "v1,HGoQGZEapLRQla/B3Zz//RLFiuxw+YabqflykS71oFU="},
      {.id = "E02",
       .text = "{\n  \"text\": \"Registry event: ${event_type}\",\n  \"who\":  "
               "\"${event_author}\"\n}\n",
       .variables = registryEvent("LINK_ARTIFACT"),
       .access_token = "",
       .body = "{\n  \"text\": \"Registry event: LINK_ARTIFACT\",\n  \"who\":  \"alice\"\n}\n",
       .signature = "059440d226cb33f506434d6b94655698b71058f6768d0c19c9763e023a307148",
       .delivery_id = "dlv_00000000000000000000000002",
       .timestamp = 1760000001,
       .standard_signature = "v1,T7KfhV8hfdVphaTRDiHUoE72x3+J1ujRHfqfwVt724o="},
      {.id = "E03",
       .text = R"({"acc":${artifact_metadata.accuracy},"lr":${artifact_metadata.lr},)"
               R"("ok":${artifact_metadata.ok},"none":${artifact_metadata.none},)"
               R"("miss":${artifact_metadata.absent},"tags":${artifact_metadata.labels},)"
               R"("cfg":${artifact_metadata.cfg},"v":${artifact_version_string}})",
       .variables = aliasEvent(),
       .metadata = R"({"accuracy":0.930,"lr":1e-4,"ok":true,"none":null,"labels":["a","b"],)"
                   R"("cfg":{"depth":6,"eta":0.1}})",
       .body = R"({"acc":0.930,"lr":1e-4,"ok":true,"none":null,"miss":null,"tags":["a","b"],)"
               R"("cfg":{"depth":6,"eta":0.1},"v":"acme-ml/churn/churn-xgb:production"})",
       .signature = "550d0bedc282a47c0b9018f6b0e8a3283eb3e1b0957dcf9f9ddb8de44991365a",
       .delivery_id = "dlv_00000000000000000000000003",
       .timestamp = 1760000002,
       .standard_signature = "v1,bNT17lP2WoZ/Cpejsy1QZctavDMFTF+XvYa6VecrbV4="},
      {.id = "E04",
       .text = R"({"acc":"${artifact_metadata.accuracy}","ok":"${artifact_metadata.ok}",)"
               R"("none":"[${artifact_metadata.none}]","miss":"[${artifact_metadata.absent}]",)"
               R"("cfg":"${artifact_metadata.cfg}"})",
       .variables = aliasEvent(),
       .metadata = R"({"accuracy":0.930,"ok":true,"none":null,"cfg":{"depth":6,"eta":0.1}})",
       .body = R"({"acc":"0.930","ok":"true","none":"[]","miss":"[]","cfg":"{\"depth\":6,)"
               R"(\"eta\":0.1}"})",
       .signature = "720291dd36e8ed3c81c1b9a3bc4728a10d4034096cc5a2db09cb78419a53074d",
       .delivery_id = "dlv_00000000000000000000000004",
       .timestamp = 1760000003,
       .standard_signature = "v1,3vb/NHM/r1U9ckGnlKAEaon3TN+e6gNXz7mmUnK3flQ="},
      {.id = "E05",
       .text = R"({"note":"${artifact_metadata.note}"})",
       .variables = aliasEvent(),
       .metadata =
           R"({"note":"He said \"hi\" C:\\tmp\nline2\tend \u0001 caf\u00e9 \ud83d\ude80 a/b"})",
       .body = R"({"note":"He said \"hi\" C:\\tmp\nline2\tend \u0001 café 🚀 a/b"})",
       .signature = "bbf8c7577dfc4283408052f50b443d53920880ae3bcd7ec4dc1fe5017efa5870",
       .delivery_id = "dlv_00000000000000000000000005",
       .timestamp = 1760000004,
       .standard_signature = "v1,cTKXP/1ZSCwC1keYbw1tEgX469YU0fZ2pxjjKSQz/7o="},
      {.id = "E06",
       .text = R"({"token":"${ACCESS_TOKEN}","k1":"${DEPLOY_KEY}","k2":"$DEPLOY_KEY",)"
               R"("other":"${OTHER_SECRET}","env":"$HOME","lit":"$${alias}","price":"$5"})",
       .variables = aliasEvent(),
       .body = R"({"token":"tok_example_123","k1":"s3cr3t-deploy-key","k2":"s3cr3t-deploy-key",)"
               R"("other":"${OTHER_SECRET}","env":"$HOME","lit":"${alias}","price":"$5"})",
       .signature = "b0132a4c1e68408bfc9831ad80cb3e9d9fe97e92da1e244e5e77af161790e43d",
       .delivery_id = "dlv_00000000000000000000000006",
       .timestamp = 1760000005,
       .standard_signature = "v1,XUNGkGbaBQeplIzMfDbv/0vBKrVE4qSYWC4tif1S0fY="},
      {.id = "E07",
       .text = R"({"m":"${artifact_metadata.evil}","a":"${alias}"})",
       .variables = aliasEvent(R"(x"},"pwn)"),
       .metadata = R"({"evil":"${ACCESS_TOKEN} $DEPLOY_KEY"})",
       .body = R"({"m":"${ACCESS_TOKEN} $DEPLOY_KEY","a":"x\"},\"pwn"})",
       .signature = "bb08b8cdb384256edde7b18b148de1364a82291a3dce117688b65d8fc80349df",
       .delivery_id = "dlv_00000000000000000000000007",
       .timestamp = 1760000006,
       .standard_signature = "v1,kL6i2Mp1DzQa5jh741PPI3GKEY1raVdfvWoh9fWfrUY="},
      {.id = "E08",
       .text = R"({"alias":"${alias}","tag":"${tag}","alias_bare":${alias},)"
               R"("event":"${event_type}"})",
       .variables = artifactEvent("CREATE_ARTIFACT", "v7"),
       .body = R"({"alias":"","tag":"","alias_bare":null,"event":"CREATE_ARTIFACT"})",
       .signature = "1c8cd50f5c8ebe98ba9b09bd427ba058fb79b7be3e97cc0c1cee21f97504bb7d",
       .delivery_id = "dlv_00000000000000000000000008",
       .timestamp = 1760000007,
       .standard_signature = "v1,EACLSiu2xcXCtxIN64hI8gof+TOhHb7qmsmM9bfn8Fw="},
      {.id = "E09",
       .text = R"({"${tag}":"${entity_name}/${project_name}","event":"${event_type}"})",
       .variables = artifactEvent("ADD_ARTIFACT_TAG", "v7", {{"tag", "europe west"}}),
       .access_token = "",
       .body = R"({"europe west":"acme-ml/churn","event":"ADD_ARTIFACT_TAG"})",
       .signature = "8a683ec7da3bc01e480d50421b23553d50572540e4e30e9c700d260e2eaf1231",
       .delivery_id = "dlv_00000000000000000000000009",
       .timestamp = 1760000008,
       .standard_signature = "v1,7tiGVcoybag4YMJ2y0okewzZT/8Qt9+ZkQsUSn/EMvQ="},
      {.id = "E10",
       .text = R"({"run":"${run_name}","id":"${run_id}","metric":"${metric_name}",)"
               R"("value":${metric_value},"limit":${metric_threshold},)"
               R"("artifact":"${artifact_version_string}","type":"${event_type}"})",
       .variables = runEvent("RUN_METRIC_THRESHOLD", "RUNNING",
                             {{"metric_name", "val.loss"},
                              {"metric_value", "0.4333333333333333"},
                              {"metric_threshold", "0.5"}}),
       .body = R"({"run":"glowing-shadows-8","id":"9mxi1arc","metric":"val.loss",)"
               R"("value":0.4333333333333333,"limit":0.5,"artifact":"",)"
               R"("type":"RUN_METRIC_THRESHOLD"})",
       .signature = "1fb4a2ec291117f329d93ab23103ef107fec86e4e80a15fb7b134a9980bdfe1f",
       .delivery_id = "dlv_00000000000000000000000010",
       .timestamp = 1760000009,
       .standard_signature = "v1,7u982ZHMPUp2PFlrrTpGXXThdN1QAWduDhsMrLyqehE="},
      {.id = "E11",
       .text = R"({"event_type":"${event_type}","event_author":"${event_author}",)"
               R"("entity_name":"${entity_name}","project_name":"${project_name}",)"
               R"("artifact_collection_name":"${artifact_collection_name}",)"
               R"("artifact_version":"${artifact_version}",)"
               R"("artifact_version_string":"${artifact_version_string}","alias":"${alias}",)"
               R"("tag":"${tag}","run_id":"${run_id}","run_name":"${run_name}",)"
               R"("run_state":"${run_state}","metric_name":"${metric_name}",)"
               R"("metric_value":${metric_value}})",
       .variables = runEvent("RUN_STATE", "FAILED"),
       .access_token = "",
       .body = R"({"event_type":"RUN_STATE","event_author":"carol","entity_name":"acme-ml",)"
               R"("project_name":"churn","artifact_collection_name":"","artifact_version":"",)"
               R"("artifact_version_string":"","alias":"","tag":"","run_id":"9mxi1arc",)"
               R"("run_name":"glowing-shadows-8","run_state":"FAILED","metric_name":"",)"
               R"("metric_value":null})",
       .signature = "1f0a3d7efe62fa99d280956ecbc6975252b8173ca285f4cd2cefc28cff1e6e91",
       .delivery_id = "dlv_00000000000000000000000011",
       .timestamp = 1760000010,
       .standard_signature = "v1,5jHZoZpXkomy+S19DnUpMLUsI8sEXO6jg7xV6V2/ZTw="},
      {.id = "E12",
       .text = "{}",
       .body = "{}",
       .signature = "d82ec35b635c2ad6cee516ec98d6ec2ac33f8b5b88c388f20000239124be45d3",
       .delivery_id = "dlv_00000000000000000000000012",
       .timestamp = 1760000011,
       .standard_signature = "v1,dKB+o1pTW1ddP0PitDu+t0wCEnH/qlH4BiOAdeTGPVE="},
      {.id = "E13",
       .text = R"({"e":"${event_type}","k":"${DEPLOY_KEY}"})",
       .variables = aliasEvent(),
       .secret_name = "",
       .secret = "",
       .body = R"({"e":"ADD_ARTIFACT_ALIAS","k":"${DEPLOY_KEY}"})"},
      {.id = "E14",
       .text = R"({"a":"${artifact_metadata.train.acc}","b":"${artifact_metadata.my key}",)"
               R"("c":"${artifact_metadata.cfg.depth}"})",
       .variables = aliasEvent(),
       .metadata = R"({"train.acc":0.9,"my key":"v","cfg":{"depth":6}})",
       .body = R"({"a":"0.9","b":"v","c":""})",
       .signature = "8c28486c34c0faddd699179fbcb1f7f642c703950ca4c598d44b41399b114f0a",
       .delivery_id = "dlv_00000000000000000000000014",
       .timestamp = 1760000013,
       .standard_signature = "v1,H0lKGg8VlywMerV10bEDx42ObCfnqpOZ16AYsQcbDnc="},
      {.id = "E15",
       .text = R"(["Grüße","${event_author}",${artifact_version_index}])",
       .variables = aliasEvent(),
       .access_token = "",
       .body = R"(["Grüße","bob",7])",
       .signature = "e5e09cb6803a9df810fb00da9a4197e7d3e3b6294114f0f543ab16f0c409737a",
       .delivery_id = "dlv_00000000000000000000000015",
       .timestamp = 1760000014,
       .standard_signature = "v1,7T2y71nkuyDDrFQXap4k0x91EjzGF323SxPkEjqNMus="},
      {.id = "E16",
       .text = R"({"path":"C:\\models\\${artifact_collection_name}","q":"\"${event_type}\""})",
       .variables = registryEvent("UNLINK_ARTIFACT"),
       .body = R"({"path":"C:\\models\\churn-model","q":"\"UNLINK_ARTIFACT\""})",
       .signature = "7ec4def674b963826d7c1d15ff9595198fb11ed3cb46e78c2b9d591885312675",
       .delivery_id = "dlv_00000000000000000000000016",
       .timestamp = 1760000015,
       .standard_signature = "v1,35lksUDQFFiKrFv5R3MEU7i+KaSnIefBcDwdnYzdcZU="},
  };
}

}  // namespace spindle::automation
