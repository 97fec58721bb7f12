// Inference: models, upstreams, engines, limits.

import { useMe } from "../../app/me";
import { href, paths } from "../../app/location";
import { Loaded, Page } from "../../app/page";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { Tabs } from "../../ui/tabs";
import { Engines } from "./engines";
import { Limits } from "./limits";
import { Models } from "./models";
import { Upstreams } from "./upstreams";

type TabName = "models" | "upstreams" | "engines" | "limits";

export default function Inference() {
  const me = useMe();
  const [tab] = useUrlState("tab", codecs.oneOf<TabName>("models", "upstreams", "engines", "limits"));
  return (
    <Page title="Inference" lead="One OpenAI-compatible API for all models: files of this machine and other servers.">
      <Loaded state={me} what="account">
        {({ organization_admin }) => {
          const names: [TabName, string][] = [
            ["models", "Models"],
            ...(organization_admin ? [["upstreams", "Upstreams"], ["engines", "Engines"]] as [TabName, string][] : []),
            ["limits", "Limits & budgets"],
          ];
          const open = names.some(([name]) => name === tab) ? tab : "models";
          return (
            <Tabs
              label="Parts of inference" open={open} onOpen={(name) => setUrlState({ tab: name === "models" ? null : name, new: null, find: null })}
              tabs={names.map(([name, text]) => ({ name, text, href: href(paths.inference(), name === "models" ? {} : { tab: name }) }))}
            >
              {open === "models" && <Models />}
              {open === "upstreams" && <Upstreams />}
              {open === "engines" && <Engines />}
              {open === "limits" && <Limits />}
            </Tabs>
          );
        }}
      </Loaded>
    </Page>
  );
}
