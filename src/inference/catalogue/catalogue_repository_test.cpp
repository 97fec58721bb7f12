#include "inference/catalogue/catalogue_repository.h"

#include "identity/store/identity_for_test.h"
#include "inference/catalogue/migrations.h"

namespace spindle::inference {
namespace {

class Catalogue : public identity::IdentityTest {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema(), inferenceSchema()}, clock_.now());
  }

  /// Advances the clock by a second, so that ids are in order.
  void tick() { clock_.advance(std::chrono::seconds(1)); }

  static Upstream upstreamOf(const std::string& name) {
    Upstream upstream;
    upstream.name = name;
    upstream.url = "https://" + name + ".example.com/v1";
    return upstream;
  }
  static Model modelOf(const std::string& name) {
    Model model;
    model.name = name;
    model.file = "/models/" + name + ".gguf";
    return model;
  }
  Upstream upstream(const std::string& name, const std::string& key = "") {
    tick();
    Result<Upstream> made = catalogue_.insertUpstream(upstreamOf(name), Secret(key));
    EXPECT_TRUE(made) << name;
    return *std::move(made);
  }
  Model model(const Model& draft) {
    tick();
    Result<Model> made = catalogue_.insertModel(draft);
    EXPECT_TRUE(made) << draft.name;
    return *std::move(made);
  }
  template <class T>
  static std::string complaintOf(const Result<T>& result) {
    if (result || result.error().violations().empty()) return "";
    const Violation& violation = result.error().violations()[0];
    std::string text = violation.type;
    for (const LocStep& step : violation.loc) {
      const auto* name = std::get_if<std::string>(&step);
      text += " " + (name != nullptr ? *name : std::to_string(std::get<std::int64_t>(step)));
    }
    return text;
  }

  CatalogueRepository catalogue_{*database_, clock_, sha256("upstreams")};
};

TEST_P(Catalogue, StoresAllFieldsOfAnUpstream) {
  Upstream draft = upstreamOf("vllm");
  draft.timeouts = {std::chrono::milliseconds(1), std::chrono::milliseconds(2),
                    std::chrono::milliseconds(3)};
  draft.stream_usage = false;
  draft.health_path = "/health";
  draft.adapters = {.loading = AdapterLoading::kVllm,
                    .path = "/mnt/adapters",
                    .receiver = "http://vllm.example.com:8001/adapters",
                    .most = 3,
                    .load_ms = 4};
  ASSERT_TRUE(catalogue_.insertUpstream(draft, Secret("sk-123")));
  const Result<Upstream> found = catalogue_.findUpstream("vllm");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->id.starts_with("ups_"));
  EXPECT_EQ(found->url, "https://vllm.example.com/v1");
  EXPECT_EQ(found->timeouts, draft.timeouts);
  EXPECT_FALSE(found->stream_usage);
  EXPECT_EQ(found->health_path, "/health");
  EXPECT_EQ(found->adapters, draft.adapters);
  const Result<Upstream> changed = catalogue_.updateUpstream(
      "vllm", {.adapters = AdapterLoading::kNone, .adapter_path = "", .max_adapters = 9});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->adapters.loading, AdapterLoading::kNone);
  EXPECT_EQ(changed->adapters.path, "");
  EXPECT_EQ(changed->adapters.receiver, draft.adapters.receiver);
  EXPECT_EQ(changed->adapters.most, 9);
  EXPECT_TRUE(found->has_key);
  EXPECT_EQ(found->version, 1);
  EXPECT_EQ(found->created_at, clock_.now());
  EXPECT_EQ(catalogue_.keyOfUpstream("vllm")->reveal(), "sk-123");
  EXPECT_EQ(codeOf(catalogue_.findUpstream("other")), ErrorCode::kNotFound);
  EXPECT_EQ(reasonOf(catalogue_.insertUpstream(draft, Secret())), "upstream_name_taken");
}

