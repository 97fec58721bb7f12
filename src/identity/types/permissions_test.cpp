#include "identity/types/permissions.h"

#include <array>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::identity {
namespace {

/// The permission table of the specification, row by row (x: allowed, o: own objects only). A row
/// with "x (org)" and "x (team)" appears once for each. In "delete registry", an o stands for the
/// note that a registry admin deletes only registries that it created.
struct TableRow {
  Action action;
  std::string_view cells;
};
// clang-format off
constexpr std::array kTable = {
    //                                                        OA TA TM TV PA RA RM RV RR
    TableRow{Action::kCreateTeam,                         "x |  |  |  |  |  |  |  |  "},
    TableRow{Action::kManageMembers,                      "x |x |  |  |  |  |  |  |  "},
    TableRow{Action::kListMembers,                        "x |x |x |x |  |  |  |  |  "},
    TableRow{Action::kManageSecrets,                      "  |x |  |  |  |  |  |  |  "},
    TableRow{Action::kListSecrets,                        "  |x |x |  |  |  |  |  |  "},
    TableRow{Action::kManageWebhooks,                     "  |x |  |  |  |  |  |  |  "},
    TableRow{Action::kListWebhooks,                       "  |x |x |  |  |  |  |  |  "},
    TableRow{Action::kManageChatIntegration,              "  |x |  |  |  |  |  |  |  "},
    TableRow{Action::kManageOrganizationAutomation,       "x |  |  |  |  |  |  |  |  "},
    TableRow{Action::kManageTeamAutomation,               "  |x |  |  |  |  |  |  |  "},
    TableRow{Action::kManageProjectAutomation,            "  |x |  |  |x |  |  |  |  "},
    TableRow{Action::kManageRegistryAutomation,           "x |  |  |  |  |x |  |  |  "},
    TableRow{Action::kManageRegistryCollectionAutomation, "x |  |  |  |  |x |x |  |  "},
    TableRow{Action::kViewAutomations,                    "x |x |x |  |x |x |x |  |  "},
    TableRow{Action::kReplayOrganizationDelivery,         "x |  |  |  |  |  |  |  |  "},
    TableRow{Action::kReplayDelivery,                     "  |x |  |  |x |x |  |  |  "},
    TableRow{Action::kWriteProject,                       "  |x |x |  |x |  |  |  |  "},
    TableRow{Action::kReadProject,                        "  |x |x |x |x |  |  |  |  "},
    TableRow{Action::kDeleteRun,                          "  |x |o |  |x |  |  |  |  "},
    TableRow{Action::kManageProject,                      "  |x |  |  |x |  |  |  |  "},
    TableRow{Action::kCreateRegistry,                     "x |x |x |  |  |x |x |  |  "},
    TableRow{Action::kRenameRegistry,                     "x |  |  |  |  |x |x |  |  "},
    TableRow{Action::kManageRegistry,                     "x |  |  |  |  |x |  |  |  "},
    TableRow{Action::kDeleteRegistry,                     "x |x |  |  |  |o |  |  |  "},
    TableRow{Action::kManageRegistryCollection,           "x |  |  |  |  |x |x |  |  "},
    TableRow{Action::kLinkVersion,                        "x |  |  |  |  |x |x |  |  "},
    TableRow{Action::kManageProtectedAlias,               "x |  |  |  |  |x |  |  |  "},
    TableRow{Action::kViewRegistry,                       "x |  |  |  |  |x |x |x |x "},
    TableRow{Action::kDownloadFromRegistry,               "x |  |  |  |  |x |x |x |  "},
    TableRow{Action::kUpdateTeam,                         "  |x |  |  |  |  |  |  |  "},
    TableRow{Action::kReadAudit,                          "x |x |  |  |  |  |  |  |  "},
};
// clang-format on
constexpr std::array kColumns = {
    Role::kOrganizationAdmin, Role::kTeamAdmin,      Role::kTeamMember,
    Role::kTeamViewer,        Role::kProjectAdmin,   Role::kRegistryAdmin,
    Role::kRegistryMember,    Role::kRegistryViewer, Role::kRegistryRestrictedViewer};

char cellOf(const TableRow& row, std::size_t column) { return row.cells[column * 3]; }

TEST(Permissions, MatchTheTableOfTheSpecification) {
  for (const TableRow& row : kTable) {
    ASSERT_EQ(row.cells.size(), 26U);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const char cell = cellOf(row, i);
      EXPECT_EQ(allows(row.action, kColumns[i], false), cell == 'x')
          << "row " << static_cast<int>(row.action) << ", column " << i;
      EXPECT_EQ(allows(row.action, kColumns[i], true), cell != ' ')
          << "row " << static_cast<int>(row.action) << ", column " << i;
    }
  }
}

TEST(Permissions, CoverEveryAction) {
  ASSERT_EQ(kTable.size(), static_cast<std::size_t>(Action::kReadAudit) + 1);
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kTable[i].action), i);
  }
}

TEST(Permissions, AreTheUnionOfAllRoles) {
  for (const TableRow& row : kTable) {
    for (const Role a : kColumns) {
      for (const Role b : kColumns) {
        EXPECT_EQ(allows(row.action, a | b), allows(row.action, a) || allows(row.action, b));
      }
    }
  }
}

TEST(Permissions, AreEmptyWithoutARole) {
  for (const TableRow& row : kTable) {
    EXPECT_FALSE(allows(row.action, Roles(), true));
  }
}

}  // namespace
}  // namespace spindle::identity
