import { createContext, useContext } from 'react';
import { graphql, type ResultOf } from './graphql.ts';

export const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      userId
      name
      email
      memberships {
        roles
        permissions
        tenant {
          id
          slug
          name
          onFailure
        }
      }
    }
  }
`);

export type Viewer = ResultOf<typeof ViewerQuery>['viewer'];
export type Membership = Viewer['memberships'][number];

const TenantContext = createContext<Membership | undefined>(undefined);
export const TenantProvider = TenantContext.Provider;

const ViewerContext = createContext<Viewer | undefined>(undefined);
export const ViewerProvider = ViewerContext.Provider;

/** Who looks. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === undefined) throw new Error('nobody looks here');
  return viewer;
}

/** Why the viewer may not do something in the tenant; undefined if they may. The service decides: this only keeps controls from being in vain. */
export function useLock(permission: string, what: string): string | undefined {
  if (useTenant().permissions.includes(permission)) return undefined;
  const roles = WHO_MAY[permission] ?? 'owner or admin';
  return `Your roles in this tenant do not allow ${what}. It needs the role ${roles}.`;
}

const WHO_MAY: Readonly<Record<string, string>> = { owners: 'owner', triage: 'owner, admin or analyst' };

/** The tenant that is looked at, and what the viewer is in it. */
export function useTenant(): Membership {
  const membership = useContext(TenantContext);
  if (membership === undefined) throw new Error('no tenant is chosen here');
  return membership;
}