TEST_P(Catalogue, StoresKeysEncrypted) {
  upstream("vllm", "sk-very-secret");
  const auto stored = database_->read([](storage::Session& session) {
    return session.queryOne("SELECT sealed FROM inference_upstreams");
  });
  ASSERT_TRUE(stored);
  const std::string sealed = (*stored)->text("sealed");
  EXPECT_EQ(sealed.find("secret"), std::string::npos);
  EXPECT_EQ(decodeBase64(sealed)->find("secret"), std::string::npos);
}

TEST_P(Catalogue, DecryptsNoKeyOfAnotherUpstreamOrServer) {
  upstream("one", "sk-1");
  upstream("two", "sk-2");
  ASSERT_TRUE(database_->write([](storage::Session& session) {
    return session.execute(
        "UPDATE inference_upstreams SET sealed = "
        "(SELECT sealed FROM inference_upstreams WHERE name = 'one') WHERE name = 'two'");
  }));
  EXPECT_EQ(catalogue_.keyOfUpstream("one")->reveal(), "sk-1");
  EXPECT_EQ(reasonOf(catalogue_.keyOfUpstream("two")), "upstream_key_unreadable");
  CatalogueRepository other(*database_, clock_, sha256("another"));
  EXPECT_EQ(reasonOf(other.keyOfUpstream("one")), "upstream_key_unreadable");
}

TEST_P(Catalogue, ChangesOnlyGivenMembersOfAnUpstream) {
  upstream("vllm", "sk-1");
  tick();
  Result<Upstream> changed = catalogue_.updateUpstream(
      "vllm", {.url = "http://10.0.0.1:8000/v1", .idle = std::chrono::seconds(9)}, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->url, "http://10.0.0.1:8000/v1");
  EXPECT_EQ(changed->timeouts.idle, std::chrono::seconds(9));
  EXPECT_EQ(changed->timeouts.connect, UpstreamTimeouts().connect);
  EXPECT_EQ(changed->version, 2);
  EXPECT_EQ(changed->updated_at, clock_.now());
  EXPECT_EQ(catalogue_.keyOfUpstream("vllm")->reveal(), "sk-1");
  EXPECT_EQ(codeOf(catalogue_.updateUpstream("vllm", {}, 1)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(catalogue_.updateUpstream("vllm", {.key = Secret("sk-2")}));
  EXPECT_EQ(catalogue_.keyOfUpstream("vllm")->reveal(), "sk-2");
  changed = catalogue_.updateUpstream("vllm", {.key = Secret()});
  ASSERT_TRUE(changed);
  EXPECT_FALSE(changed->has_key);
  EXPECT_TRUE(catalogue_.keyOfUpstream("vllm")->empty());
}

TEST_P(Catalogue, RemovesAnUpstreamInUseOnlyByForce) {
  upstream("vllm");
  Model both = modelOf("both");
  both.targets = {{.upstream = "vllm"}};
  model(both);
  Model only = modelOf("only");
  only.file.clear();
  only.targets = {{.upstream = "vllm"}};
  model(only);
  const Result<void> refused = catalogue_.removeUpstream("vllm", false);
  EXPECT_EQ(reasonOf(refused), "upstream_in_use");
  EXPECT_EQ(refused.error().message(), "Models use this upstream: both, only");
  EXPECT_EQ(codeOf(catalogue_.removeUpstream("vllm", true, 7)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(catalogue_.removeUpstream("vllm", true, 1));
  EXPECT_EQ(codeOf(catalogue_.removeUpstream("vllm", true)), ErrorCode::kNotFound);
  EXPECT_EQ(catalogue_.findModel("both")->targets, (std::vector<Target>{{}}));
  EXPECT_TRUE(catalogue_.findModel("only")->targets.empty());
  EXPECT_TRUE(catalogue_.updateModel("only", {.owned_by = "us"}));
  EXPECT_EQ(complaintOf(catalogue_.updateModel("only", {.targets = std::vector<Target>{}})),
            "value_error body targets");
}

TEST_P(Catalogue, ListsUpstreamsByPage) {
  upstream("one");
  upstream("two");
  upstream("three");
  const auto first = catalogue_.listUpstreams({2, ""});
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].name, "three");
  const auto second = catalogue_.listUpstreams({2, *first->next});
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].name, "one");
  EXPECT_FALSE(second->next);
}

