import { dateTimeMs, isRfc3339DateTime } from '../domain/formats.ts';
import { type AgentFilter, listAgents, type VisibleAgent } from '../store/agents.ts';
import { isRefusal, json, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { encodePlace, PAGED, pageOf, readPage, storableMoment, uuidPlaces } from './input.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';

const NAME_CHARS_MAX = 256;

/** `GET /agents`: the agents that a tenant may see. */
export function agentRoutes(context: TenantContext): Route[] {
  return [tenantRoute(context, ['GET', '/api/v1/agents', 'read', 'List agents', QUERY], list)];
}

const QUERY = {
  tenant: 'Of which tenant, by id or short name; needed by who belongs to several.',
  name: 'A part of the name, in upper or lower case.',
  active_since: 'A date-time: those that sent an event since.',
  ...PAGED,
};

const decodePlace = uuidPlaces(2);

async function list({ request: { query }, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(query, decodePlace);
  if (isRefusal(page)) return page;
  const filter = readFilter(query);
  if (isRefusal(filter)) return filter;
  const rows = await inTenant((tx) => listAgents(tx, tenantId, filter, { after: page.after, limit: page.first + 1 }));
  const cursorOf = ({ firstSeenAt, ownerId, agentKey }: VisibleAgent) =>
    encodePlace({ at: firstSeenAt, keys: [ownerId, agentKey] });
  return json(pageOf(rows, page.first, cursorOf, show));
}

function readFilter(query: URLSearchParams): AgentFilter | Refusal {
  const name = query.get('name');
  const activeSince = query.get('active_since');
  if (name !== null && (name === '' || name.length > NAME_CHARS_MAX))
    return refuse('invalid-request', `the parameter "name" must be 1 to ${NAME_CHARS_MAX} characters`);
  if (activeSince !== null && !isRfc3339DateTime(activeSince))
    return refuse('invalid-request', 'the parameter "active_since" must be an RFC 3339 date-time (with "+" as %2B)');
  return {
    ...(name === null ? {} : { name }),
    ...(activeSince === null ? {} : { activeSince: storableMoment(dateTimeMs(activeSince)) }),
  };
}

function show({ agentKey, ownerId, ownerName, ...agent }: VisibleAgent) {
  const { agentId, name, firstSeenAt, lastSeenAt, eventsCount, permission } = agent;
  const owner = { tenantId: ownerId, name: ownerName };
  return { id: agentKey, agentId, name, firstSeenAt, lastSeenAt, eventsCount, owner, permission };
}
