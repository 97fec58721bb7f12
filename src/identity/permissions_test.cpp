#include "identity/permissions.h"

#include <array>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::identity {
namespace {

/// The permission table of the specification, row by row (x: allowed, o: own objects only). A row
/// with "x (org)" and "x (team)" appears once for each. In "delete registry", an o stands for the
/// note that a registry admin deletes only registries that it created.
struct PrintedRow {
  Action action;
  std::string_view cells;
};
// clang-format off
constexpr std::array kPrinted = {
    //                                                        OA TA TM TV PA RA RM RV RR
    PrintedRow{Action::kCreateTeam,                         "x |  |  |  |  |  |  |  |  "},
    PrintedRow{Action::kManageMembers,                      "x |x |  |  |  |  |  |  |  "},
    PrintedRow{Action::kListMembers,                        "x |x |x |x |  |  |  |  |  "},
    PrintedRow{Action::kManageSecrets,                      "  |x |  |  |  |  |  |  |  "},
    PrintedRow{Action::kListSecrets,                        "  |x |x |  |  |  |  |  |  "},
    PrintedRow{Action::kManageWebhooks,                     "  |x |  |  |  |  |  |  |  "},
    PrintedRow{Action::kListWebhooks,                       "  |x |x |  |  |  |  |  |  "},
    PrintedRow{Action::kManageChatIntegration,              "  |x |  |  |  |  |  |  |  "},
    PrintedRow{Action::kManageOrganizationAutomation,       "x |  |  |  |  |  |  |  |  "},
    PrintedRow{Action::kManageTeamAutomation,               "  |x |  |  |  |  |  |  |  "},
    PrintedRow{Action::kManageProjectAutomation,            "  |x |  |  |x |  |  |  |  "},
    PrintedRow{Action::kManageRegistryAutomation,           "x |  |  |  |  |x |  |  |  "},
    PrintedRow{Action::kManageRegistryCollectionAutomation, "x |  |  |  |  |x |x |  |  "},
    PrintedRow{Action::kViewAutomations,                    "x |x |x |  |x |x |x |  |  "},
    PrintedRow{Action::kReplayOrganizationDelivery,         "x |  |  |  |  |  |  |  |  "},
    PrintedRow{Action::kReplayDelivery,                     "  |x |  |  |x |x |  |  |  "},
    PrintedRow{Action::kWriteProject,                       "  |x |x |  |x |  |  |  |  "},
    PrintedRow{Action::kReadProject,                        "  |x |x |x |x |  |  |  |  "},
    PrintedRow{Action::kDeleteRun,                          "  |x |o |  |x |  |  |  |  "},
    PrintedRow{Action::kManageProject,                      "  |x |  |  |x |  |  |  |  "},
    PrintedRow{Action::kCreateRegistry,                     "x |x |x |  |  |x |x |  |  "},
    PrintedRow{Action::kRenameRegistry,                     "x |  |  |  |  |x |x |  |  "},
    PrintedRow{Action::kManageRegistry,                     "x |  |  |  |  |x |  |  |  "},
    PrintedRow{Action::kDeleteRegistry,                     "x |x |  |  |  |o |  |  |  "},
    PrintedRow{Action::kManageRegistryCollection,           "x |  |  |  |  |x |x |  |  "},
    PrintedRow{Action::kLinkVersion,                        "x |  |  |  |  |x |x |  |  "},
    PrintedRow{Action::kManageProtectedAlias,               "x |  |  |  |  |x |  |  |  "},
    PrintedRow{Action::kViewRegistry,                       "x |  |  |  |  |x |x |x |x "},
    PrintedRow{Action::kDownloadFromRegistry,               "x |  |  |  |  |x |x |x |  "},
    PrintedRow{Action::kUpdateTeam,                         "  |x |  |  |  |  |  |  |  "},
};
// clang-format on
constexpr std::array kColumns = {
    Role::kOrganizationAdmin, Role::kTeamAdmin,      Role::kTeamMember,
    Role::kTeamViewer,        Role::kProjectAdmin,   Role::kRegistryAdmin,
    Role::kRegistryMember,    Role::kRegistryViewer, Role::kRegistryRestrictedViewer};

char cellOf(const PrintedRow& row, std::size_t column) { return row.cells[column * 3]; }

TEST(Permissions, AreThoseOfThePrintedTable) {
  for (const PrintedRow& row : kPrinted) {
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
  ASSERT_EQ(kPrinted.size(), static_cast<std::size_t>(Action::kUpdateTeam) + 1);
  for (std::size_t i = 0; i < kPrinted.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kPrinted[i].action), i);
  }
}

TEST(Permissions, AddUpAndNeverSubtract) {
  for (const PrintedRow& row : kPrinted) {
    for (const Role a : kColumns) {
      for (const Role b : kColumns) {
        EXPECT_EQ(allows(row.action, a | b), allows(row.action, a) || allows(row.action, b));
      }
    }
  }
}

TEST(Permissions, GiveNothingToThoseWithoutARole) {
  for (const PrintedRow& row : kPrinted) {
    EXPECT_FALSE(allows(row.action, Roles(), true));
  }
}

}  // namespace
}  // namespace spindle::identity
