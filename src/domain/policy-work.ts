import type { EventId, TenantSlug } from './ids.ts';

/** What is asked about policy sets apart from deciding: are they right, do their tests pass, what would they change. Plain data. */

/** What one set may be made of, where people save and check it. */
export const POLICY_FILES = {
  filesMax: 200,
  /** UTF-8 bytes of all texts together. */
  bytesMax: 1024 * 1024,
  nameCharsMax: 128,
} as const;

/** What is wrong with a policy file, where, and what mends it. Lines and columns count from 1. */
export interface PolicyFault {
  file: string;
  line: number;
  column: number;
  /** The value that is meant, as `spec.policies[3].when`; may be empty. */
  path: string;
  /** One line, lower case. */
  message: string;
}

/** A policy as a list shows it. */
export interface PolicyOutline {
  id: string;
  title: string | undefined;
  description: string | undefined;
  on: readonly string[];
  severity: string;
  mode: 'enforce' | 'shadow' | 'off';
  effect: string;
  tags: readonly string[];
  testsCount: number;
  file: string;
  line: number;
}

/** A policy set that was checked: what is wrong with it, or what it holds, and what in it is right but hardly meant. */
export type PolicyCheck =
  | { ok: true; hash: string; policies: readonly PolicyOutline[]; warnings: readonly PolicyFault[] }
  | { ok: false; faults: readonly PolicyFault[] };

/** What became of a policy's own test. */
export interface PolicyTestOutcome {
  policy: string;
  name: string;
  file: string;
  ok: boolean;
  /** Why it failed: what was expected and what came, or what is wrong with the test. */
  problem?: string;
}

export type PolicyTests =
  | { ok: true; tests: readonly PolicyTestOutcome[] }
  | { ok: false; faults: readonly PolicyFault[] };

/** A stored session, to be lived through again. */
export interface PastSession {
  tenant: TenantSlug;
  /** In the order of receipt. */
  events: readonly { id: EventId; receivedAtMs: number; body: string; effects: readonly string[] }[];
  releases: readonly { id: EventId; receivedAtMs: number; hold: boolean; taints: readonly string[] }[];
}

/** An event that one policy set blocks and the other does not. */
export interface PolicyDifference {
  event: EventId;
  /** The tool that was called; empty for a message. */
  tool: string;
  now: 'blocked' | 'allowed';
  /** Why the set that blocks it does. */
  reason: string;
}

export interface PolicyComparison {
  decisions: number;
  newlyBlocked: number;
  newlyAllowed: number;
  /** The first of them. */
  differences: readonly PolicyDifference[];
}

/** Why a piece of work has no result. `share_used_up`: the tenant asks for too much at once; `busy`: all together do. */
export interface PolicyWorkRefused {
  ok: false;
  refused: 'busy' | 'share_used_up' | 'too_long' | 'too_much_memory' | 'failed';
}
