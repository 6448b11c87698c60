import { createContext, useContext } from 'react';
import { graphql, type ResultOf } from './graphql.ts';

export const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      name
      email
      memberships {
        roles
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

/** The tenant that is looked at, and what the viewer is in it. */
export function useTenant(): Membership {
  const membership = useContext(TenantContext);
  if (membership === undefined) throw new Error('no tenant is chosen here');
  return membership;
}