TEST_P(Catalogue, StoresAllFieldsOfAModel) {
  const Upstream vllm = upstream("vllm");
  model(modelOf("small"));
  model(modelOf("tiny"));
  const identity::User lead = person("lead");
  const identity::Team acme = team("acme", lead);
  Model draft = modelOf("org/big");
  draft.context = 4096;
  draft.start_at_boot = true;
  draft.owned_by = "acme";
  draft.abilities = {Ability::kChat, Ability::kEmbeddings};
  draft.targets = {{.model = "big-fp8", .tier = 0, .upstream = "vllm"}, {.tier = 2}};
  draft.fallbacks = {"tiny", "small"};
  draft.teams = {acme.id};
  draft.max_output_tokens = 512;
  model(draft);
  const Result<Model> found = catalogue_.findModel("org/big");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->id.starts_with("mdl_"));
  EXPECT_EQ(found->file, draft.file);
  EXPECT_EQ(found->context, 4096);
  EXPECT_TRUE(found->start_at_boot);
  EXPECT_EQ(found->owned_by, "acme");
  EXPECT_EQ(found->abilities, draft.abilities);
  ASSERT_EQ(found->targets.size(), 2U);
  EXPECT_EQ(found->targets[0].upstream_id, vllm.id);
  EXPECT_EQ(found->targets[0].upstream, "vllm");
  EXPECT_EQ(found->targets[0].model, "big-fp8");
  EXPECT_EQ(found->targets[1].upstream_id, "");
  EXPECT_EQ(found->targets[1].tier, 2);
  EXPECT_EQ(found->fallbacks, draft.fallbacks);
  EXPECT_EQ(found->teams, draft.teams);
  EXPECT_EQ(found->max_output_tokens, 512);
  EXPECT_EQ(catalogue_.teamNames()->at(acme.id), "acme");
  EXPECT_EQ(reasonOf(catalogue_.insertModel(draft)), "model_name_taken");
  EXPECT_EQ(codeOf(catalogue_.findModel("big")), ErrorCode::kNotFound);
}

TEST_P(Catalogue, RejectsUnknownUpstreamsAndFallbacks) {
  Model draft = modelOf("m");
  draft.targets = {{}, {.upstream = "nowhere"}};
  EXPECT_EQ(complaintOf(catalogue_.insertModel(draft)),
            "unknown_reference body targets 1 upstream");
  draft = modelOf("m");
  draft.fallbacks = {"nothing"};
  EXPECT_EQ(complaintOf(catalogue_.insertModel(draft)), "unknown_reference body fallbacks 0");
  EXPECT_EQ(codeOf(catalogue_.findModel("m")), ErrorCode::kNotFound);
}

TEST_P(Catalogue, RejectsCircularFallbacks) {
  Model itself = modelOf("itself");
  itself.fallbacks = {"itself"};
  EXPECT_EQ(complaintOf(catalogue_.insertModel(itself)), "value_error body fallbacks 0");
  model(modelOf("c"));
  Model b = modelOf("b");
  b.fallbacks = {"c"};
  model(b);
  Model a = modelOf("a");
  a.fallbacks = {"c", "b"};
  model(a);
  const auto change = [](std::vector<std::string> fallbacks) {
    return ModelChange{.fallbacks = std::move(fallbacks)};
  };
  EXPECT_EQ(complaintOf(catalogue_.updateModel("c", change({"a"}))),
            "value_error body fallbacks 0");
  EXPECT_EQ(complaintOf(catalogue_.updateModel("b", change({"c", "a"}))),
            "value_error body fallbacks 1");
  EXPECT_TRUE(catalogue_.updateModel("a", change({"b"})));
  EXPECT_EQ(catalogue_.findModel("b")->fallbacks, (std::vector<std::string>{"c"}));
}

