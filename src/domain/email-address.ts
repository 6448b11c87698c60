import { isEmailAddress } from './formats.ts';

const CHARS_MAX = 254;

/**
 * An e-mail address of a person as it is stored, compared and written to: trimmed and in lower case. Undefined for what is
 * none, and for the forms that nobody's mailbox has but that mail programs read in their own ways (`"a b"@…`, `a@[127.0.0.1]`).
 */
export function canonicalEmail(text: string): string | undefined {
  if (text.length > 2 * CHARS_MAX) return undefined;
  const address = text.trim().normalize('NFC').toLowerCase();
  if (address.length > CHARS_MAX || !isEmailAddress(address)) return undefined;
  return address.startsWith('"') || address.endsWith(']') ? undefined : address;
}

/** The part after the `@` of a canonical address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
