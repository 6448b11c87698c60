import type { Route } from './http.ts';

/** Where the platform interface lives, below the base URL. */
export const PLATFORM_PATH = '/api/v1';

/** Every address of the platform interface. */
export function platformRoutes(): Route[] {
  return [];
}
