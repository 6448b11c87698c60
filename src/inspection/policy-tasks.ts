import type { PolicyFile } from '../domain/policies.ts';
import type {
  PastSession,
  PolicyCheck,
  PolicyComparison,
  PolicyTests,
  PolicyWorkRefused,
} from '../domain/policy-work.ts';

/** What the side pool for policies is asked, and what it answers. */

/** By the kind of a task: what it takes, and what comes of it. */
export interface PolicyTasks {
  check: { input: { files: readonly PolicyFile[] }; result: PolicyCheck };
  test: { input: { files: readonly PolicyFile[] }; result: PolicyTests };
  compare: { input: { before: PolicySetOf; after: PolicySetOf; session: PastSession }; result: PolicyComparison };
}

type TaskOf<Kind extends keyof PolicyTasks> = { kind: Kind } & PolicyTasks[Kind]['input'];

export type PolicyTask = { [Kind in keyof PolicyTasks]: TaskOf<Kind> }[keyof PolicyTasks];

/** A set, and a name for its texts under which a thread may remember what they compile to. */
export interface PolicySetOf {
  key: string;
  files: readonly PolicyFile[];
}

export type PolicyTaskResult = PolicyTasks[keyof PolicyTasks]['result'] | PolicyWorkRefused;

/** What a thread is given when it starts. */
export interface PolicyThreadStart {
  /** The installation's: values that sessions remembered are keyed by it. */
  secret: Uint8Array;
}
