// Administration of the server: people, audit log, server. For organization admins.

import { href, paths } from "../../app/location";
import { useMe } from "../../app/me";
import { Hidden } from "../../app/not_found";
import { Loaded, Page } from "../../app/page";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { Tabs } from "../../ui/tabs";
import { Audit } from "./audit";
import { Server } from "./server";
import { Users } from "./users";

type TabName = "people" | "audit" | "server";

const TABS: [TabName, string][] = [["people", "People"], ["audit", "Audit log"], ["server", "Server & teams"]];

export default function Admin() {
  const me = useMe();
  const [tab] = useUrlState("tab", codecs.oneOf<TabName>("people", "audit", "server"));
  if (me.data && !me.data.organization_admin) return <Hidden what="page" />;
  return (
    <Page title="Administration" lead="Of this whole server. Only its administrators see this page.">
      <Loaded state={me} what="account">
        {() => (
          <Tabs
            label="Parts of the administration" open={tab}
            onOpen={(next) => setUrlState({ tab: next === "people" ? null : next, find: null, actor: null, action: null, team: null, time: null })}
            tabs={TABS.map(([name, text]) => ({ name, text, href: href(paths.admin(), name === "people" ? {} : { tab: name }) }))}
          >
            {tab === "people" && <Users />}
            {tab === "audit" && <Audit />}
            {tab === "server" && <Server />}
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}
