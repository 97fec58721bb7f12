#include "registry/repositories/registry_repository.h"

#include "registry/repositories/registry_access.h"
#include "registry/repositories/registry_for_test.h"

namespace spindle::registry {
namespace {

using identity::Action, identity::RegistryRole, identity::TeamRole;
using Kind = RegistryMember::Kind;

class Registries : public RegistryContract {
 protected:
  Registry made(const std::string& name,
                RegistryVisibility visibility = RegistryVisibility::kOrganization,
                const Names& types = {}) {
    Result<Registry> registry = registries_.insert(actor_, {name, visibility, "text", types});
    EXPECT_TRUE(registry) << name;
    return registry ? *std::move(registry) : Registry();
  }
  /// Returns `-` for a user who cannot see the registry.
  std::string roleOf(const identity::User& user, const std::string& registry) {
    const Result<VisibleRegistry> entry = access_.find(user.id, registry);
    if (!entry) return entry.error().code() == ErrorCode::kNotFound ? "-" : "?";
    for (const RegistryRole role : {RegistryRole::kAdmin, RegistryRole::kMember,
                                    RegistryRole::kViewer, RegistryRole::kRestrictedViewer}) {
      if (entry->roles.intersects(identity::rolesOf(role))) return std::string(textOf(role));
    }
    return "none";
  }
  Names visibleTo(const identity::User& user) {
    const Result<identity::Page<Registry>> page = registries_.list(user.id, {});
    EXPECT_TRUE(page);
    Names names;
    for (const Registry& registry : page->items) names.push_back(registry.name);
    std::sort(names.begin(), names.end());
    return names;
  }

  RegistryAccess access_{registries_};
};

TEST_P(Registries, StoreTheirMetadata) {
  const Registry all = made("all");
  EXPECT_TRUE(all.id.starts_with("reg_"));
  EXPECT_TRUE(all.all_types);
  EXPECT_EQ(all.description, "text");
  EXPECT_EQ(all.created_by, "anna");
  const Registry some = made("some", RegistryVisibility::kRestricted, {"model", "dataset"});
  EXPECT_FALSE(some.all_types);
  EXPECT_EQ(some.types, (Names{"dataset", "model"}));
  EXPECT_EQ(some.visibility, RegistryVisibility::kRestricted);
  const Result<Registry> again =
      registries_.insert(actor_, {"all", RegistryVisibility::kOrganization, "", {}});
  EXPECT_EQ(reasonOf(again), "registry_name_taken");
}

TEST_P(Registries, GrantTheHighestRole) {
  const identity::User stranger = person("stranger");
  const identity::User admin = person("root", true);
  const identity::User both = person("both");
  join(team_, both, TeamRole::kViewer);
  made("open");
  made("closed", RegistryVisibility::kRestricted);
  const std::string open = access_.find(user_.id, "open")->registry.id;
  const std::string closed = access_.find(user_.id, "closed")->registry.id;
  EXPECT_EQ(roleOf(user_, "open"), "ADMIN");
  EXPECT_EQ(roleOf(user_, "closed"), "ADMIN");
  EXPECT_EQ(roleOf(stranger, "open"), "RESTRICTED_VIEWER");
  EXPECT_EQ(roleOf(stranger, "closed"), "-");
  EXPECT_EQ(roleOf(admin, "open"), "ADMIN");
  EXPECT_EQ(roleOf(admin, "closed"), "-");
  EXPECT_EQ(roleOf(stranger, "none"), "-");

  ASSERT_TRUE(registries_.putMember(open, Kind::kUser, "BOTH", RegistryRole::kViewer));
  EXPECT_EQ(roleOf(both, "open"), "VIEWER");
  ASSERT_TRUE(registries_.putMember(open, Kind::kTeam, "team", RegistryRole::kMember));
  EXPECT_EQ(roleOf(both, "open"), "MEMBER");
  ASSERT_TRUE(registries_.putMember(closed, Kind::kTeam, "team", {}));
  EXPECT_EQ(roleOf(both, "closed"), "RESTRICTED_VIEWER");
  EXPECT_EQ(visibleTo(both), (Names{"closed", "open"}));
  EXPECT_EQ(visibleTo(stranger), Names{"open"});
  EXPECT_EQ(visibleTo(admin), Names{"open"});
  ASSERT_TRUE(registries_.removeMember(closed, Kind::kTeam, "team"));
  EXPECT_EQ(roleOf(both, "closed"), "-");
  EXPECT_EQ(codeOf(registries_.removeMember(closed, Kind::kTeam, "team")), ErrorCode::kNotFound);
}

TEST_P(Registries, KeepServiceAccountsBelowAdmin) {
  const identity::User robot = serviceAccount(team_, "robot").account;
  made("open");
  made("closed", RegistryVisibility::kRestricted);
  EXPECT_EQ(roleOf(robot, "open"), "MEMBER");
  EXPECT_EQ(roleOf(robot, "closed"), "-");
  const std::string closed = access_.find(user_.id, "closed")->registry.id;
  ASSERT_TRUE(registries_.putMember(closed, Kind::kTeam, "team", RegistryRole::kAdmin));
  EXPECT_EQ(roleOf(robot, "closed"), "MEMBER");
}

TEST_P(Registries, GrantTheDefaultRole) {
  person("plain");
  person("root", true);
  const identity::User robot = serviceAccount(team_, "robot").account;
  const Registry registry = made("open");
  EXPECT_EQ(registries_.putMember(registry.id, Kind::kUser, "plain", {})->role,
            RegistryRole::kRestrictedViewer);
  EXPECT_EQ(registries_.putMember(registry.id, Kind::kTeam, "team", {})->role,
            RegistryRole::kRestrictedViewer);
  EXPECT_EQ(registries_.putMember(registry.id, Kind::kUser, "root", {})->role,
            RegistryRole::kAdmin);
  EXPECT_EQ(registries_.putMember(registry.id, Kind::kUser, robot.username, {})->role,
            RegistryRole::kMember);
  EXPECT_EQ(codeOf(registries_.putMember(registry.id, Kind::kUser, "nobody", {})),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(registries_.putMember(registry.id, Kind::kTeam, "nobody", {})),
            ErrorCode::kNotFound);
  const Result<identity::Page<RegistryMember>> first =
      registries_.members(registry.id, {.limit = 3, .after = ""});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->items.size(), 3U);
  ASSERT_TRUE(first->next);
  const Result<identity::Page<RegistryMember>> rest =
      registries_.members(registry.id, {.limit = 3, .after = *first->next});
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->items.size(), 2U);
}

