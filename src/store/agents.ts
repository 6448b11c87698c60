import { and, eq, gte, inArray, type SQL, sql } from 'drizzle-orm';
import { ahead, behind, newestFirst, oldestFirst, type Place } from './paging.ts';
import { agents } from './schema/agents.ts';
import { agentShares } from './schema/memberships.ts';
import { tenants } from './schema/tenants.ts';
import type { SharePermission } from './shares.ts';
import { originalText, storableText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** An agent as one tenant sees it. */
export interface VisibleAgent {
  agentKey: string;
  agentId: string;
  name: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  eventsCount: number;
  ownerId: string;
  /** Where the tenant may see it: a guest does not see who else there is. */
  ownerName: string | null;
  permission: 'owner' | SharePermission;
}

export interface AgentFilter {
  /** A part of the name, in upper or lower case. */
  name?: string;
  activeSince?: Date;
}

const KEYS = [agents.tenantId, agents.agentKey];

/** Which part of the list, whose order is the newest first by when they were first seen; `inverted`: the last of it, oldest first. */
export interface AgentPage {
  limit: number;
  inverted?: boolean;
  after?: Place | undefined;
  before?: Place | undefined;
}

/** The tenant's agents and those shared with it. */
export async function listAgents(
  tx: TenantTransaction,
  tenantId: string,
  filter: AgentFilter,
  { limit, inverted = false, after, before }: AgentPage,
): Promise<VisibleAgent[]> {
  const order = inverted ? oldestFirst : newestFirst;
  const rows = await agentsOf(tx, tenantId)
    .where(and(...conditions(filter), behind(agents.firstSeenAt, KEYS, after), ahead(agents.firstSeenAt, KEYS, before)))
    .orderBy(...order(agents.firstSeenAt, KEYS))
    .limit(limit);
  return rows.map(visible);
}

/** The agents of these keys that the tenant may see. */
export async function findAgents(
  tx: TenantTransaction,
  tenantId: string,
  keys: readonly string[],
): Promise<VisibleAgent[]> {
  if (keys.length === 0) return [];
  const rows = await agentsOf(tx, tenantId).where(inArray(agents.agentKey, [...keys]));
  return rows.map(visible);
}

function agentsOf(tx: TenantTransaction, tenantId: string) {
  return tx
    .select({ agent: agents, permission: agentShares.permission, ownerName: tenants.name })
    .from(agents)
    .leftJoin(
      agentShares,
      and(
        eq(agentShares.tenantId, agents.tenantId),
        eq(agentShares.agentKey, agents.agentKey),
        eq(agentShares.sharedWith, tenantId),
      ),
    )
    .leftJoin(tenants, eq(tenants.id, agents.tenantId));
}

function visible(row: {
  agent: typeof agents.$inferSelect;
  permission: SharePermission | null;
  ownerName: string | null;
}): VisibleAgent {
  const { tenantId: ownerId, ...agent } = row.agent;
  return {
    ...agent,
    agentId: originalText(agent.agentId),
    name: originalText(agent.name),
    ownerId,
    ownerName: row.ownerName,
    permission: row.permission ?? 'owner',
  };
}

function conditions({ name, activeSince }: AgentFilter): SQL[] {
  const all: SQL[] = [];
  // By a collation of its own: that of the database may know the case of ASCII letters alone.
  if (name !== undefined)
    all.push(sql`${agents.name} collate "und-x-icu" ilike ${`%${likeLiteral(storableText(name))}%`} escape '\\'`);
  if (activeSince !== undefined) all.push(gte(agents.lastSeenAt, activeSince));
  return all;
}

/** `text` as a LIKE pattern that matches itself alone. */
function likeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
