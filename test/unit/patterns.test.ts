import { createContext, Script } from 'node:vm';
import t from 'tap';
import { type Pump, patternsWrittenIn, pumpsOf, type SourcePattern } from '../support/patterns.ts';
import { randomOf } from '../support/random.ts';

/**
 * No regular expression of the service hangs, whatever it is given. Most are detection's, and read a command's words, a
 * name or an address, of which they are given 1,024 characters at most; what this does not see (time that grows with the
 * square of longer texts) the tests of the detectors see by texts of 64 KB and 1 MB.
 */

const TEXT_CHARS = [60, 1_024];
/** For a few milliseconds at most, on a busy machine. */
const TIME_MS = 2_000;
/** What no pattern ends with, so that it must try everything else. */
const END = '\u0001';

const context = createContext({ pattern: /(?:)/, texts: [''] });
const script = new Script('for (const text of texts) { pattern.lastIndex = 0; pattern.test(text); }');

/** Whether `pattern` is done with all `texts` in time. */
function isDone(pattern: RegExp, texts: readonly string[], timeMs: number): boolean {
  context['pattern'] = pattern;
  context['texts'] = texts;
  try {
    script.runInContext(context, { timeout: timeMs });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

/** The first of the pumps that `pattern` hangs on. Mostly none is, and all of them together take less time than to be looked at one by one. */
function slowPump(pattern: RegExp, pumps: readonly Pump[], timeMs = TIME_MS): Pump | undefined {
  if (isDone(pattern, pumps.flatMap(textsOf), timeMs)) return undefined;
  return pumps.find((pump) => textsOf(pump).some((text) => !isDone(pattern, [text], timeMs)));
}

function textsOf({ head, unit }: Pump): string[] {
  return TEXT_CHARS.map((chars) => head + unit.repeat(Math.ceil(chars / unit.length)) + END);
}

/** Patterns that are put together where the engine's modules are loaded. */
async function patternsMade(): Promise<SourcePattern[]> {
  const made: SourcePattern[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args, newTarget) {
      const pattern = Reflect.construct(target, args, newTarget) as RegExp;
      const at = new Error().stack?.split('\n')[2]?.replace(/^.*\/src\//, 'src/') ?? '';
      if (at.startsWith('src/detection/')) made.push({ at, pattern });
      return pattern;
    },
  });
  try {
    await import('../../src/detection/pipeline.ts');
    await import('../../src/detection/engine.ts');
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}

t.setTimeout(800_000);

t.test('a pattern that hangs is found', async (t) => {
  const random = randomOf(1);
  for (const pattern of [/^(?:[a-z]{0,12}\{\d\}|\{\d\})*$/, /(?:\d+)+x/, /^(?:win|linux)?(?:[-_]?(?:\d+|64|32))*$/i])
    t.ok(slowPump(pattern, pumpsOf(pattern, random), 300), String(pattern));
});

t.test('no pattern of the service hangs', async (t) => {
  const random = randomOf(1);
  const patterns = [...(await patternsMade()), ...patternsWrittenIn('src')];
  t.ok(patterns.length > 1_000);
  t.ok(patterns.some(({ at }) => at.includes('named-hashes.ts')));
  for (const { at, pattern } of patterns) {
    t.equal(slowPump(pattern, pumpsOf(pattern, random)), undefined, at);
  }
});
