import { type DomainOptions, domainRoutes } from './domain-routes.ts';
import type { Route } from './http.ts';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import { type SsoAdminOptions, ssoAdminRoutes } from './sso-admin-routes.ts';
import type { SsoOptions } from './sso-flow.ts';
import { ssoRoutes } from './sso-routes.ts';

export interface PlatformOptions {
  people: SignInRoutesOptions & SessionRoutesOptions;
  sso: SsoOptions & SsoAdminOptions & DomainOptions;
}

/** Every address of the platform interface. */
export function platformRoutes({ people, sso }: PlatformOptions): Route[] {
  return [...signInRoutes(people), ...sessionRoutes(people), ...singleSignOnRoutes(sso)];
}

/** Those of single sign-on: for who signs in, and for administrators. */
export function singleSignOnRoutes(sso: PlatformOptions['sso']): Route[] {
  return [...ssoRoutes(sso), ...ssoAdminRoutes(sso), ...domainRoutes(sso)];
}
