/** What a browser calls itself in `User-Agent`, by what only it says; the first that fits counts. */
const BROWSERS: readonly [sign: RegExp, name: string][] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [sign: RegExp, name: string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
const HEADER_CHARS_READ = 512;

/** A name that its user recognises, as "Firefox on Linux", made of these few words alone whatever the header holds. */
export function browserName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, HEADER_CHARS_READ);
  const nameIn = (known: typeof BROWSERS) => known.find(([sign]) => sign.test(text))?.[1];
  const browser = nameIn(BROWSERS) ?? 'Another browser';
  const system = nameIn(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
