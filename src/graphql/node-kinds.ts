import { isEmailDomain } from '../domain/formats.ts';
import { isTokenId, isUuid } from '../domain/ids.ts';
import { findAccessTokens } from '../store/access-tokens.ts';
import { findAgentSessions, findDecisions, findEvents } from '../store/activity.ts';
import { findAgents } from '../store/agents.ts';
import { findFindings, readFindingKey, writeFindingKey } from '../store/findings.ts';
import { findMembers } from '../store/members.ts';
import { findPolicySetVersions } from '../store/policy-sets.ts';
import { listConnections } from '../store/sso-connections.ts';
import { findTrustedIssuers } from '../store/trusted-issuers.ts';
import { listDomains } from '../store/verified-domains.ts';
import { AgentSessionType } from './agent-session-types.ts';
import { AgentType } from './agent-types.ts';
import { BacktestType } from './backtest-types.ts';
import { DecisionType, TimelineEntryType } from './decision-types.ts';
import { VerifiedDomainType } from './domain-types.ts';
import { withEvents as findingsWithEvents, StoredFindingType } from './finding-types.ts';
import { TrustedIssuerType } from './issuer-types.ts';
import { MemberType } from './member-types.ts';
import { identify } from './node.ts';
import { seenFrom } from './of-tenant.ts';
import { withEvents, withOutcomes } from './outcomes.ts';
import { PolicySetVersionType, VERSION_MAX } from './policy-types.ts';
import { connectionNode, SsoConnectionType } from './sso-types.ts';
import { loadTenant, TenantType } from './tenant-types.ts';
import { AccessTokenType } from './token-types.ts';

/**
 * The types whose objects have global ids. Each is loaded as by the field that leads to it: in the tenant's own transaction, and
 * with the permission that the field demands. What a tenant has only a few of is read whole.
 */

identify(TenantType, {
  permission: 'read',
  keyOf: () => '',
  isKey: (text) => text === '',
  load: async (context, tenantId) => {
    const tenant = await loadTenant(context, tenantId);
    return tenant === undefined ? [] : [tenant];
  },
});

identify(AgentType, {
  permission: 'read',
  keyOf: ({ agent }) => agent.agentKey,
  isKey: isUuid,
  load: ({ inTenant }, tenantId, keys) =>
    inTenant(tenantId, async (tx) => (await findAgents(tx, tenantId, keys)).map((agent) => ({ tenantId, agent }))),
});

identify(AgentSessionType, {
  permission: 'read',
  keyOf: ({ row }) => row.sessionKey,
  isKey: isUuid,
  load: ({ inTenant }, tenantId, keys) =>
    inTenant(tenantId, async (tx) => (await findAgentSessions(tx, keys)).map((row) => ({ tenantId, row }))),
});

identify(DecisionType, {
  permission: 'read',
  keyOf: ({ decision }) => decision.id,
  isKey: isUuid,
  load: ({ inTenant }, tenantId, ids) =>
    inTenant(tenantId, async (tx) => withEvents(tx, tenantId, await findDecisions(tx, ids))),
});

identify(TimelineEntryType, {
  permission: 'read',
  keyOf: ({ event }) => event.id,
  isKey: isUuid,
  load: ({ inTenant }, tenantId, ids) =>
    inTenant(tenantId, async (tx) => withOutcomes(tx, tenantId, await findEvents(tx, ids))),
});

identify(StoredFindingType, {
  permission: 'read',
  keyOf: ({ row }) => writeFindingKey(row),
  isKey: (text) => {
    const key = readFindingKey(text);
    return key !== undefined && writeFindingKey(key) === text;
  },
  load: ({ inTenant }, tenantId, texts) =>
    inTenant(tenantId, async (tx) => {
      const keys = texts.flatMap((text) => readFindingKey(text) ?? []);
      return findingsWithEvents(tx, tenantId, await findFindings(tx, tenantId, keys));
    }),
});

identify(PolicySetVersionType, {
  permission: 'read',
  keyOf: ({ version }) => String(version),
  isKey: (text) => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= VERSION_MAX,
  load: ({ inTenant }, tenantId, versions) =>
    inTenant(tenantId, async (tx) =>
      seenFrom(tenantId, await findPolicySetVersions(tx, tenantId, versions.map(Number))),
    ),
});

identify(BacktestType, {
  permission: 'read',
  keyOf: ({ id }) => id,
  isKey: isUuid,
  load: async ({ policies, inTenant }, tenantId, ids) => {
    const kept = await policies.backtests.list({ tenantId, inTenant: (work) => inTenant(tenantId, work) });
    return kept.filter(({ id }) => ids.includes(id));
  },
});

identify(MemberType, {
  permission: 'members',
  keyOf: ({ userId }) => userId,
  isKey: isUuid,
  load: ({ inTenant }, tenantId, userIds) =>
    inTenant(tenantId, async (tx) => seenFrom(tenantId, await findMembers(tx, tenantId, userIds))),
});

identify(AccessTokenType, {
  permission: 'tokens',
  keyOf: ({ tokenId }) => tokenId,
  isKey: isTokenId,
  load: ({ inTenant }, tenantId, ids) => inTenant(tenantId, (tx) => findAccessTokens(tx, tenantId, ids)),
});

identify(TrustedIssuerType, {
  permission: 'tokens',
  keyOf: ({ id }) => id,
  isKey: isUuid,
  load: ({ inTenant }, tenantId, ids) => inTenant(tenantId, (tx) => findTrustedIssuers(tx, tenantId, ids)),
});

identify(SsoConnectionType, {
  permission: 'sso',
  keyOf: ({ id }) => id,
  isKey: isUuid,
  load: async ({ inTenant, services }, tenantId, ids) => {
    const rows = await inTenant(tenantId, (tx) => listConnections(tx, tenantId));
    return rows.filter(({ id }) => ids.includes(id)).map((row) => connectionNode(services.sso, row));
  },
});

identify(VerifiedDomainType, {
  permission: 'sso',
  keyOf: ({ domain }) => domain,
  isKey: isEmailDomain,
  load: async ({ inTenant }, tenantId, names) => {
    const claimed = await inTenant(tenantId, (tx) => listDomains(tx, tenantId));
    return seenFrom(
      tenantId,
      claimed.filter(({ domain }) => names.includes(domain)),
    );
  },
});
