// The bar above the screen: where one is, search, theme, account.

import { Menu } from "../ui/menu";
import { Button } from "../ui/button";
import { SafeText } from "../ui/safe_text";
import { live } from "../api/live";
import { ShellIcon } from "./icons";
import { href, paths } from "./location";
import { useMe } from "./me";
import { navigationSections } from "./navigation_items";
import { useNavigationTeam } from "./navigation";
import { activeRoute } from "./outlet";
import { drawerOpen, helpOpen, paletteOpen } from "./overlays";
import { navigationProject } from "./place";
import { setPreferences } from "./preferences";
import { type Crumb, heading } from "./screen";
import { closeSession, session } from "./session";
import { onMac } from "./shortcuts";
import { type Theme, theme } from "./theme";
import { toastError } from "./toasts";

function useCrumbs(): Crumb[] {
  const { screen, title, params } = activeRoute.value;
  const { data: me } = useMe();
  const team = useNavigationTeam();
  const sections = navigationSections({
    project: navigationProject.value,
    team,
    organizationAdmin: me?.organization_admin ?? false,
  });
  const area = sections.flatMap(({ items }) => items).find(({ covers }) => screen && covers.includes(screen));
  const crumbs: Crumb[] = [];
  if (params.project) crumbs.push({ label: `${params.team}/${params.project}`, href: href(paths.traces(`${params.team}/${params.project}`)) });
  else if (params.team) crumbs.push({ label: params.team, href: href(paths.team(params.team)) });
  if (area) crumbs.push({ label: area.label, href: area.href });
  if (heading.value) crumbs.push(...heading.value.crumbs);
  else if (!area || area.screen !== screen) crumbs.push({ label: title });
  return crumbs;
}

function Breadcrumbs() {
  const crumbs = useCrumbs();
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <ol>
        {crumbs.map((crumb, index) => {
          const last = index === crumbs.length - 1;
          const text = <SafeText text={crumb.label} line />;
          return (
            <li key={index} class={last ? "crumb crumb-last" : "crumb"}>
              {crumb.href && !last ? <a href={crumb.href}>{text}</a> : <span aria-current={last ? "page" : undefined}>{text}</span>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

const THEMES: { value: Theme; text: string }[] = [
  { value: "system", text: "As the system" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
];

function AccountMenu() {
  const name = session.value?.name || session.value?.username || "";
  const choose = (value: Theme) =>
    setPreferences({ theme: value }).catch((error: unknown) => toastError("The theme was not stored", error));
  return (
    <Menu
      label={`Account of ${name}`}
      kind="quiet"
      icon="person"
      align="end"
      items={[
        { kind: "title", text: name },
        { text: "Your account", icon: "person", href: href(paths.me()) },
        { text: "Keyboard shortcuts", icon: "help", note: "?", onSelect: () => (helpOpen.value = true) },
        { text: "API reference", icon: "book", href: new URL("../docs", document.baseURI).href },
        { kind: "line" },
        { kind: "title", text: "Theme" },
        ...THEMES.map(({ value, text }) => ({ text, checked: theme.value === value, onSelect: () => void choose(value) })),
        { kind: "line" },
        {
          text: "Sign out",
          icon: "lock",
          onSelect: () => void closeSession(),
        },
      ]}
    />
  );
}

export function Header() {
  return (
    <header class="head">
      <span class="head-menu">
        <Button
          kind="quiet"
          icon="menu"
          label="Navigation"
          attributes={{ "aria-expanded": drawerOpen.value, "aria-controls": "navigation" }}
          onClick={() => (drawerOpen.value = !drawerOpen.value)}
        />
      </span>
      <Breadcrumbs />
      <div class="head-end">
        {live.value && <span class="live-dot" title="Live: changes on the server appear by themselves"><span class="visually-hidden">Live</span></span>}
        <button type="button" class="head-search" onClick={() => (paletteOpen.value = true)}>
          <ShellIcon name="search" />
          <span class="head-search-text">Go to…<span class="visually-hidden"> a screen, project or id</span></span>
          <kbd>{onMac ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        <AccountMenu />
      </div>
    </header>
  );
}
