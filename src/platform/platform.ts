import { agentRoutes } from './agent-routes.ts';
import { type DomainOptions, domainRoutes } from './domain-routes.ts';
import type { Route } from './http.ts';
import type { InvitedContext } from './invitations.ts';
import { type IssuerContext, issuerRoutes } from './issuer-routes.ts';
import { type MemberContext, memberRoutes } from './member-routes.ts';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type ShareContext, shareRoutes } from './share-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import type { SsoAdminOptions } from './sso-admin.ts';
import { ssoAdminRoutes } from './sso-admin-routes.ts';
import type { SsoOptions } from './sso-flow.ts';
import { ssoLogoutRoutes } from './sso-logout-routes.ts';
import { ssoRoutes } from './sso-routes.ts';
import { type SettingsContext, tenantRoutes } from './tenant-routes.ts';
import { type TokenContext, tokenRoutes } from './token-routes.ts';

/** What the routes of the platform interface, and the mutations of the graph, are made from. */
export interface PlatformOptions {
  people: SignInRoutesOptions & SessionRoutesOptions & InvitedContext;
  sso: SsoOptions & SsoAdminOptions & DomainOptions;
  administration: SettingsContext & TokenContext & IssuerContext & MemberContext & ShareContext;
}

/** Every address of the platform interface but the graph's. */
export function platformRoutes({ people, sso, administration }: PlatformOptions): Route[] {
  return [
    ...signInRoutes(people),
    ...sessionRoutes(people),
    ...singleSignOnRoutes(sso),
    ...administrationRoutes(administration),
  ];
}

/** Those of single sign-on: for who signs in, and for administrators. */
export function singleSignOnRoutes(sso: PlatformOptions['sso']): Route[] {
  return [...ssoRoutes(sso), ...ssoLogoutRoutes(sso), ...ssoAdminRoutes(sso), ...domainRoutes(sso)];
}

/** Those over what a tenant owns. */
export function administrationRoutes(options: PlatformOptions['administration']): Route[] {
  return [
    ...agentRoutes(options),
    ...tenantRoutes(options),
    ...tokenRoutes(options),
    ...issuerRoutes(options),
    ...memberRoutes(options),
    ...shareRoutes(options),
  ];
}
