import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { PageHead } from '../../ui/shell.tsx';
import { Loading } from '../../ui/states.tsx';
import { BacktestPage } from './backtest.tsx';
import { PolicyHistoryPage } from './history.tsx';
import { PolicyListPage } from './list.tsx';

/** The editor is large, and few need it: it comes when it is opened. */
const PolicyEditorPage = lazy(async () => ({ default: (await import('./edit.tsx')).PolicyEditorPage }));

/** What decides about the tenant's agents, and how it is changed. */
export function PolicyPages() {
  return (
    <Suspense fallback={<Loading what="the editor" />}>
      <Switch>
        <Route path="/policies" component={PolicyListPage} />
        <Route path="/policies/edit" component={PolicyEditorPage} />
        <Route path="/policies/history" component={PolicyHistoryPage} />
        <Route path="/policies/backtests/:id">{({ id }) => <BacktestPage key={id} id={id} />}</Route>
        <Route>
          <PageHead title="Nothing is here" />
          <p>No page has this address.</p>
        </Route>
      </Switch>
    </Suspense>
  );
}
