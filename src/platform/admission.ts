import type { AuditEntry } from '../domain/audit.ts';
import type { Permission } from '../domain/roles.ts';
import { audit } from '../store/audit-log.ts';
import type { TenantDatabase, TenantTransaction } from '../store/tenant-database.ts';
import { actorOf, type Caller, may } from './caller.ts';

/** Somebody in a tenant that they belong to, with the means to act there: what every operation on a tenant is given. */
export interface Admission {
  caller: Caller;
  tenantId: string;
  may: (permission: Permission) => boolean;
  /** A transaction that sees this tenant alone. */
  inTenant: <T>(work: (tx: TenantTransaction) => Promise<T>) => Promise<T>;
  /** Writes to the tenant's audit log what the caller did; or to that of another one, where that was found to be allowed. */
  audit: (
    tx: TenantTransaction,
    entry: Pick<AuditEntry, 'action' | 'target' | 'detail'> & { tenantId?: string },
  ) => Promise<void>;
  /**
   * Writes to the audit log of another tenant what this one did that concerns it, in a transaction of that one, which sees nothing of
   * this. It names this tenant, and nobody in it.
   */
  tell: (other: string, entry: Pick<AuditEntry, 'action' | 'target' | 'detail'>) => Promise<void>;
}

/** `caller`, who asks from the network `address`, in the tenant. Whether they belong there has been seen to. */
export function admissionOf(
  people: TenantDatabase,
  { caller, tenantId, address }: { caller: Caller; tenantId: string; address: string },
): Admission {
  const person = caller.kind === 'person' ? { userId: caller.userId } : {};
  return {
    caller,
    tenantId,
    may: (permission) => may(caller, tenantId, permission),
    inTenant: (work) => people.inTenant({ tenantId, ...person }, work),
    audit: (tx, entry) => audit(tx, { tenantId, ...entry, actor: actorOf(caller), address }),
    tell: (other, entry) =>
      people.inTenant({ tenantId: other }, (tx) =>
        audit(tx, { ...entry, tenantId: other, actor: `tenant:${tenantId}` }),
      ),
  };
}
