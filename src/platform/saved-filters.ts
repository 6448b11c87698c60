import {
  type FilterOwner,
  listSavedFilters,
  putSavedFilter,
  removeSavedFilter,
  type SavedFilter,
} from '../store/saved-filters.ts';
import type { Admission } from './admission.ts';
import { isRefusal, type Refusal, refuse } from './http.ts';
import { isPrintable } from './input.ts';

/** Lists of findings that people keep for themselves. Nobody else sees them, and the audit log does not tell of them. */

export const FILTER_NAME_CHARS_MAX = 60;
const QUERY_CHARS_MAX = 4_000;
/** As addresses are written. */
const QUERY = /^[!-~]*$/;

type Own = Pick<Admission, 'caller' | 'tenantId' | 'inTenant'>;

function ownerOf({ caller, tenantId }: Own): FilterOwner | Refusal {
  return caller.kind === 'person'
    ? { tenantId, userId: caller.userId }
    : refuse('forbidden', 'a program keeps no filters; sign in as a person');
}

/** The caller's own, the oldest first; none of a program. */
export async function ownFilters(own: Own): Promise<SavedFilter[]> {
  const owner = ownerOf(own);
  return isRefusal(owner) ? [] : own.inTenant((tx) => listSavedFilters(tx, owner));
}

/** Keeps a filter, in the place of one of the same name; the oldest makes room. Returns what is kept then. */
export async function saveFilter(own: Own, filter: SavedFilter): Promise<{ filters: SavedFilter[] } | Refusal> {
  const owner = ownerOf(own);
  if (isRefusal(owner)) return owner;
  const { name, query } = filter;
  if (name.length > FILTER_NAME_CHARS_MAX || !isPrintable(name))
    return refuse('invalid-request', `name must be 1 to ${FILTER_NAME_CHARS_MAX} printable characters on one line`);
  if (query.length > QUERY_CHARS_MAX || !QUERY.test(query))
    return refuse('invalid-request', `query must be at most ${QUERY_CHARS_MAX} characters, as an address has them`);
  return own.inTenant(async (tx) => {
    await putSavedFilter(tx, owner, filter);
    return { filters: await listSavedFilters(tx, owner) };
  });
}

/** Forgets a filter. Returns what is kept then. */
export async function forgetFilter(own: Own, name: string): Promise<{ filters: SavedFilter[] } | Refusal> {
  const owner = ownerOf(own);
  if (isRefusal(owner)) return owner;
  return own.inTenant(async (tx) => {
    if (!isPrintable(name) || !(await removeSavedFilter(tx, owner, name)))
      return refuse('not-found', 'you have no filter of this name');
    return { filters: await listSavedFilters(tx, owner) };
  });
}
