// Catches errors of rendering, so that one broken screen does not take the shell with it.

import { Component, type ComponentChildren } from "preact";

import { ErrorNote } from "../ui/feedback";

interface Props {
  children: ComponentChildren;
  /** Another value renders the children again. */
  path?: string;
}

interface State {
  error: unknown;
  path: string | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, path: this.props.path };

  static override getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static override getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.path === state.path ? null : { error: null, path: props.path };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div class="page">
        <ErrorNote
          title="This screen has failed"
          message={error instanceof Error ? error.message : String(error)}
          onRetry={() => this.setState({ error: null })}
        >
          <p>The rest of the console still works. If it happens again, please report the message.</p>
        </ErrorNote>
      </div>
    );
  }
}
