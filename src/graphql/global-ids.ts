import { isUuid } from '../domain/ids.ts';

/** What a global id says: the type, the tenant through which the object is seen, and its own id among those of the type there. */
export interface GlobalId {
  type: string;
  tenantId: string;
  /** Empty for the tenant itself. */
  key: string;
}

export function writeGlobalId({ type, tenantId, key }: GlobalId): string {
  return Buffer.from(`${type}:${tenantId}:${key}`).toString('base64url');
}

/** The inverse of `writeGlobalId`; undefined for any other text, so that no object has two ids. */
export function readGlobalId(text: string): GlobalId | undefined {
  const [, type = '', tenantId = '', key = ''] =
    /^([^:]+):([^:]+):(.*)$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const id = { type, tenantId, key };
  return isUuid(tenantId) && writeGlobalId(id) === text ? id : undefined;
}
