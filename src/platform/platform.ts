import { agentRoutes } from './agent-routes.ts';
import type { Route } from './http.ts';
import { type IssuerContext, issuerRoutes } from './issuer-routes.ts';
import { type MemberContext, memberRoutes } from './member-routes.ts';
import { shareRoutes } from './share-routes.ts';
import { tenantRoutes } from './tenant-routes.ts';
import { type TokenContext, tokenRoutes } from './token-routes.ts';

/** Where the platform interface lives, below the base URL. */
export const PLATFORM_PATH = '/api/v1';

/** What the routes of the platform interface are made from. */
export type PlatformOptions = TokenContext & IssuerContext & MemberContext;

/** Every address of the platform interface. */
export function platformRoutes(options: PlatformOptions): Route[] {
  return [
    ...agentRoutes(options),
    ...tenantRoutes(options),
    ...tokenRoutes(options),
    ...issuerRoutes(options),
    ...memberRoutes(options),
    ...shareRoutes(options),
  ];
}
