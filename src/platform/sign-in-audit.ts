import type { AuditAction } from '../domain/audit.ts';
import type { Person } from '../domain/sign-in.ts';
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

/** Tells every tenant of a person of their signing in and out. */
export class SignInAudit {
  readonly #database: TenantDatabase;
  readonly #findPerson: (userId: string) => Promise<Person | undefined>;

  constructor(database: TenantDatabase, findPerson: (userId: string) => Promise<Person | undefined>) {
    this.#database = database;
    this.#findPerson = findPerson;
  }

  /** Resolves once every tenant's log has it. Somebody who belongs to no tenant leaves no entry. */
  async record(userId: string, { actor, ...event }: SignInEvent): Promise<void> {
    const person = await this.#findPerson(userId);
    const target = `user:${userId}`;
    for (const tenantId of person?.tenants.keys() ?? []) {
      const entry = { ...event, tenantId, actor: actor === 'person' ? target : actor, target };
      await this.#database.inTenant({ tenantId }, (tx) => audit(tx, entry));
    }
  }
}
