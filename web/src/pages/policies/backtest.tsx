import { Link } from 'wouter';
import { PageHead } from '../../ui/shell.tsx';
import { BacktestView } from './backtest-view.tsx';

/** What a set would have changed. */
export function BacktestPage({ id }: { id: string }) {
  return (
    <>
      <PageHead title="Backtest">
        <Link href="/policies/history">Versions and history</Link>
      </PageHead>
      <BacktestView id={id} />
    </>
  );
}