TEST_P(Catalogue, ChangesOnlyGivenMembersOfAModel) {
  upstream("vllm");
  Model draft = modelOf("m");
  draft.context = 100;
  model(draft);
  tick();
  Result<Model> changed =
      catalogue_.updateModel("m", {.targets = std::vector<Target>{{}, {.upstream = "vllm"}}}, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->targets.size(), 2U);
  EXPECT_EQ(changed->context, 100);
  EXPECT_EQ(changed->version, 2);
  EXPECT_EQ(changed->updated_at, clock_.now());
  EXPECT_EQ(codeOf(catalogue_.updateModel("m", {}, 1)), ErrorCode::kPreconditionFailed);
  changed = catalogue_.updateModel("m", {.file = ""});
  ASSERT_TRUE(changed);
  ASSERT_EQ(changed->targets.size(), 1U);
  EXPECT_EQ(changed->targets[0].upstream, "vllm");
  changed = catalogue_.updateModel("m", {.file = "/again.gguf"});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->targets.size(), 2U);
}

TEST_P(Catalogue, RemovesAFallbackModelOnlyByForce) {
  model(modelOf("spare"));
  Model draft = modelOf("main");
  draft.fallbacks = {"spare"};
  model(draft);
  const Result<void> refused = catalogue_.removeModel("spare", false);
  EXPECT_EQ(reasonOf(refused), "model_in_use");
  EXPECT_EQ(refused.error().message(), "Models fall back to this one: main");
  EXPECT_EQ(codeOf(catalogue_.removeModel("spare", true, 5)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(catalogue_.removeModel("spare", true));
  EXPECT_TRUE(catalogue_.findModel("main")->fallbacks.empty());
  EXPECT_TRUE(catalogue_.removeModel("main", false));
  EXPECT_EQ(codeOf(catalogue_.removeModel("main", false)), ErrorCode::kNotFound);
}

TEST_P(Catalogue, ListsTheModelsOfTeamsByPage) {
  const identity::User lead = person("lead");
  const identity::Team acme = team("acme", lead);
  const identity::Team other = team("other", lead);
  const auto only = [](const std::string& name, std::vector<std::string> teams) {
    Model draft = modelOf(name);
    draft.teams = std::move(teams);
    return draft;
  };
  model(modelOf("all"));
  model(only("acmes", {acme.id}));
  model(only("others", {other.id}));
  model(only("both", {acme.id, other.id}));
  const auto names = [&](const std::optional<std::vector<std::string>>& teams) {
    std::string text;
    std::string after;
    do {
      const auto page = catalogue_.listModels(teams, {1, after});
      for (const Model& item : page->items) text += item.name + " ";
      after = page->next.value_or("");
    } while (!after.empty());
    return text;
  };
  EXPECT_EQ(names(std::nullopt), "both others acmes all ");
  EXPECT_EQ(names(std::vector<std::string>{}), "all ");
  EXPECT_EQ(names(std::vector<std::string>{acme.id}), "both acmes all ");
  EXPECT_EQ(names(std::vector<std::string>{acme.id, other.id, "none"}), "both others acmes all ");
  ASSERT_TRUE(teams_.remove("other", true));
  EXPECT_EQ(names(std::vector<std::string>{acme.id}), "both acmes all ")
      << "a model of a removed team is available to no team, not to all teams";
}

TEST_P(Catalogue, IncrementsTheRevisionWithEveryChange) {
  std::int64_t last = *catalogue_.revision();
  const auto changed = [&] {
    const std::int64_t now = *catalogue_.revision();
    return std::exchange(last, now) < now;
  };
  upstream("vllm");
  EXPECT_TRUE(changed());
  ASSERT_TRUE(catalogue_.updateUpstream("vllm", {.stream_usage = false}));
  EXPECT_TRUE(changed());
  model(modelOf("m"));
  EXPECT_TRUE(changed());
  ASSERT_TRUE(catalogue_.updateModel("m", {.context = 5}));
  EXPECT_TRUE(changed());
  ASSERT_TRUE(catalogue_.removeModel("m", false));
  EXPECT_TRUE(changed());
  ASSERT_TRUE(catalogue_.removeUpstream("vllm", false));
  EXPECT_TRUE(changed());
  EXPECT_FALSE(catalogue_.removeUpstream("vllm", false));
  EXPECT_FALSE(changed());
}

TEST_P(Catalogue, IsCachedUntilRefresh) {
  CatalogueCache directory(catalogue_);
  EXPECT_EQ(directory.current()->revision, 0);
  ASSERT_TRUE(directory.refresh());
  EXPECT_TRUE(directory.current()->models.empty());
  const Upstream vllm = upstream("vllm", "sk-1");
  upstream("open");
  Model draft = modelOf("org/m");
  draft.targets = {{.upstream = "vllm"}};
  model(draft);
  const std::shared_ptr<const CatalogueSnapshot> before = directory.current();
  EXPECT_EQ(before->find("org/m"), nullptr);
  ASSERT_TRUE(directory.refresh());
  const std::shared_ptr<const CatalogueSnapshot> after = directory.current();
  EXPECT_EQ(before->find("org/m"), nullptr);
  ASSERT_NE(after->find("org/m"), nullptr);
  EXPECT_EQ(after->find("org/m")->targets.size(), 2U);
  ASSERT_EQ(after->upstreams.size(), 2U);
  EXPECT_EQ(after->upstreams.at(vllm.id)->key.reveal(), "sk-1");
  EXPECT_EQ(after->find("m"), nullptr);
  ASSERT_TRUE(directory.refresh());
  EXPECT_EQ(directory.current(), after) << "nothing has changed";
}

TEST_P(Catalogue, RefreshSeesChangesOfAnotherProcess) {
  CatalogueCache directory(catalogue_);
  ASSERT_TRUE(directory.refresh());
  const std::unique_ptr<storage::Database> elsewhere = database_.openAgain();
  CatalogueRepository other(*elsewhere, clock_, sha256("upstreams"));
  ASSERT_TRUE(other.insertModel(modelOf("m")));
  ASSERT_TRUE(directory.refresh());
  EXPECT_NE(directory.current()->find("m"), nullptr);
}

TEST_P(Catalogue, ARequestForAnUnknownModelSeesChangesOfAnotherProcess) {
  CatalogueCache directory(catalogue_);
  ASSERT_TRUE(directory.refresh());
  const std::unique_ptr<storage::Database> elsewhere = database_.openAgain();
  CatalogueRepository other(*elsewhere, clock_, sha256("upstreams"));
  ASSERT_TRUE(other.insertModel(modelOf("m")));
  EXPECT_EQ(directory.currentFor("n")->find("n"), nullptr);
  EXPECT_NE(directory.currentFor("m")->find("m"), nullptr);
  EXPECT_NE(directory.current()->find("m"), nullptr);
}

TEST_P(Catalogue, LoadsWhenAKeyCannotBeDecrypted) {
  const Upstream vllm = upstream("vllm", "sk-1");
  CatalogueRepository other(*database_, clock_, sha256("another"));
  setLogSinkForTest([](std::string_view) {});
  const Result<CatalogueSnapshot> loaded = other.load();
  setLogSinkForTest({});
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->upstreams.at(vllm.id)->key.empty());
  EXPECT_TRUE(loaded->upstreams.at(vllm.id)->upstream.has_key);
}

SPINDLE_ON_BOTH_ENGINES(Catalogue);

}  // namespace
}  // namespace spindle::inference
