import type { PolicyFile } from '../domain/policies.ts';
import type {
  PastSession,
  PolicyCheck,
  PolicyComparison,
  PolicyTests,
  PolicyWorkRefused,
} from '../domain/policy-work.ts';

/** Work on policies that the main thread leaves to others. */
export interface PolicyWork {
  /** `tenantId`: who asks, and waits for what they asked before. */
  check(tenantId: string, files: readonly PolicyFile[]): Promise<PolicyCheck | PolicyWorkRefused>;
  test(tenantId: string, files: readonly PolicyFile[]): Promise<PolicyTests | PolicyWorkRefused>;
  /** Lives through sessions under both sets, which are known to be right. */
  comparing(
    before: readonly PolicyFile[],
    after: readonly PolicyFile[],
  ): (session: PastSession) => Promise<PolicyComparison | PolicyWorkRefused>;
}
