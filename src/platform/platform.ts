import type { Route } from './http.ts';
import { type SessionRoutesOptions, sessionRoutes } from './session-routes.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';

export type PlatformOptions = SignInRoutesOptions & SessionRoutesOptions;

/** Every address of the platform interface. */
export function platformRoutes(options: PlatformOptions): Route[] {
  return [...signInRoutes(options), ...sessionRoutes(options)];
}
