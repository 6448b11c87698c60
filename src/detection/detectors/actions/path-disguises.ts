import { decodeBase64 } from '../../facts/decode.ts';

/** UTF-16 code units of a path that are held against the patterns below. */
const PATH_CHARS_MAX = 1_024;

/** Ways up that are spelled so that a filter does not see them, but a careless program takes them. */
const SPELLED: readonly [RegExp, string][] = [
  [/(?:\.\.(?:0x)?(?:2f|5c|u221[56]|c0af|c1[19]c)){2}/i, 'hides its way up by half an encoding'],
  [/(?:\.{1,2}(?:%[0-9a-z]{2}){1,8}[/\\]?){2}\.?/i, 'hides its way up by encoding'],
  [/(?:[.?]{2}(?:%(?:25){0,4}[0-9a-z]{2}){1,4}){2}|\?\.%|\.\?[/\\%]/i, 'hides its way up by encoding'],
  [/(?:%(?:25)*(?:2e|c0%ae|c0%2e|e0%40%ae|uff0e|u002e)){2}/i, 'hides its way up by encoding'],
  [
    /(?:\.\.[/\\]{2,8}){2}|^[/\\]\.\.[/\\]{3}|^\.{3,4}[/\\]|(?:\.{1,2}[/\\]\.[/\\]){0,4}(?:\.\.[/\\]\.[/\\]){2}/,
    'is padded against filters',
  ],
  [/^[./\\]{7,}$|(?:[./]*\\\/[./]*){2}|(?:\/\.\\){1,}/, 'mixes separators against filters'],
  [
    /(?:^|[^.%])(?:\.\.%(?:25){0,4}(?:2f|5c)|(?:\.|%(?:25){0,4}2e)%(?:25){0,4}2e(?:[/\\%]|$)|%(?:25){0,4}2e\.[/\\%])/i,
    'hides its way up by encoding',
  ],
  [/\.{3,16}[/\\](?:[/\\]|\.[/\\])/, 'is padded against filters'],
  [
    /%(?:25){0,2}2fetc(?:%(?:25){0,2}2f|\/)(?:passwd|shadow|group|hosts|issue)\b|^[/\\]\.{3,8}[/\\](?:\.{2,8}[/\\]){0,8}(?:etc|proc|windows|winnt|boot\.ini)\b/i,
    'hides where it leads by encoding',
  ],
  [/(?:\.\.%u[0-9a-f]{4}){2}/i, 'hides its way up by half an encoding'],
  [/(?:\.[/\\]\.\.[/\\]){2}/, 'is padded against filters'],
  [/(?:\.\.[;,|?<>"'^*]{1,3}[/\\]){2}|(?:\.\?\/|\?\.%?){2}/, 'breaks its way up by other characters'],
  [
    /^(?:php|expect|phar|zip|zlib|glob|data|compress\.\w+|rar|ogg|input|ftps?|netdoc|jar|gopher|dict):(?:\/\/|text|application)/i,
    'names a filter or scheme in place of a file',
  ],
  [
    /^[/\\]{2}(?:\d{1,3}\.){3}\d{1,3}[/\\]|^[/\\]{2}[?.][/\\]UNC[/\\]|^[/\\]{2}[\w.-]+@(?:ssl|\d+)[/\\]|^\\\\(?:localhost|\[?[0-9a-f]{0,4}:[0-9a-f:]{1,40}\]?|[\w.-]{1,64}\\[a-z]\$)\\/i,
    "leads to another machine's share",
  ],
];

/** What is wrong with how a path is written, or undefined. */
export function disguiseOf(written: string): string | undefined {
  const text = written.slice(0, PATH_CHARS_MAX);
  if (!/[.%:\\]|^[A-Za-z0-9+/]{8,}={0,2}$|\/\//.test(text)) return undefined;
  for (const [pattern, what] of SPELLED) if (pattern.test(text)) return what;
  if (climbsBack(text)) return 'goes down only to climb further up';
  return inBase64(text) ? 'is hidden in base64' : undefined;
}

/** `uploads/../../x`, `/srv/app/../../../x`: behind a directory that the program put there, or that is to look as if. */
function climbsBack(text: string): boolean {
  if (!/[^/\\.][/\\]+\.\.(?:[/\\]|$)/.test(text)) return false;
  const absolute = /^(?:[/\\]|[a-z]:[/\\])/i.test(text);
  let depth = 0;
  let deepest = 0;
  for (const step of text.split(/[/\\]+/)) {
    if (step === '..') depth--;
    else if (step !== '' && step !== '.' && !step.endsWith(':')) depth++;
    deepest = Math.max(deepest, depth);
    if (depth < 0 ? deepest > 0 : absolute && depth === 0 && deepest > 1) return true;
  }
  return false;
}

/** A whole path in base64 that leads up, or to what the system keeps. */
function inBase64(text: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(text) || text.includes('//')) return false;
  const decoded = decodeBase64(text) ?? '';
  return /^(?:[./\\]*\.\.[/\\]|\/?(?:etc|proc|var|root|home|windows|boot)[/\\]|[a-z]:[/\\])[\x20-\x7e]*$/i.test(
    decoded,
  );
}

/** A value that is no path to its tool, but can only be meant as one. */
export const SMUGGLED_PATH =
  /(?:\.{2,}(?:[/\\]|%(?:25)*(?:2f|5c)|%c0%af|0x2f){1,8}){2,64}[^\s"']{0,64}(?:etc[/\\%]|passwd|shadow|win(?:dows|nt|\.ini)|boot\.ini|proc[/\\%]|\.ssh|id_rsa|\.env\b|web\.config|hosts\b|var[/\\%](?:log|run)|root[/\\%]|\.(?:aws|kube|vault-token|npmrc|netrc)|serviceaccount|wp-config)|(?:%(?:25)*2e){2}(?:%(?:25)*(?:2f|5c)|[/\\]){1,4}(?:%(?:25)*2e){2}|php:\/\/(?:filter|input)|expect:\/\/|file:\/\/\/?(?:etc|proc|windows|c:[/\\]{1,4}(?:win|boot|inetpub|users[/\\]{1,4}[^/\\]{1,64}[/\\]{1,4}(?:\.|appdata|ntuser)))|\/etc\/(?:passwd|shadow)(?:%00|\0)/i;
