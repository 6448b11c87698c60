import { isEmailAddress } from './formats.ts';
import type { Role } from './roles.ts';
import type { ClaimMapping } from './sso.ts';

/** What an identity provider said of somebody: each claim's values, in order. */
export type Claims = ReadonlyMap<string, readonly string[]>;

/** Somebody as the claims have them. */
export interface MappedPerson {
  subject: string;
  /** Lower case. Never what somebody is recognised by. */
  email: string;
  name: string;
  /** Without repetition; empty where no claim and no default gives one. */
  roles: Role[];
  /** Whether the claims decide the roles at each sign-in, and not only at the first. */
  rolesFromClaims: boolean;
}

export type MappedClaims = { ok: true; person: MappedPerson } | { ok: false; fault: string };

const CLAIMS_MAX = 256;
const VALUES_MAX = 512;
const VALUE_CHARS_MAX = 4096;
const DEPTH_MAX = 4;
const SUBJECT_CHARS_MAX = 512;
const EMAIL_CHARS_MAX = 254;
const NAME_CHARS_MAX = 200;

/** Claims of a JSON object. What is nested gets a name with dots; numbers and booleans become text; the rest is left out. */
export function claimsOfJson(value: object): Claims {
  const claims = new Map<string, readonly string[]>();
  collect(value, '', 1, claims);
  return claims;
}

function collect(value: object, prefix: string, depth: number, claims: Map<string, readonly string[]>): void {
  for (const [key, item] of Object.entries(value) as [string, unknown][]) {
    if (claims.size >= CLAIMS_MAX) return;
    const name = prefix + key;
    if (isPlain(item) && depth < DEPTH_MAX) collect(item, `${name}.`, depth + 1, claims);
    else setClaim(claims, name, Array.isArray(item) ? item : [item]);
  }
}

/** Takes in what can stand for a text, within bounds. */
export function setClaim(claims: Map<string, readonly string[]>, name: string, values: readonly unknown[]): void {
  const texts = values.slice(0, VALUES_MAX).flatMap((value) => textOf(value) ?? []);
  if (texts.length > 0 && (claims.has(name) || claims.size < CLAIMS_MAX)) claims.set(name, texts);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.length > VALUE_CHARS_MAX) return undefined;
  return value.isWellFormed() && !value.includes('\0') ? value : undefined;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Who `claims` say somebody is, by `mapping` alone: no claim that it does not name has any effect. */
export function mapClaims(claims: Claims, mapping: ClaimMapping): MappedClaims {
  const subject = only(claims, mapping.subject);
  if (subject === undefined || subject.length > SUBJECT_CHARS_MAX || !subject.isWellFormed() || subject.includes('\0'))
    return fault(`one value of ${shown(mapping.subject)} is needed to know who signs in; let the provider send it`);
  const email = first(claims, mapping.email)?.trim().toLowerCase();
  if (email === undefined || email.length > EMAIL_CHARS_MAX || !isEmailAddress(email))
    return fault(`${shown(mapping.email)} must hold an e-mail address; let the provider send it, or map another claim`);
  const name = (first(claims, mapping.name)?.trim() || email).slice(0, NAME_CHARS_MAX);
  const rolesFromClaims = mapping.roles !== undefined;
  return {
    ok: true,
    person: {
      subject,
      email,
      name: name.toWellFormed().replaceAll('\0', '\ufffd'),
      roles: rolesOf(claims, mapping),
      rolesFromClaims,
    },
  };
}

function rolesOf(claims: Claims, { roles, defaultRole }: ClaimMapping): Role[] {
  const values = new Set(roles === undefined ? [] : valuesOf(claims, roles.claim));
  const mapped = new Set<Role>((roles?.table ?? []).filter(({ value }) => values.has(value)).map(({ role }) => role));
  if (mapped.size === 0 && defaultRole !== undefined) mapped.add(defaultRole);
  return [...mapped];
}

type ClaimName = string | string[] | undefined;

function namesOf(name: ClaimName): string[] {
  return name === undefined ? [] : [name].flat();
}

function valuesOf(claims: Claims, name: ClaimName): readonly string[] {
  const found = namesOf(name).find((one) => claims.has(one));
  return found === undefined ? [] : (claims.get(found) ?? []);
}

function first(claims: Claims, name: ClaimName): string | undefined {
  return valuesOf(claims, name)[0];
}

/** The value where there is exactly one: which of several somebody is could be chosen by whoever adds one. */
function only(claims: Claims, name: ClaimName): string | undefined {
  const values = valuesOf(claims, name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

function shown(name: ClaimName): string {
  return namesOf(name)
    .map((one) => JSON.stringify(one))
    .join(' or ');
}

function fault(text: string): MappedClaims {
  return { ok: false, fault: text };
}

/** Whether `email` may come in where only some domains may; none means all. */
export function isAllowedEmail(email: string, domains: readonly string[] | undefined): boolean {
  if (domains === undefined || domains.length === 0) return true;
  return domains.includes(email.slice(email.lastIndexOf('@') + 1));
}
