// The frame around all screens of signed-in people.

import { Banners } from "./banner";
import { Header } from "./header";
import { Navigation } from "./navigation";
import { Outlet, loadingScreen } from "./outlet";
import { helpOpen, paletteOpen } from "./overlays";
import { useShortcut } from "./shortcuts";

function LoadingBar() {
  return <div class={loadingScreen.value ? "progress progress-on" : "progress"} aria-hidden="true" />;
}

export function Frame() {
  useShortcut({ keys: "mod+k", label: "Go to a screen, project or id" }, () => (paletteOpen.value = !paletteOpen.peek()));
  useShortcut({ keys: "?", label: "Show the shortcuts" }, () => (helpOpen.value = true));
  return (
    <div class="frame">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The base address of the page makes "#main" another page.
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Navigation />
      <div class="stage">
        <Header />
        <Banners />
        <LoadingBar />
        <main class="main" id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}
