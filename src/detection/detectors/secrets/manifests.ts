import { isPlaceholder } from './placeholders.ts';
import { isRandom, lookOf } from './randomness.ts';
import type { Probe, Scan } from './seen.ts';
import { judgeValue } from './value-judgement.ts';

/**
 * Manifests whose kind says that all they hold is secret: Kubernetes' `Secret`, as files have it and as `kubectl get -o` prints it.
 * What each key is called matters only where it says that its value is none.
 */
export function secretManifests(): Probe {
  return {
    marks: ['kind: secret', 'kind: "secret', "kind: 'secret", '"kind": "secret', '"kind":"secret'],
    look(scan, start) {
      const { text } = scan;
      if (!KIND.test(text.slice(start, start + KIND_CHARS_MAX))) return;
      const [from, to] = manifestAround(text, start, scan.readUntil);
      scan.skipTo(to);
      const manifest = text.slice(from, to);
      readLines(scan, manifest, from);
      for (const { index, 1: entries = '', 0: whole } of manifest.matchAll(JSON_DATA))
        readEntries(scan, entries, from + index + whole.indexOf(entries), whole.startsWith('"string'));
    },
  };
}

const KIND = /^["']?kind["']?:[ ]?["']?Secret["']?\s{0,2}(?:$|[\s,}])/;
const KIND_CHARS_MAX = 24;
/** Code units of a manifest that are read before and behind its kind. */
const AROUND_CHARS_MAX = 16_384;

/** Where the next document of a stream begins, or the next item of a list. */
const NEXT = /\n(?:---|- )/;

/** The document of a stream, or the item of a list, that holds `at`; of what is read already, nothing. */
function manifestAround(text: string, at: number, readUntil: number): [from: number, to: number] {
  const from = Math.max(readUntil, at - AROUND_CHARS_MAX);
  const before = text.slice(from, at);
  const begin = Math.max(before.lastIndexOf('\n---'), before.lastIndexOf('\n- '), 0);
  const behind = text.slice(at, at + AROUND_CHARS_MAX);
  const end = behind.search(NEXT);
  return [from + begin, at + (end < 0 ? behind.length : end)];
}

const DATA = /^([ \t-]{0,16})(data|stringData):[ \t]{0,8}(?:#.*)?$/;

/** The entries right below `data:`, each on its line; what is nested further in is none. */
function readLines(scan: Scan, manifest: string, offset: number): void {
  let at = 0;
  let below: { indent: number; child: number; isPlain: boolean } | undefined;
  for (const line of manifest.split('\n')) {
    const indent = line.search(/\S/);
    if (below !== undefined && indent >= 0 && line[indent] !== '#') {
      if (indent <= below.indent) below = undefined;
      else {
        if (below.child < 0) below.child = indent;
        if (indent === below.child) readEntries(scan, line, offset + at, below.isPlain);
      }
    }
    const data = DATA.exec(line.trimEnd());
    if (data !== null) below = { indent: (data[1] as string).length, child: -1, isPlain: data[2] === 'stringData' };
    at += line.length + 1;
  }
}

const JSON_DATA = /"(?:data|stringData)"\s{0,4}:\s{0,4}\{([^{}]{1,16384})\}/g;
const ENTRY = /["']?([\w.-]{1,128})["']?:[ \t]{0,4}(?:["']([^"'\n]{1,4096})["']|([^\s"',|>][^\s"',]{0,4096}))/g;
/** Names, places, versions, certificates: what is no secret wherever it stands. */
const HARMLESS =
  /(?:^|[_.-])(?:user(?:name)?|login|name|host(?:name)?|port|namespace|database|db(?:name)?|region|zone|endpoint|url|type|kind|project|email|from|receiver|smarthost|image|tag|class(?:name)?|version|release|description|expiration|groups?|broker|date|lang|locale|opts|options|level|color|ciphers|crt|pem|pub(?:lic)?(?:[_-]?key)?|ca|cert(?:ificate)?)$/i;

function readEntries(scan: Scan, entries: string, offset: number, isPlain: boolean): void {
  for (const { index, 0: whole, 1: name = '', 2: quoted, 3: bare } of entries.matchAll(ENTRY)) {
    const value = quoted ?? bare ?? '';
    if (HARMLESS.test(name) || !isKept(isPlain ? value : decoded(value))) continue;
    const what = { what: 'generic', title: 'a value of a Kubernetes Secret', severity: 'high' as const };
    scan.add({ confidence: 0.75, start: offset + index + whole.lastIndexOf(value), value, ...what });
  }
}

/** What is written in Base64 there; empty where it is something else. */
function decoded(value: string): string {
  return /^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) ? Buffer.from(value, 'base64').toString('latin1') : '';
}

/** What is encrypted, an address, a date, a version or the name of a machine or an image. */
const PLAIN =
  /^ENC\[|^[a-z]{1,12}:\/\/[^@]*$|^[\w.+-]{1,64}@[\w.-]{1,190}(?::\S*)?$|^\d{4}-\d\d|^[\w-]{1,64}(?:[.:/][\w-]{1,64}){1,8}$/i;

/** Whether somebody keeps it for what it is: what a generator drew, or was thought up as a password. */
function isKept(value: string): boolean {
  if (value.length < VALUE_CHARS_MIN || isPlaceholder(value) || PLAIN.test(value)) return false;
  return isRandom(lookOf(value), VALUE_CHARS_MIN) || judgeValue(value, 'password', 'quoted') >= THOUGHT_UP;
}

const VALUE_CHARS_MIN = 8;
const THOUGHT_UP = 0.75;
