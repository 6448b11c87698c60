import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { signOut } from '../api/authorized-fetch.ts';
import { type Membership, useTenant, type Viewer } from '../api/viewer.ts';
import { ThemeSwitch } from './theme.tsx';

const PAGES = [
  { href: '/', label: 'Overview' },
  { href: '/live', label: 'Live' },
  { href: '/findings', label: 'Findings' },
  { href: '/sessions', label: 'Sessions' },
  { href: '/policies', label: 'Policies' },
  { href: '/agents', label: 'Agents' },
  { href: '/audit-log', label: 'Audit log' },
  { href: '/settings', label: 'Settings' },
  { href: '/get-started', label: 'Get started' },
];

/** What stands around every page: where one is, where one may go, who one is. */
export function Shell({ viewer, children }: { viewer: Viewer; children: ReactNode }) {
  const [location] = useLocation();
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="side">
        <p className="brand">Gatehouse</p>
        <nav aria-label="Pages">
          <ul>
            {PAGES.map(({ href, label }) => (
              <li key={href}>
                <Link href={href} aria-current={isAt(location, href) ? 'page' : undefined}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="who">
          {viewer.memberships.length > 1 && <TenantSwitch memberships={viewer.memberships} />}
          <ThemeSwitch />
          <p className="muted">{viewer.email ?? viewer.name}</p>
          <button type="button" className="quiet" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function isAt(location: string, href: string): boolean {
  if (href === '/') return location === '/' || location === '';
  if (href === '/live' && location.startsWith('/decisions/')) return true;
  return location === href || location.startsWith(`${href}/`);
}

function TenantSwitch({ memberships }: { memberships: readonly Membership[] }) {
  const { tenant } = useTenant();
  const [, navigate] = useLocation();
  return (
    <label className="field">
      <span>Tenant</span>
      <select value={tenant.slug} onChange={(event) => navigate(`~/t/${event.target.value}/`)}>
        {memberships.map(({ tenant: { id, slug, name } }) => (
          <option key={id} value={slug}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Where the page shown last was. */
let lastPath: string | undefined;

/** The heading of a page, and the title of the window. A reader who changes pages starts there; who comes in, at the top. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gatehouse`;
    const { pathname } = window.location;
    if (lastPath !== undefined && lastPath !== pathname) heading.current?.focus({ preventScroll: true });
    lastPath = pathname;
  }, [title]);
  return (
    <div className="page-head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </div>
  );
}