TEST_P(Registries, KeepAnAdminWhenRestricted) {
  const Registry closed = made("closed", RegistryVisibility::kRestricted);
  EXPECT_EQ(reasonOf(registries_.removeMember(closed.id, Kind::kUser, "anna")), "last_admin");
  EXPECT_EQ(reasonOf(registries_.putMember(closed.id, Kind::kUser, "anna", RegistryRole::kMember)),
            "last_admin");
  EXPECT_EQ(roleOf(user_, "closed"), "ADMIN");
  ASSERT_TRUE(registries_.putMember(closed.id, Kind::kTeam, "team", RegistryRole::kAdmin));
  ASSERT_TRUE(registries_.removeMember(closed.id, Kind::kUser, "anna"));
  const Registry open = made("open");
  ASSERT_TRUE(registries_.removeMember(open.id, Kind::kUser, "anna"));
}

TEST_P(Registries, RestrictingMakesTheActorAdmin) {
  const identity::User admin = person("root", true);
  const Registry open = made("open");
  RegistryChange close;
  close.visibility = RegistryVisibility::kRestricted;
  ASSERT_TRUE(registries_.update(open.id, {admin.id, admin.username}, close));
  EXPECT_EQ(roleOf(admin, "open"), "ADMIN");
}

TEST_P(Registries, AreCreatedByMembersOfATeamOrRegistry) {
  const identity::User nobody = person("nobody");
  const identity::User viewer = person("viewer");
  const identity::User member = person("member");
  join(team_, viewer, TeamRole::kViewer);
  join(team_, member, TeamRole::kMember);
  EXPECT_FALSE(*registries_.mayCreate(nobody.id));
  EXPECT_FALSE(*registries_.mayCreate(viewer.id));
  EXPECT_TRUE(*registries_.mayCreate(member.id));
  EXPECT_TRUE(*registries_.mayCreate(user_.id));
  EXPECT_TRUE(*registries_.mayCreate(person("root", true).id));
  const Registry registry = made("open");
  ASSERT_TRUE(registries_.putMember(registry.id, Kind::kUser, "nobody", RegistryRole::kViewer));
  EXPECT_FALSE(*registries_.mayCreate(nobody.id));
  ASSERT_TRUE(registries_.putMember(registry.id, Kind::kUser, "nobody", RegistryRole::kMember));
  EXPECT_TRUE(*registries_.mayCreate(nobody.id));
}

