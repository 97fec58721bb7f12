// Lies over the rows of a list while it scrolls. Without it the row below the pointer changes with each frame, and the browser
// looks it up, styles and paints two rows for it: about a third of a frame. It goes when the pointer moves, and a click that
// comes before goes to the row below.

import { useEffect, useRef } from "preact/hooks";

const SCROLLS_FOR_MILLISECONDS = 120;

/** A child of the `.ui-sizer` of a list. */
export function ScrollShield() {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shield = element.current;
    const rows = shield?.parentElement;
    const scroller = rows?.parentElement;
    if (!shield || !rows || !scroller) return undefined;
    let timer = 0;
    let pressed = false;
    const hide = () => {
      window.clearTimeout(timer);
      shield.hidden = true;
    };
    const onScroll = () => {
      window.clearTimeout(timer);
      shield.hidden = false;
      timer = window.setTimeout(hide, SCROLLS_FOR_MILLISECONDS);
    };
    const onPress = () => {
      hide();
      pressed = true;
    };
    // The browser gives a click that began on the shield to the rows' container.
    const onClick = (event: MouseEvent) => {
      if (!pressed) return;
      pressed = false;
      if (event.target !== rows && event.target !== shield) return;
      event.stopPropagation();
      const below = document.elementFromPoint(event.clientX, event.clientY);
      if (below && below !== rows && rows.contains(below)) below.dispatchEvent(new MouseEvent("click", event));
    };
    scroller.addEventListener("scroll", onScroll, { passive: true });
    shield.addEventListener("pointermove", hide);
    shield.addEventListener("pointerdown", onPress);
    rows.addEventListener("click", onClick, true);
    return () => {
      window.clearTimeout(timer);
      scroller.removeEventListener("scroll", onScroll);
      rows.removeEventListener("click", onClick, true);
    };
  }, []);
  return <div ref={element} class="ui-scroll-shield" aria-hidden="true" hidden />;
}
