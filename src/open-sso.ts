import { resolveTxt } from 'node:dns/promises';
import { SAML_FILE } from './bundles.ts';
import type { Config } from './config.ts';
import { guardedFetch } from './identity/guarded-fetch.ts';
import { OidcProviders } from './identity/oidc.ts';
import { SamlProviders } from './identity/saml.ts';
import { openSamlKeys } from './identity/saml-keys.ts';
import { metadataFetcher } from './identity/saml-metadata-fetch.ts';
import { SamlPool } from './identity/saml-pool.ts';
import { openSeal } from './identity/sealed.ts';
import type { Clock } from './lib/clock.ts';
import type { StartedParts } from './lib/started-parts.ts';
import type { Authenticate } from './platform/caller.ts';
import type { PlatformOptions } from './platform/platform.ts';
import type { SsoOptions } from './platform/sso-flow.ts';
import type { TenantFinder } from './platform/tenant-route.ts';
import type { Database } from './store/database.ts';
import type { TenantDatabase } from './store/tenant-database.ts';

/** What single sign-on needs of the rest of the platform. */
export interface SsoNeeds {
  config: Config;
  parts: StartedParts;
  ownerDatabase: Database;
  tenantDatabase: TenantDatabase;
  tenants: TenantFinder;
  site: { readonly baseUrl: string };
  clock: Clock;
  authenticate: Authenticate;
  loginSessions: SsoOptions['loginSessions'];
}

/** Logouts that are checked or wait for it. More are refused at once, and providers ask again. */
const LOGOUTS_MAX = 32;

/** Composes single sign-on. The thread that reads SAML is started with the first message. */
export async function openSso(needs: SsoNeeds): Promise<PlatformOptions['sso']> {
  const { config, parts, ownerDatabase, tenantDatabase, tenants, site, clock, authenticate, loginSessions } = needs;
  const pool = new SamlPool({ file: SAML_FILE });
  parts.add('SSO threads', () => pool.stop());
  const logoutPool = new SamlPool({ file: SAML_FILE, tasksMax: LOGOUTS_MAX });
  parts.add('SSO sign-out threads', () => logoutPool.stop());
  const fetchGuarded = guardedFetch({ privateNetworks: config.ssoPrivateNetworks });
  return {
    site,
    ownerDatabase,
    tenantDatabase,
    tenants,
    clock,
    authenticate,
    loginSessions,
    seal: await openSeal(config.dataDir),
    oidc: new OidcProviders(fetchGuarded),
    saml: new SamlProviders({ pool, logoutPool, keys: () => openSamlKeys(config.dataDir), now: () => clock.now() }),
    fetchMetadata: metadataFetcher(fetchGuarded),
    resolveTxt,
  };
}
