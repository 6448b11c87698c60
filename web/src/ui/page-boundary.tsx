import { Component, type ReactNode, Suspense } from 'react';
import { Failed, Loading } from './states.tsx';

interface Props {
  /** The address of the page: another one is tried again. */
  place: string;
  children: ReactNode;
}

interface State {
  place: string;
  hasFailed: boolean;
}

const FAILURE = {
  kind: 'failed',
  message: 'The page could not be shown. There may be a newer version of the dashboard.',
} as const;

/** Around a page that comes when it is opened. Where it does not come (another version is served by now, or nothing), that is said. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { place: this.props.place, hasFailed: false };

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    return place === state.place ? null : { place, hasFailed: false };
  }

  override render() {
    if (this.state.hasFailed) return <Failed failure={FAILURE} retry={() => window.location.reload()} />;
    return <Suspense fallback={<Loading what="the page" />}>{this.props.children}</Suspense>;
  }
}
