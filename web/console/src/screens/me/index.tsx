// The account of the signed-in person: profile, preferences, keys, password, sessions.

import { useMe } from "../../app/me";
import { Loaded, Page, Section } from "../../app/page";
import { Definitions, Table } from "../../ui/table";
import { Badge } from "../../ui/status";
import { SafeText } from "../../ui/safe_text";
import { href, paths } from "../../app/location";
import { hasScreen } from "../../app/routes";
import type { Me } from "../../api/identity";
import { formatTime } from "../../format/time";
import { timeZone } from "../../app/preferences";
import { ApiKeys } from "./api_keys";
import { Password } from "./password";
import { PreferenceForm } from "./preference_form";
import { Sessions } from "./sessions";

const ROLES = { ADMIN: "admin", MEMBER: "member", VIEWER: "viewer" } as const;

function Profile({ me }: { me: Me }) {
  return (
    <Section title="Profile">
      <div class="card card-pad">
        <Definitions
          items={[
            ["User name", <SafeText text={me.username} line />],
            ["Full name", me.name ? <SafeText text={me.name} line /> : <span class="faint">not set</span>],
            ["Email", me.email ? <SafeText text={me.email} line /> : <span class="faint">not set</span>],
            ["Rights", me.organization_admin ? <Badge tone="accent">administers this server</Badge> : "by team"],
            ["Since", formatTime(me.created_at, timeZone.value)],
          ]}
        />
      </div>
      {me.memberships.length > 0 && (
        <div class="me-teams">
          <Table
            label="Teams"
            rows={me.memberships}
            rowKey={({ team }) => team}
            columns={[
              {
                key: "team",
                title: "Team",
                wide: true,
                cell: ({ team }) =>
                  hasScreen("team") ? <a href={href(paths.team(team))}><SafeText text={team} line /></a> : <SafeText text={team} line />,
              },
              { key: "role", title: "Role", cell: ({ role, pending }) => (pending ? "invited" : ROLES[role]) },
            ]}
          />
        </div>
      )}
    </Section>
  );
}

export default function MeScreen() {
  const me = useMe();
  return (
    <Page title="Your account" width="narrow">
      <Loaded state={me} what="account">
        {(data) => (
          <>
            <Profile me={data} />
            <PreferenceForm />
            <ApiKeys />
            <Password />
            <Sessions />
          </>
        )}
      </Loaded>
    </Page>
  );
}
