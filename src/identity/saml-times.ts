import { attribute, type XmlElement } from './saml-xml.ts';

/** How far the provider's clock may be from ours. */
export const CLOCK_SKEW_MS = 60_000;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** A moment as SAML writes it, in Unix milliseconds; NaN where it is none. */
export function readInstant(text: string): number {
  return INSTANT.test(text) ? Date.parse(text) : Number.NaN;
}

/** Whether now is between `NotBefore` and `NotOnOrAfter` of the element, as far as it states them. */
export function isTimely(element: XmlElement | undefined, nowMs: number): boolean {
  if (element === undefined) return false;
  const from = attribute(element, 'NotBefore');
  const until = attribute(element, 'NotOnOrAfter');
  return (
    (from === '' || readInstant(from) <= nowMs + CLOCK_SKEW_MS) &&
    (until === '' || nowMs - CLOCK_SKEW_MS < readInstant(until))
  );
}
