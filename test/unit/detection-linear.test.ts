import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { sqlInjection } from '../../src/detection/detectors/actions/sqli/shapes.ts';
import { decodeBase64 } from '../../src/detection/facts/decode.ts';
import { hostsOfUrl } from '../../src/detection/facts/hosts.ts';
import { condense } from '../../src/detection/facts/shell/condense.ts';
import { isWholeStatement } from '../../src/detection/facts/sql/whole-statement.ts';
import { inspect } from '../../src/detection/pipeline.ts';
import { ALONE, builtinEngine } from '../support/engine.ts';
import { bash, toolInvocation, toolResult } from '../support/events.ts';
import { cpuMsOf, repeated, timesOf } from '../support/timing.ts';

/** Words of which each only leads to the next. */
const CHAINS = [
  'do ',
  'if ',
  'if not ',
  '@do ',
  'try ',
  'else ',
  '{{',
  '\u2039/',
  '$a ',
  '\u0024{A} ',
  '$a = ',
  'sudo ',
];

t.test('chains of words that only lead on take time in proportion to their length', async (t) => {
  for (const tool of ['PowerShell', 'Bash']) {
    for (const unit of CHAINS) {
      const run = (command: string) => inspect(toolInvocation(tool, { command }), ALONE, builtinEngine, unlimited);
      const { short, long, max } = timesOf(run, {
        unit,
        chars: [16_384, 65_536],
        longMsMax: (ms) => ms * 4 * 2 + 100,
      });
      t.ok(long < max, `${tool}, ${unit}: ${short.toFixed(1)} ms for 16 KB, ${long.toFixed(1)} ms for 64 KB`);
    }
  }
});

t.test('names of files in a command take time in proportion to their length', async (t) => {
  for (const unit of ['edge/', '.ssh/', 'mozilla', '../']) {
    const run = (name: string) => inspect(bash(`cat '${name}\n'`), ALONE, builtinEngine, unlimited);
    const { short, long, max } = timesOf(run, { unit, chars: [16_384, 65_000], longMsMax: (ms) => ms * 4 * 2 + 100 });
    t.ok(long < max, `${unit}: ${short.toFixed(1)} ms for 16 KB, ${long.toFixed(1)} ms for 64 KB`);
  }
});

/** Of which marks are made that are as long as somebody likes. */
const SIGNS = ['>', '#', '<', '-', '=', '*', '`', '[', '|'];

t.test('signs in what a tool gives back take time in proportion to their number', async (t) => {
  for (const sign of SIGNS) {
    const run = (text: string) => inspect(toolResult('Read', {}, { text }), ALONE, builtinEngine, unlimited);
    const { short, long, max } = timesOf(run, {
      unit: sign,
      chars: [16_384, 65_536],
      longMsMax: (ms) => ms * 4 * 2 + 100,
    });
    t.ok(long < max, `${sign}: ${short.toFixed(1)} ms for 16 KB, ${long.toFixed(1)} ms for 64 KB`);
  }
});

/** Both are only asked about bounded texts; what they take must not hang on that. */
const CASES: readonly [what: string, run: (text: string) => unknown, units: readonly string[]][] = [
  [
    'the hosts of an address',
    (text) => hostsOfUrl(`http://a.example/?${text}`),
    ['?url=', '&to=1.2.3.4', '?a=//', '&file=[::', '?to=localhost', 'https://a/?url=//1.1.1.1', '%3a', '=0x7f.'],
  ],
  ['the host and path of an address', (text) => hostsOfUrl(`http://a${text}!`), ['a', 'a.', '-', '/', '/.', '/a', '.']],
  ['what is almost base64', (text) => decodeBase64(`${text}!`), [' ', 'YQ\n', 'YQ= ', '=']],
  [
    'a script without its bulk',
    condense,
    ["'", '"', '\\"', "''", '<<a ', '<<a\na\n', '\n', '\t\ta', '# ', "echo '' | ", ' \n', "$'\\'"],
  ],
  [
    'the shape of an injection',
    sqlInjection,
    [
      'case when 1=1 ',
      'case 1 when ',
      '"+"',
      '" + "abc',
      'ascii(hex(',
      "' or match a ",
      '1#a\n',
      '’',
      '; do ',
      'or@a ',
    ],
  ],
  [
    'whether a text is a whole statement',
    (text) => isWholeStatement(`select ${text.slice(0, 32_000)}`),
    ["'", "a'b'", '/*', '--\n', '[a', 'a(', ') select ', 'as ( '],
  ],
];

/** Texts in which each piece leads on to the end of a long word, or of all that follows. */
const LEADING_ON: readonly [tool: string, unit: string][] = [
  ['send_mail', `${'token='.repeat(300)}a1 `],
  ['send_mail', `${'secret=aB3$'.repeat(150)} `],
  ['PowerShell', 'n=\\".'],
];

t.test('a piece that leads on to the end of a long word costs not much more than a short one', async (t) => {
  const run = (tool: string) => (text: string) =>
    inspect(toolInvocation(tool, { body: text, command: text }), ALONE, builtinEngine, unlimited);
  for (const [tool, unit] of LEADING_ON) {
    const timeOf = (of: string, enoughMs?: number) => cpuMsOf(() => run(tool)(repeated(of, 131_072)), 3, enoughMs);
    const plain = timeOf('token=a1 ');
    const max = plain * 4 + 150;
    const long = timeOf(unit, max);
    t.ok(long < max, `${tool}, ${unit.slice(0, 24)}: ${long.toFixed(1)} ms, ${plain.toFixed(1)} ms for short words`);
  }
});

t.test('code that almost starts itself for ever is read in no time', async (t) => {
  for (const lead of ['while 1', 'while', 'while (', 'loop', 'loop {', 'fork']) {
    const code = `fork ${lead}${' '.repeat(4_000)}x`;
    const tookMs = cpuMsOf(() => inspect(toolInvocation('run_python', { code }), ALONE, builtinEngine, unlimited), 1);
    t.ok(tookMs < 1_000, `${lead}: ${tookMs.toFixed(0)} ms`);
  }
});

t.test('a program may be called by any number', async (t) => {
  for (const name of ['1'.repeat(63), '-1'.repeat(31), '.1'.repeat(31), '-64'.repeat(21), 'x6432'.repeat(12)]) {
    const tookMs = cpuMsOf(() => inspect(bash(`${name}x list`), ALONE, builtinEngine, unlimited), 1);
    t.ok(tookMs < 1_000, name);
  }
});

t.test('hostile values take time in proportion to their length', async (t) => {
  for (const [what, run, units] of CASES) {
    for (const unit of units) {
      const { short, long, max } = timesOf(run, {
        unit,
        chars: [8_192, 131_072],
        longMsMax: (ms) => ms * 16 * 4 + 50,
      });
      t.ok(
        long < max,
        `${what}, ${JSON.stringify(unit)}: ${short.toFixed(1)} ms for 8 KB, ${long.toFixed(1)} ms for 128 KB`,
      );
    }
  }
});
