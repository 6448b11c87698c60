import { lazy, useEffect, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { type Absence, belongsTo, loginAddress, lookAgain, whenAbsent } from './api/authorized-fetch.ts';
import { BY_ADDRESS } from './api/client.ts';
import { useLoaded } from './api/use-loaded.ts';
import { TenantProvider, type Viewer, ViewerProvider, ViewerQuery } from './api/viewer.ts';
import { Invitations } from './pages/invitations.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PageBoundary } from './ui/page-boundary.tsx';
import { Plain } from './ui/plain.tsx';
import { PageHead, Shell } from './ui/shell.tsx';
import { Failed, Loading } from './ui/states.tsx';

// The Overview comes at once, each other page when it is opened.
const AgentPage = lazy(async () => ({ default: (await import('./pages/agent.tsx')).AgentPage }));
const AgentsPage = lazy(async () => ({ default: (await import('./pages/agents.tsx')).AgentsPage }));
const AuditLogPage = lazy(async () => ({ default: (await import('./pages/audit-log.tsx')).AuditLogPage }));
const DecisionPage = lazy(async () => ({ default: (await import('./pages/decision.tsx')).DecisionPage }));
const FindingsPage = lazy(async () => ({ default: (await import('./pages/findings.tsx')).FindingsPage }));
const GetStartedPage = lazy(async () => ({ default: (await import('./pages/get-started.tsx')).GetStartedPage }));
const LivePage = lazy(async () => ({ default: (await import('./pages/live.tsx')).LivePage }));
const PolicyPages = lazy(async () => ({ default: (await import('./pages/policies/policy-pages.tsx')).PolicyPages }));
const SessionPage = lazy(async () => ({ default: (await import('./pages/session.tsx')).SessionPage }));
const SessionsPage = lazy(async () => ({ default: (await import('./pages/sessions.tsx')).SessionsPage }));
const SettingsPage = lazy(async () => ({ default: (await import('./pages/settings/settings.tsx')).SettingsPage }));

const ASKED = { context: BY_ADDRESS };

/** Who is there decides what is shown: a way to sign in, or the pages of a tenant. */
export function App() {
  const [absence, setAbsence] = useState<Absence>();
  useEffect(() => whenAbsent(setAbsence), []);
  const { data, failure, reload } = useLoaded(ViewerQuery, () => ({}), 'viewer', ASKED);
  if (data !== undefined) {
    // Before the pages below ask for anything.
    if (data.viewer.userId !== null) belongsTo(data.viewer.userId);
    return (
      <ViewerProvider value={data.viewer}>
        {absence !== undefined && <Away absence={absence} viewer={data.viewer} />}
        {/* It stays, out of sight, for the person alone: what was typed and not saved is there when they are back. */}
        {absence !== 'someone-else' && (
          <div hidden={absence !== undefined}>
            <Tenants viewer={data.viewer} />
          </div>
        )}
      </ViewerProvider>
    );
  }
  if (absence !== undefined || failure?.kind === 'signed-out') return <SignedOut />;
  return (
    <main className="alone">
      <PageHead title="Gatehouse" />
      {failure === undefined ? <Loading what="the dashboard" /> : <Failed failure={failure} retry={reload} />}
    </main>
  );
}

function SignedOut() {
  return (
    <main className="alone">
      <PageHead title="Gatehouse" />
      <p>You are signed out.</p>
      <a className="button" href={loginAddress()}>
        Sign in
      </a>
    </main>
  );
}

/** In place of pages that were looked at already: whoever signs in in another tab finds them as they were. */
function Away({ absence, viewer }: { absence: Absence; viewer: Viewer }) {
  useEffect(() => {
    const look = () => void lookAgain();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  return (
    <main className="alone">
      <PageHead title="Gatehouse" />
      {absence === 'signed-out' ? (
        <>
          <p>You are signed out. What you had not saved is kept here until you are back.</p>
          <a className="button" href={loginAddress()} target="_blank" rel="noopener">
            Sign in
          </a>
        </>
      ) : (
        <>
          <p>
            Somebody else than <Plain text={viewer.email ?? 'you'} /> has signed in in this browser.
          </p>
          <a className="button" href="/">
            Go on as whoever that is
          </a>
        </>
      )}
    </main>
  );
}

const LAST_TENANT = 'gatehouse.tenant';

function Tenants({ viewer }: { viewer: Viewer }) {
  const [first] = viewer.memberships;
  if (first === undefined)
    return (
      <main className="alone">
        <PageHead title="No tenant yet" />
        <Invitations isAlone />
        <p>You belong to no tenant. Ask an owner of one to invite you.</p>
      </main>
    );
  return (
    <Switch>
      <Route path="/t/:slug" nest>
        {({ slug }) => <TenantPages viewer={viewer} slug={slug} />}
      </Route>
      <Route>
        <Redirect to={`/t/${rememberedTenant(viewer) ?? first.tenant.slug}`} replace />
      </Route>
    </Switch>
  );
}

function rememberedTenant({ memberships }: Viewer): string | undefined {
  try {
    const slug = localStorage.getItem(LAST_TENANT);
    return memberships.find(({ tenant }) => tenant.slug === slug)?.tenant.slug;
  } catch {
    return undefined;
  }
}

function TenantPages({ viewer, slug }: { viewer: Viewer; slug: string }) {
  const [page] = useLocation();
  const membership = viewer.memberships.find(({ tenant }) => tenant.slug === slug);
  useEffect(() => {
    try {
      localStorage.setItem(LAST_TENANT, slug);
    } catch {
      // Nothing is remembered then.
    }
  }, [slug]);
  if (membership === undefined)
    return (
      <main className="alone">
        <PageHead title="No such tenant" />
        <p>You do not belong to a tenant of this name.</p>
        <a href="/">To your own</a>
      </main>
    );
  return (
    <TenantProvider key={slug} value={membership}>
      <Shell viewer={viewer}>
        <PageBoundary place={page}>
          <Switch>
            <Route path="/" component={OverviewPage} />
            <Route path="/live" component={LivePage} />
            <Route path="/decisions/:id">{({ id }) => <DecisionPage key={id} id={id} />}</Route>
            <Route path="/sessions" component={SessionsPage} />
            <Route path="/sessions/:key">{({ key }) => <SessionPage key={key} sessionKey={key} />}</Route>
            <Route path="/policies/*?" component={PolicyPages} />
            <Route path="/findings" component={FindingsPage} />
            <Route path="/agents" component={AgentsPage} />
            <Route path="/agents/:key">{({ key }) => <AgentPage key={key} agentKey={key} />}</Route>
            <Route path="/audit-log" component={AuditLogPage} />
            <Route path="/settings/:tab?" component={SettingsPage} />
            <Route path="/get-started" component={GetStartedPage} />
            <Route>
              <PageHead title="Nothing is here" />
              <p>No page has this address.</p>
            </Route>
          </Switch>
        </PageBoundary>
      </Shell>
    </TenantProvider>
  );
}
