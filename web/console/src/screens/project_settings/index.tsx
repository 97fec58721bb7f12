// Settings of a project: about, recording, retention; members; prices.

import { useQuery } from "../../api/cache";
import { getProject } from "../../api/identity";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { useProject } from "../../app/screen";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { SafeText } from "../../ui/safe_text";
import { Tabs } from "../../ui/tabs";
import { General } from "./general";
import { ProjectMembers } from "./members";
import { Prices } from "./prices";

type TabName = "general" | "members" | "prices";

const TABS: [TabName, string][] = [["general", "General"], ["members", "Members"], ["prices", "Prices"]];

export default function ProjectSettings() {
  const { team, project: name, id } = useProject();
  const project = useQuery({ key: ["project", id], read: (signal) => getProject(id, signal) });
  const rights = useRights(team);
  const [tab] = useUrlState("tab", codecs.oneOf<TabName>("general", "members", "prices"));
  return (
    <Page title={<>Settings of <SafeText text={name} line /></>}>
      <Loaded state={project} what="project">
        {(data) => (
          <Tabs
            label="Parts of the settings" open={tab} onOpen={(next) => setUrlState({ tab: next === "general" ? null : next, new: null })}
            tabs={TABS.map(([other, text]) => ({ name: other, text, href: href(paths.projectSettings(id), other === "general" ? {} : { tab: other }) }))}
          >
            {tab === "general" && <General data={data} project={id} administer={rights.administer} />}
            {tab === "members" && <ProjectMembers project={id} team={team} administer={rights.administer} />}
            {tab === "prices" && <Prices project={id} write={rights.write} />}
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}
