import { isPlaceholder } from './placeholders.ts';
import { isRandom, lookOf } from './randomness.ts';
import type { Probe, Scan } from './seen.ts';

/**
 * Manifests whose kind says that all they hold is secret: Kubernetes' `Secret`, as files have it and as `kubectl get -o` prints it.
 * What each key is called does not matter there.
 */
export function secretManifests(): Probe {
  return {
    marks: ['kind: secret', 'kind: "secret', "kind: 'secret", '"kind": "secret', '"kind":"secret'],
    look(scan, start) {
      const { text } = scan;
      if (!KIND.test(text.slice(start, start + KIND_CHARS_MAX))) return;
      const [from, to] = documentAround(text, start);
      scan.skipTo(to);
      const document = text.slice(from, to);
      for (const { index, 1: entries = '', 0: whole } of document.matchAll(DATA))
        readEntries(
          scan,
          entries,
          from + index + whole.length - entries.length,
          whole.trimStart().startsWith('string'),
        );
      for (const { index, 1: entries = '', 0: whole } of document.matchAll(JSON_DATA))
        readEntries(scan, entries, from + index + whole.indexOf(entries), whole.startsWith('"string'));
    },
  };
}

const KIND = /^["']?kind["']?:[ ]?["']?Secret["']?\s{0,2}(?:$|[\s,}])/;
const KIND_CHARS_MAX = 24;
/** Code units of a manifest that are read before and behind its kind. */
const AROUND_CHARS_MAX = 16_384;

/** The document of the stream that holds `at`. */
function documentAround(text: string, at: number): [from: number, to: number] {
  const from = Math.max(0, at - AROUND_CHARS_MAX);
  const before = text.lastIndexOf('\n---', at);
  const behind = text.indexOf('\n---', at);
  const to = Math.min(text.length, at + AROUND_CHARS_MAX);
  return [Math.max(from, before), behind < 0 ? to : Math.min(behind, to)];
}

/** The lines below `data:` that stand further in than it. */
const DATA = /(?:^|\n)(?:data|stringData):[ \t]{0,8}\r?\n((?:[ \t]{1,16}[^\n]{0,4096}\n?){1,128})/g;
const JSON_DATA = /"(?:data|stringData)"\s{0,4}:\s{0,4}\{([^{}]{1,16384})\}/g;
const ENTRY = /["']?([\w.-]{1,128})["']?:[ \t]{0,4}(?:["']([^"'\n]{1,4096})["']|([^\s"',|>][^\s"',]{0,4096}))/g;
/** What is no secret wherever it stands: names, places, certificates. */
const HARMLESS =
  /^(?:user(?:name)?|login|host(?:name)?|port|namespace|database|dbname|db|region|endpoint|type|\S{1,64}\.crt)$/i;

function readEntries(scan: Scan, entries: string, offset: number, isPlain: boolean): void {
  for (const { index, 0: whole, 1: name = '', 2: quoted, 3: bare } of entries.matchAll(ENTRY)) {
    const value = quoted ?? bare ?? '';
    if (HARMLESS.test(name) || !isKept(isPlain ? value : decoded(value))) continue;
    const what = { what: 'generic', title: 'a value of a Kubernetes Secret', severity: 'high' as const };
    scan.add({ ...what, confidence: 0.75, start: offset + index + whole.lastIndexOf(value), value });
  }
}

/** What is written in Base64 there; empty where it is something else. */
function decoded(value: string): string {
  return /^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) ? Buffer.from(value, 'base64').toString('latin1') : '';
}

/** Whether somebody keeps it for what it is: no word, number or address. */
function isKept(value: string): boolean {
  if (value.length < VALUE_CHARS_MIN || isPlaceholder(value) || /^[a-z]{1,12}:\/\/[^@]*$|^[\d.]+$/i.test(value))
    return false;
  const look = lookOf(value);
  return isRandom(look, VALUE_CHARS_MIN) || look.digits > 0 || /[!#$%&*+?@^~]/.test(value);
}

const VALUE_CHARS_MIN = 6;
