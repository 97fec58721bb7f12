// A team: members, invitations, secrets, settings.

import { useQuery } from "../../api/cache";
import { getTeam } from "../../api/identity";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import type { ScreenProps } from "../../app/screen";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { SafeText } from "../../ui/safe_text";
import { Tabs } from "../../ui/tabs";
import { Invitations } from "./invitations";
import { Members } from "./members";
import { Secrets } from "./secrets";
import { Settings } from "./settings";

type TabName = "members" | "secrets" | "settings";

export default function TeamScreen({ params }: ScreenProps) {
  const { team: name = "" } = params;
  const team = useQuery({ key: ["team", name], read: (signal) => getTeam(name, signal) });
  const rights = useRights(name);
  const [tab] = useUrlState("tab", codecs.oneOf<TabName>("members", "secrets", "settings"));
  // Viewers do not see the names of secrets.
  const names: [TabName, string][] = [
    ["members", "Members"],
    ...(rights.write ? [["secrets", "Secrets"]] as [TabName, string][] : []),
    ["settings", "Settings"],
  ];
  const open = names.some(([other]) => other === tab) ? tab : "members";
  return (
    <Page title={<SafeText text={name} line />} lead="Who belongs to the team, and the secrets that its webhooks use.">
      <Loaded state={team} what="team">
        {(data) => (
          <Tabs
            label="Parts of the team" open={open} onOpen={(next) => setUrlState({ tab: next === "members" ? null : next, new: null })}
            tabs={names.map(([other, text]) => ({ name: other, text, href: href(paths.team(name), other === "members" ? {} : { tab: other }) }))}
          >
            {open === "members" && (
              <div class="tab-content">
                <Members team={name} administer={rights.administer} />
                {rights.administer && <Invitations team={name} />}
              </div>
            )}
            {open === "secrets" && <Secrets team={name} administer={rights.administer} />}
            {open === "settings" && <Settings key={data.updated_at} team={data} administer={rights.administer} />}
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}
