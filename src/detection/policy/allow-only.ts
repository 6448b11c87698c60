import type { GrantDocument } from './document.ts';
import type { PolicyInput } from './facts-surface.ts';
import { asList, glob } from './match.ts';

/** Whether the event uses a tool, be it one without a name, that no grant gives to this agent, role or user. Events without a tool never do. */
export type NotGranted = (input: PolicyInput) => boolean;

export function compileAllowOnly(grants: readonly GrantDocument[]): NotGranted {
  const compiled = grants.map(compileGrant);
  return (input) => input.tool.kind !== '' && !compiled.some((grant) => grant(input));
}

function compileGrant({ agent, role, user, tools, toolKinds }: GrantDocument): (input: PolicyInput) => boolean {
  const agents = glob(agent);
  const roles = glob(role);
  const users = glob(user);
  const names = glob(tools);
  const kinds = new Set<string>(asList(toolKinds));
  return (input) =>
    (names?.(input.tool.name) === true || kinds.has(input.tool.kind)) &&
    (agents === undefined || agents(input.agent.id)) &&
    (users === undefined || users(input.user.email)) &&
    (roles === undefined || roles(input.agent.role) || input.user.roles.some(roles));
}
