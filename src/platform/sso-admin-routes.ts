import { listConnections, type StoredConnection } from '../store/sso-connections.ts';
import { isRefusal, json, noContent, type PlatformAnswer, type Refusal, type Route } from './http.ts';
import {
  beginTest,
  ConnectionChanges,
  changeConnection,
  deleteConnection,
  makeConnection,
  NewConnection,
  readConnection,
  refreshMetadata,
  type SsoAdminOptions,
  showConnection,
  switchConnection,
} from './sso-admin.ts';
import { type Admitted, jsonRoute, tenantRoute } from './tenant-route.ts';

const BODY_BYTES_MAX = 256 * 1024;

const ALL = '/api/v1/tenants/:tenant/sso-connections';
const ONE = `${ALL}/:connection`;

/** Administration of a tenant's connections to identity providers. */
export function ssoAdminRoutes(options: SsoAdminOptions): Route[] {
  const idOf = ({ request }: Admitted) => request.params['connection'] ?? '';
  const answer = (result: StoredConnection | Refusal, status: 200 | 201 = 200): PlatformAnswer =>
    isRefusal(result) ? result : json(showConnection(options, result), status);
  const switchTo = (path: string, state: 'enabled' | 'disabled', summary: string) =>
    tenantRoute(options, ['POST', `${ONE}/${path}`, 'sso', summary], async (by) =>
      answer(await switchConnection(options, by, { id: idOf(by), state })),
    );
  return [
    tenantRoute(options, ['GET', ALL, 'sso', 'List connections to identity providers'], async (by) => {
      const rows = await by.inTenant((tx) => listConnections(tx, by.tenantId));
      return json({ connections: rows.map((row) => showConnection(options, row)) });
    }),
    jsonRoute(
      options,
      ['POST', ALL, 'sso', 'Make a connection'],
      NewConnection,
      async (by, given) => answer(await makeConnection(options, by, given), 201),
      BODY_BYTES_MAX,
    ),
    tenantRoute(options, ['GET', ONE, 'sso', 'Show a connection'], async (by) =>
      answer(await readConnection(by, idOf(by))),
    ),
    jsonRoute(
      options,
      ['PATCH', ONE, 'sso', 'Change a connection'],
      ConnectionChanges,
      async (by, given) => answer(await changeConnection(options, by, { ...given, id: idOf(by) })),
      BODY_BYTES_MAX,
    ),
    tenantRoute(options, ['DELETE', ONE, 'sso', 'Remove a connection'], async (by) => {
      const removed = await deleteConnection(options, by, idOf(by));
      return isRefusal(removed) ? removed : noContent();
    }),
    switchTo('enable', 'enabled', 'Let a connection sign people in'),
    switchTo('disable', 'disabled', 'Let a connection sign nobody in'),
    tenantRoute(options, ['POST', `${ONE}/refresh`, 'sso', "Read a provider's metadata again"], async (by) =>
      answer(await refreshMetadata(options, by, idOf(by))),
    ),
    tenantRoute(options, ['POST', `${ONE}/test`, 'sso', 'Begin a try-out of a connection'], async (by) => {
      const begun = await beginTest(options, by, idOf(by));
      return isRefusal(begun) ? begun : json({ startUrl: begun.startUrl }, 201);
    }),
  ];
}
