// Skips rendering while all props are identical: lists render hundreds of rows of which few change.

import { Component, type ComponentChildren, type FunctionComponent, h } from "preact";

export function memo<Props extends object>(render: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  const Inner = render as FunctionComponent<Props>;
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before = this.props as Record<string, unknown>;
      const after = next as Record<string, unknown>;
      for (const key in after) if (before[key] !== after[key]) return true;
      for (const key in before) if (!(key in after)) return true;
      return false;
    }
    override render() {
      return h(Inner, this.props as Props & { children?: ComponentChildren });
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