TEST_P(Registries, AreRemovedByCreatorOrAdminOfAnAdminTeam) {
  const identity::User other = person("other");
  const identity::User leader = person("leader");
  join(team_, leader, TeamRole::kAdmin);
  const Registry registry = made("open");
  ASSERT_TRUE(registries_.putMember(registry.id, Kind::kUser, "other", RegistryRole::kAdmin));
  EXPECT_EQ(codeOf(access_.require(other.id, "open", Action::kDeleteRegistry)),
            ErrorCode::kPermissionDenied);
  EXPECT_TRUE(access_.require(user_.id, "open", Action::kDeleteRegistry));
  ASSERT_TRUE(registries_.putMember(registry.id, Kind::kTeam, "team", RegistryRole::kMember));
  EXPECT_EQ(codeOf(access_.require(leader.id, "open", Action::kDeleteRegistry)),
            ErrorCode::kPermissionDenied);
  ASSERT_TRUE(registries_.putMember(registry.id, Kind::kTeam, "team", RegistryRole::kAdmin));
  EXPECT_TRUE(access_.require(leader.id, "open", Action::kDeleteRegistry));
}

TEST_P(Registries, ChangeAndCountTheirChanges) {
  const Registry registry = made("old");
  made("taken");
  RegistryChange change;
  change.name = "new";
  change.description = "other";
  const Result<Registry> changed =
      registries_.update(registry.id, actor_, change, registry.revision);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->name, "new");
  EXPECT_EQ(changed->description, "other");
  EXPECT_EQ(codeOf(registries_.update(registry.id, actor_, change, registry.revision)),
            ErrorCode::kPreconditionFailed);
  change.name = "taken";
  EXPECT_EQ(reasonOf(registries_.update(registry.id, actor_, change)), "registry_name_taken");
}

TEST_P(Registries, OnlyAddTypes) {
  const Place all = registry("all");
  linked(all, "things", committed("a").id);
  RegistryChange add;
  add.add_types = {"model"};
  const Result<Registry> closed = registries_.update(all.registry_id, actor_, add);
  ASSERT_TRUE(closed);
  EXPECT_FALSE(closed->all_types);
  EXPECT_EQ(closed->types, (Names{"dataset", "model"}));
  const Result<Registry> again = registries_.update(all.registry_id, actor_, add);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->types, (Names{"dataset", "model"}));
}

TEST_P(Registries, RemovalDeletesLinksAndKeepsVersions) {
  const Version version = committed("a");
  const Place place = registry("gone");
  linked(place, "things", version.id, {"prod"});
  ASSERT_TRUE(registries_.protect(place.registry_id, "prod"));
  raised();
  EXPECT_EQ(codeOf(registries_.remove(place.registry_id, 99)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(registries_.remove(place.registry_id));
  EXPECT_EQ(codeOf(registries_.remove(place.registry_id)), ErrorCode::kNotFound);
  EXPECT_EQ(roleOf(user_, "gone"), "-");
  EXPECT_EQ(raised(), Names{});
  EXPECT_EQ(found(byId(version.id)).state, VersionState::kCommitted);
  ASSERT_TRUE(versions_.remove(place_.project_id, "data", byId(version.id), true));
  made("gone");
}

TEST_P(Registries, ListProtectedAliases) {
  const Registry registry = made("open");
  ASSERT_TRUE(registries_.protect(registry.id, "prod"));
  ASSERT_TRUE(registries_.protect(registry.id, "best"));
  ASSERT_TRUE(registries_.protect(registry.id, "prod"));
  EXPECT_EQ(*registries_.protectedAliases(registry.id), (Names{"best", "prod"}));
  ASSERT_TRUE(registries_.unprotect(registry.id, "prod"));
  EXPECT_EQ(codeOf(registries_.unprotect(registry.id, "prod")), ErrorCode::kNotFound);
  EXPECT_EQ(*registries_.protectedAliases(registry.id), Names{"best"});
}

SPINDLE_ON_BOTH_ENGINES(Registries);

}  // namespace
}  // namespace spindle::registry
