import type { PolicyFile } from '../domain/policies.ts';
import type {
  PastSession,
  PolicyCheck,
  PolicyComparison,
  PolicyTests,
  PolicyWorkRefused,
} from '../domain/policy-work.ts';

/** What the side pool for policies is asked, and what it answers. */

export type PolicyTask =
  | { kind: 'check'; files: readonly PolicyFile[] }
  | { kind: 'test'; files: readonly PolicyFile[] }
  | { kind: 'compare'; before: PolicySetOf; after: PolicySetOf; session: PastSession };

/** A set, and a name for its texts under which a thread may remember what they compile to. */
export interface PolicySetOf {
  key: string;
  files: readonly PolicyFile[];
}

export type PolicyTaskResult = PolicyCheck | PolicyTests | PolicyComparison | PolicyWorkRefused;

/** What a thread is given when it starts. */
export interface PolicyThreadStart {
  /** The installation's: values that sessions remembered are keyed by it. */
  secret: Uint8Array;
}
