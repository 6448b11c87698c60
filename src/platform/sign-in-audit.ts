import type { AuditAction } from '../domain/audit.ts';
import { audit } from '../store/audit-log.ts';
import type { TenantDatabase } from '../store/tenant-database.ts';

export interface SignInEvent {
  action: Extract<
    AuditAction,
    'sign_in.asked' | 'sign_in.succeeded' | 'sign_in.failed' | 'sign_out' | 'login_sessions.revoked'
  >;
  /** `nobody` where it was not proven who asks. */
  actor: 'person' | 'nobody' | 'operator';
  detail?: Readonly<Record<string, unknown>>;
  /** The network address it came from. */
  address?: string;
}

/** Tells every tenant of a person, disabled or not, of their signing in and out. */
export class SignInAudit {
  readonly #database: TenantDatabase;
  readonly #findTenantsOf: (userId: string) => Promise<string[]>;

  constructor(database: TenantDatabase, findTenantsOf: (userId: string) => Promise<string[]>) {
    this.#database = database;
    this.#findTenantsOf = findTenantsOf;
  }

  /** Resolves once every tenant's log has it. Somebody who belongs to no tenant leaves no entry. */
  async record(userId: string, { actor, ...event }: SignInEvent): Promise<void> {
    const target = `user:${userId}`;
    for (const tenantId of await this.#findTenantsOf(userId)) {
      const entry = { ...event, tenantId, actor: actor === 'person' ? target : actor, target };
      await this.#database.inTenant({ tenantId }, (tx) => audit(tx, entry));
    }
  }
}
