import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { inspect } from '../../src/detection/pipeline.ts';
import type { AgentEvent } from '../../src/domain/event.ts';
import { ALONE, builtinEngine } from '../support/engine.ts';
import { bash, toolInvocation, toolResult, userMessage } from '../support/events.ts';
import { pickOf, randomOf } from '../support/random.ts';
import { cpuMsOf } from '../support/timing.ts';

/**
 * A search for texts that make an inspection slow: one piece over and over, put together from what the detectors' own
 * sources are made of, and changed for as long as that makes it slower. SLOW_ROUNDS (default 60) says how long it
 * searches, SLOW_SEED (default 1) where it begins; 5,000 rounds take some ten minutes.
 */

const ROUNDS = Number(process.env['SLOW_ROUNDS'] ?? 60);
const SEED = Number(process.env['SLOW_SEED'] ?? 1);

const TEXT_CHARS = 32_768;
const PIECE_CHARS_MAX = 2_048;
/** How many times as long as prose of the same length a text may take. The slowest known take some forty times as long. */
const TIMES_PROSE_MAX = 64;
const PROSE = 'The orders of the last week were shipped on Monday, and two of them came back. ';
/** Changes that did not help, after which another piece is tried. */
const STALE_CHANGES = 10;
/** What counts as slower, since no two measurements are the same. */
const SLOWER_FACTOR = 1.1;

/** Where a text may stand. */
const PLACES: readonly [name: string, event: (text: string) => AgentEvent][] = [
  ['Bash', bash],
  ['PowerShell', (command) => toolInvocation('PowerShell', { command })],
  ['Python', (code) => toolInvocation('run_python', { code })],
  ['SQL', (sql) => toolInvocation('execute_sql', { sql })],
  ['address', (path) => toolInvocation('http_get', { url: `http://example.com/${path}` })],
  ['file', (content) => toolInvocation('Write', { file_path: '.github/workflows/build.yml', content })],
  ['path', (file_path) => toolInvocation('Read', { file_path })],
  ['result', (text) => toolResult('Read', {}, { text })],
  ['message', userMessage],
];

const SIGNS = [
  ...Array.from({ length: 127 }, (_, code) => String.fromCharCode(code)),
  ...'\\" \\\' \\n %2 %25 &# \\u </ <!-- --> ``` \u0024{ $( {{ }} /* */ -- =\\"'.split(' '),
  ...'é а 漢 \u200b \u202e \u0301 😀 \r\n'.split(' '),
];

/** Words as they stand in the sources of the detectors, in and out of their patterns. */
function wordsOfDetection(): string[] {
  const words = new Set<string>();
  for (const name of readdirSync('src/detection', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const source = readFileSync(join('src/detection', name), 'utf8');
    for (const [word] of source.matchAll(/[A-Za-z_$@#<[{(-][\w.:=/ -]{2,24}/g)) words.add(word);
  }
  return [...words];
}

const prose = PROSE.repeat(Math.ceil(TEXT_CHARS / PROSE.length)).slice(0, TEXT_CHARS);
/** As a message, and warm. */
const proseMs = cpuMsOf(() => inspect(userMessage(prose), ALONE, builtinEngine, unlimited), 8);

function msOf(event: (text: string) => AgentEvent, piece: string, turns = 1): number {
  const text = piece.repeat(Math.ceil(TEXT_CHARS / piece.length)).slice(0, TEXT_CHARS);
  return cpuMsOf(() => inspect(event(text), ALONE, builtinEngine, unlimited), turns);
}

/** Whether `piece` is slow, looked at again before that is said. */
function isSlow(event: (text: string) => AgentEvent, piece: string): boolean {
  const most = proseMs * TIMES_PROSE_MAX;
  return msOf(event, piece) > most && msOf(event, piece, 3) > most;
}

t.setTimeout(120_000 + ROUNDS * 2_000);

t.test('no sign makes an inspection slow by its number', async (t) => {
  for (const [name, event] of PLACES) {
    const slow = SIGNS.filter((sign) => isSlow(event, sign));
    t.strictSame(slow, [], name);
  }
});

t.test(`a search of ${ROUNDS} rounds from seed ${SEED} finds no text that makes an inspection slow`, async (t) => {
  const random = randomOf(SEED);
  const words = wordsOfDetection();
  const some = (): string => (random() < 0.6 ? pickOf(random, words) : pickOf(random, SIGNS));
  const begun = (): string => Array.from({ length: 1 + Math.floor(random() * 4) }, some).join('');
  const changed = (piece: string): string => {
    const at = Math.floor(random() * (piece.length + 1));
    const kind = random();
    if (kind < 0.35) return piece.slice(0, at) + pickOf(random, SIGNS) + piece.slice(at);
    if (kind < 0.55) return piece.slice(0, at) + piece.slice(at + 1 + Math.floor(random() * 8));
    if (kind < 0.8) return piece.slice(0, at) + some() + piece.slice(at);
    return piece.repeat(2 + Math.floor(random() * 12)) + pickOf(random, SIGNS);
  };
  let slowest = { ms: 0, place: '', piece: '' };
  for (let round = 0; round < ROUNDS; round++) {
    const [place, event] = pickOf(random, PLACES);
    let piece = begun();
    let ms = msOf(event, piece);
    for (let stale = 0; stale < STALE_CHANGES; stale++) {
      const next = changed(piece).slice(0, PIECE_CHARS_MAX) || 'a';
      const nextMs = msOf(event, next);
      if (nextMs <= ms * SLOWER_FACTOR) continue;
      [piece, ms, stale] = [next, nextMs, 0];
    }
    if (ms > slowest.ms) slowest = { ms, place, piece };
    if (isSlow(event, piece))
      t.fail(`${place}: ${JSON.stringify(piece)} takes ${ms.toFixed(0)} ms, prose ${proseMs.toFixed(0)} ms`);
  }
  const { ms, place, piece } = slowest;
  t.pass(
    `the slowest is ${JSON.stringify(piece.slice(0, 60))} in ${place}: ${ms.toFixed(0)} ms, prose ${proseMs.toFixed(0)} ms`,
  );
});
