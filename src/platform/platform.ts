import { type DomainOptions, domainRoutes } from './domain-routes.ts';
import type { Route } from './http.ts';
import { type SsoAdminOptions, ssoAdminRoutes } from './sso-admin-routes.ts';
import type { SsoOptions } from './sso-flow.ts';
import { ssoRoutes } from './sso-routes.ts';

/** Where the platform interface lives, below the base URL. */
export const PLATFORM_PATH = '/api/v1';

/** Every address of the platform interface. */
export function platformRoutes({ sso }: PlatformOptions): Route[] {
  return sso === undefined ? [] : [...ssoRoutes(sso), ...ssoAdminRoutes(sso), ...domainRoutes(sso)];
}

export interface PlatformOptions {
  /** Single sign-on, once there is something to begin login sessions with and to know administrators by. */
  sso?: SsoOptions & SsoAdminOptions & DomainOptions;
}
