import { attribute, type XmlElement } from './saml-xml.ts';

/** How far the provider's clock may be from ours. */
export const CLOCK_SKEW_MS = 60_000;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** A moment as SAML writes it, in Unix milliseconds; NaN where it is none. */
export function readInstant(text: string): number {
  return INSTANT.test(text) ? Date.parse(text) : Number.NaN;
}

/** Some providers write the end of time, beyond which no database takes what is added. */
const LATEST_MS = Date.UTC(9999, 0);

/** Until when what ends then counts, with the leeway, in Unix milliseconds; NaN where the text is no moment. */
export function endOf(text: string): number {
  return Math.min(readInstant(text) + CLOCK_SKEW_MS, LATEST_MS);
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
