import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import fc from 'fast-check';
import t from 'tap';
import { CelFault } from '../../src/detection/policy/cel/ast.ts';
import { compileCel } from '../../src/detection/policy/cel/compile.ts';
import type { Vocabulary } from '../../src/detection/policy/cel/compiled.ts';
import { Evaluation, EvaluationFault } from '../../src/detection/policy/cel/evaluation.ts';
import { parseCel } from '../../src/detection/policy/cel/parser.ts';
import { contents, count, decimal, flag, object, objects, text, texts } from '../../src/detection/policy/cel/types.ts';
import { unparse } from '../../src/detection/policy/cel/unparse.ts';
import { globSet } from '../../src/detection/policy/glob-set.ts';
import { cpuMsOf } from '../support/timing.ts';

const DECLARED = {
  tool: object('', { name: text(''), size: count(''), share: decimal(''), known: flag(''), words: contents('') }),
  hosts: objects('', { name: text(''), port: count(''), tags: texts('') }),
  paths: texts(''),
  at: text(''),
};
const FACTS = {
  tool: { name: 'Bash', size: 3, share: 0.5, known: true, words: ['rm', '-rf'] },
  hosts: [
    { name: 'a.example.com', port: 443, tags: ['x', 'y'] },
    { name: 'localhost', port: 0, tags: [] },
  ],
  paths: ['~/.ssh/id_rsa', 'src/main.ts'],
  at: '2026-03-04T05:06:07Z',
};
/** The same with ints as the library wants them. */
const LIBRARY_FACTS = {
  ...FACTS,
  tool: { ...FACTS.tool, size: 3n },
  hosts: FACTS.hosts.map((host) => ({ ...host, port: BigInt(host.port) })),
};
const GOOD = ['a', 'b', 'c', 'd', 'e', 'Bash'];
const VOCABULARY: Vocabulary = {
  facts: DECLARED,
  list: (name) => (name === 'good' ? GOOD : undefined),
  listNames: ['good'],
  labels: [],
  macro: () => undefined,
  macroNames: [],
};

type Outcome = { value: unknown } | { fault: string };

function run(expression: string, facts: object = FACTS): Outcome {
  const compiled = compileCel(expression, VOCABULARY, []);
  try {
    return { value: compiled.run(new Evaluation(facts)) };
  } catch (error) {
    if (!(error instanceof EvaluationFault)) throw error;
    return { fault: error.reason };
  }
}

const ENV = celEnv();
const LISTS = { good: GOOD };

function runLibrary(expression: string): Outcome {
  const value = plan(ENV, parse(expression))({ ...LIBRARY_FACTS, lists: LISTS });
  return isCelError(value) ? { fault: value.message } : { value: plain(value) };
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'object' && value !== null && Symbol.iterator in value)
    return [...(value as Iterable<unknown>)].map(plain);
  return value;
}

function agree(mine: Outcome, library: Outcome): boolean {
  if ('fault' in mine || 'fault' in library) return 'fault' in mine && 'fault' in library;
  return Object.is(mine.value, library.value) || JSON.stringify(mine.value) === JSON.stringify(library.value);
}

t.test('expressions give what they say', async (t) => {
  const cases: [expression: string, value: unknown][] = [
    ['tool.name == "Bash" && tool.size > 2', true],
    ["tool.name in ['a', 'Bash']", true],
    ['tool.name in lists.good', true],
    ['"z" in lists.good', false],
    ['tool.share >= 0.5 && tool.share < 1', true],
    ['tool.size == 3.0', true],
    ['size(paths) + tool.size * 2 - 1', 7],
    ['-7 / 2', -3],
    ['-7 % 2', -1],
    ['7.0 / 2.0', 3.5],
    ['hosts.exists(h, h.port == 443 && h.tags.exists(x, x == "y"))', true],
    ['hosts.all(h, h.port > 0)', false],
    ['hosts.exists_one(h, h.name.endsWith(".com"))', true],
    ['hosts.filter(h, h.port > 0).map(h, h.name)', ['a.example.com']],
    ['hosts.map(h, h.port > 0, h.name + ":" + string(h.port))', ['a.example.com:443']],
    ['size("a😀")', 2],
    ['"a😀".size() == 2', true],
    ['hosts.exists(h, hosts.exists(h, h.port == 0) && h.port == 443)', true],
    ['tool.known ? "yes" : "no"', 'yes'],
    ['!(!tool.known)', true],
    ['!!!tool.known', false],
    ['paths[0].startsWith("~/")', true],
    ['paths[9] == "x" || tool.known', true],
    ['paths[9] == "x" && !tool.known', false],
    ['hosts.exists(h, h.tags[0] == "x")', true],
    ['"ÀB".lowerAscii()', 'Àb'],
    ['"A\\u0042\\x43\\103\\"" == \'ABCC"\'', true],
    ['r"\\d" == "\\\\d"', true],
    ['"""a\nb""".contains("\\n")', true],
    ['timestamp(at).getHours() == 5', true],
    ['timestamp(at) - timestamp("2026-03-04T05:00:00Z") > duration("5m")', true],
    ['timestamp(at) < timestamp("2027-01-01T00:00:00Z") ? 1 : 2', 1],
    ['hosts.exists(h, int(string(h.port)) == 443)', true],
    ['paths.exists(p, p.like("**/.ssh/**"))', true],
    ['hosts.all(h, h.name.likeAny(["localhost", "*.example.com"]))', true],
    ['tool.name.matches("^(?i)bash$")', true],
    ['tool . name == "Bash" // a comment', true],
  ];
  for (const [expression, value] of cases) t.same(run(expression), { value }, expression);
});

t.test('what cannot be computed is a fault with its cause', async (t) => {
  const cases: [expression: string, cause: string][] = [
    ['paths[9] == "x"', 'index'],
    ['paths[-1] == "x"', 'index'],
    ['1 / (tool.size - 3) == 1', 'division'],
    ['1 % (tool.size - 3) == 1', 'division'],
    ['9007199254740991 + tool.size > 0', 'overflow'],
    ['9007199254740991 * tool.size > 0', 'overflow'],
    ['int(tool.name) == 1', 'library'],
    ['double(tool.name) > 1.0', 'library'],
    ['timestamp(tool.name).getHours() == 1', 'library'],
    ['paths[9] == "x" || !tool.known', 'index'],
    ['hosts.all(h, h.tags[0] == "x")', 'index'],
  ];
  for (const [expression, cause] of cases) t.same(run(expression), { fault: cause }, expression);
});

t.test('faults in expressions say where and what mends them', async (t) => {
  const cases: [expression: string, at: number, message: RegExp][] = [
    ['', 0, /empty/],
    ['tool.name = "x"', 10, /write ==/],
    ['tool.name == ', 10, /value behind this "==" is missing/],
    ['tool.known && && tool.known', 11, /value behind this "&&"/],
    ['(tool.known', 0, /never closed: add "\)"/],
    ['tool.known)', 10, /nothing open/],
    ['paths[0', 5, /add "\]"/],
    ['tool.name == "x', 13, /does not end/],
    ['tool.name == “x”', 13, /typographic quote/],
    ['tool.name "x"', 10, /operator such as && or == is missing/],
    ['tool.known & tool.known', 11, /write &&/],
    ['tool.nane == "x"', 5, /did you mean "name"/],
    ['tol.name == "x"', 0, /did you mean "tool"/],
    ['lists.goo == "x"', 6, /did you mean "good"/],
    ['tool.name.startWith("x")', 10, /did you mean "startsWith"/],
    ['startsWith(tool.name, "x")', 0, /write it behind its text/],
    ['tool.name == 3', 10, /a string and an int do not go together/],
    ['tool.size + 1.5 > 2.0', 10, /write both as decimals/],
    ['tool.name && tool.known', 5, /compare it with ""/],
    ['paths && tool.known', 0, /compare its size\(\) with 0/],
    ['paths.startsWith("x")', 6, /write \.exists\(x, x\.startsWith/],
    ['tool.name in "Bash"', 10, /contains/],
    ['tool.size in paths', 10, /never in a list of string/],
    ['hosts == hosts', 6, /cannot be compared as a whole/],
    ['tool in ["x"]', 5, /never in/],
    ['[1, "x"].exists(i, i == 1)', 4, /all elements must have one type/],
    ['tool.words.exists("x", true)', 18, /name of the element/],
    ['hosts.exists(h, h.name)', 18, /condition/],
    ['tool.name.matches(tool.name)', 10, /must be a literal/],
    ['tool.name.matches("(a")', 18, /no RE2 pattern/],
    ['tool.name.matches("(?=a)b")', 18, /no RE2 pattern/],
    ['tool.name.matches("a[ab]{900}|b[ab]{900}|c[ab]{900}")', 18, /has 27\d\d parts, .* and 1536 is the most/],
    ['tool.name.matches("(a)\\\\1")', 18, /no RE2 pattern/],
    ['has(tool.name)', 0, /always there/],
    ['tool.name == null', 13, /ever null/],
    ['size({}) == 0', 5, /maps/],
    ["b'x' == b'x'", 0, /bytes/],
    ['1u == 1u', 1, /unsigned/],
    ['99999999999999999999 > 1', 0, /too large/],
    ['timestamp(at).getHours("Europe/Berlin") == 1', 14, /time zones/],
    ['tool.known ? 1 : "x"', 11, /one type/],
    ['var == 1', 0, /reserved/],
    [`${'('.repeat(40)}true${')'.repeat(40)}`, 32, /nested deeper/],
  ];
  for (const [expression, at, message] of cases) {
    t.throws(() => compileCel(expression, VOCABULARY, []), { name: 'CelFault', at, message }, expression);
  }
});

t.test('expressions agree with the CEL library on its conformance cases, where both take them', async (t) => {
  const expressions = new Set<string>();
  const collect = (suite: IncrementalTestSuite): void => {
    for (const { original } of suite.tests ?? []) expressions.add(original.expr);
    for (const inner of suite.suites ?? []) collect(inner);
  };
  collect(getConformanceSuite());
  let compared = 0;
  for (const expression of expressions) {
    // In the library these are an extension, which is not loaded here.
    if (/(?:lower|upper)Ascii/.test(expression)) continue;
    let mine: Outcome;
    try {
      mine = run(expression);
    } catch (error) {
      if (!(error instanceof CelFault)) throw error;
      continue;
    }
    if ('fault' in mine && mine.fault === 'library') continue;
    compared++;
    t.ok(agree(mine, runLibrary(expression)), expression);
  }
  t.ok(compared > 300, `compared ${compared}`);
});

/** Texts of well-typed expressions. */
const expressions = fc.letrec<Record<'bool' | 'int' | 'double' | 'string' | 'strings', string>>((tie) => ({
  bool: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('true', 'false', 'tool.known'),
    fc.tuple(tie('bool'), fc.constantFrom('&&', '||'), tie('bool')).map(([l, op, r]) => `(${l} ${op} ${r})`),
    tie('bool').map((x) => `!${x.startsWith('!') ? `(${x})` : x}`),
    fc.tuple(tie('bool'), tie('bool'), tie('bool')).map(([c, x, y]) => `(${c} ? ${x} : ${y})`),
    fc
      .tuple(fc.constantFrom('int', 'double', 'string'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='))
      .chain(([type, op]) => fc.tuple(tie(type as 'int'), tie(type as 'int')).map(([l, r]) => `(${l} ${op} ${r})`)),
    fc.tuple(tie('int'), tie('double')).map(([l, r]) => `(${l} < ${r})`),
    fc.tuple(tie('string'), tie('strings')).map(([l, r]) => `(${l} in ${r})`),
    fc
      .tuple(tie('string'), fc.constantFrom('startsWith', 'endsWith', 'contains'), tie('string'))
      .map(([l, name, r]) => `(${l}).${name}(${r})`),
    fc
      .tuple(tie('string'), fc.constantFrom('^a', '[a-z]+', 'x|y$', '\\\\.', '(a*)*b'))
      .map(([l, pattern]) => `(${l}).matches("${pattern}")`),
    fc
      .tuple(fc.constantFrom('exists', 'all', 'exists_one'), tie('strings'), tie('string'))
      .map(([name, list, r]) => `(${list}).${name}(i, i == ${r} || size(i) > 3)`),
    fc
      .tuple(fc.constantFrom('exists', 'all', 'exists_one'), tie('int'), tie('bool'))
      .map(([name, n, b]) => `hosts.${name}(h, h.port > ${n} || (h.tags[0] == "x" && ${b}))`),
  ),
  int: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: -5, max: 500 }).map((n) => (n < 0 ? `(${n})` : `${n}`)),
    fc.constantFrom('tool.size', '9007199254740991', 'hosts[0].port', 'hosts[5].port'),
    fc.tuple(tie('int'), fc.constantFrom('+', '-', '/', '%'), tie('int')).map(([l, op, r]) => `(${l} ${op} ${r})`),
    fc.oneof(tie('string'), tie('strings')).map((x) => `size(${x})`),
    tie('int').map((x) => `(-${x})`),
  ),
  double: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('0.5', '2.0', 'tool.share', '1e3', '(-0.25)'),
    fc
      .tuple(tie('double'), fc.constantFrom('+', '-', '*', '/'), tie('double'))
      .map(([l, op, r]) => `(${l} ${op} ${r})`),
  ),
  string: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      '"a"',
      '"Bash"',
      '"x.y"',
      '""',
      "'é😀'",
      'tool.name',
      'at',
      'paths[0]',
      'paths[7]',
      'hosts[1].name',
    ),
    fc.tuple(tie('string'), tie('string')).map(([l, r]) => `(${l} + ${r})`),
    fc.tuple(tie('bool'), tie('string'), tie('string')).map(([c, x, y]) => `(${c} ? ${x} : ${y})`),
    fc.constantFrom('string(tool.size)', 'string(1.5)', 'string(true)'),
  ),
  strings: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('paths', 'tool.words', 'lists.good', '["a", "b"]', 'hosts.map(h, h.name)', 'hosts[0].tags'),
    fc.tuple(tie('strings'), tie('string')).map(([l, x]) => `(${l}).filter(s, s != ${x})`),
    fc.tuple(tie('strings'), tie('string')).map(([l, x]) => `(${l}).map(m, m + ${x})`),
  ),
}));

t.test('expressions agree with the CEL library on any well-typed expression', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.oneof(expressions.bool, expressions.int, expressions.string, expressions.strings),
        (expression) => {
          const mine = run(expression);
          const library = runLibrary(expression);
          // Ints have 53 bits here, and 64 there: a fault here is no disagreement.
          if ('fault' in mine && mine.fault === 'overflow') return true;
          return agree(mine, library);
        },
      ),
      { numRuns: 1_500, seed: 20_261_121 },
    ),
  );
});

t.test('an expression written out is the same expression', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(expressions.bool, (expression) => {
        const written = unparse(parseCel(expression));
        return unparse(parseCel(written)) === written && agree(run(written), run(expression));
      }),
      { numRuns: 300, seed: 7 },
    ),
  );
});

t.test('no text makes the compiler fail otherwise than with a fault', async (t) => {
  const pieces = fc.constantFrom(
    'tool',
    '.',
    'name',
    '(',
    ')',
    '[',
    ']',
    '"',
    "'",
    'exists',
    'x',
    ',',
    '==',
    '&&',
    '!',
    '-',
    '1',
    '1.5',
    ' ',
    'in',
    '?',
    ':',
    '\\',
    '\n',
    '😀',
    'r"',
    '//',
    '"""',
    'size',
    'lists',
    'macros',
    '0x',
    'e',
    '%',
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        try {
          compileCel(parts.join(''), VOCABULARY, []);
        } catch (error) {
          if (!(error instanceof CelFault)) throw error;
          return error.at >= 0 && error.at <= parts.join('').length && !error.message.includes('\n');
        }
        return true;
      }),
      { numRuns: 3_000, seed: 3 },
    ),
  );
  for (const text of [
    '('.repeat(4_096),
    '!'.repeat(4_095),
    'a.'.repeat(2_000),
    '1+'.repeat(2_000),
    'true?1:'.repeat(500),
    '['.repeat(4_000),
    '"'.repeat(4_095),
  ]) {
    t.throws(() => compileCel(text, VOCABULARY, []), { name: 'CelFault' }, text.slice(0, 8));
  }
  t.throws(() => compileCel('x'.repeat(5_000), VOCABULARY, []), { name: 'CelFault', at: 4_096 });
});

t.test('matches() takes linear time whatever the pattern and the text', async (t) => {
  const pattern = compileCel('tool.name.matches("(a+)+$|(a|aa)*b|(.*)(.*)(.*)x")', VOCABULARY, []);
  const timeMs = (length: number): number => {
    const facts = { ...FACTS, tool: { ...FACTS.tool, name: `${'a'.repeat(length - 1)}!` } };
    return cpuMsOf(() => pattern.run(new Evaluation(facts)), 5);
  };
  timeMs(16_384);
  const ratio = timeMs(16_384) / timeMs(2_048);
  t.ok(ratio < 40, `8 times the text, ${ratio.toFixed(1)} times the time`);
  t.same(run('tool.name.matches("a")', { tool: { ...FACTS.tool, name: 'a'.repeat(16_385) } }), {
    fault: 'text_length',
  });
});

t.test('what an expression may cost is bounded', async (t) => {
  const many = { paths: Array.from({ length: 4_000 }, (_, index) => `p${index}`) };
  const nested = 'paths.exists(x, paths.exists(y, paths.exists(z, x + y == z)))';
  const start = performance.now();
  t.same(run(nested, many), { fault: 'cost' });
  t.same(run(`true || ${nested}`, many), { value: true }, 'what is not needed is not paid for');
  t.same(run(`${nested} || true`, many), { fault: 'cost' }, 'a used-up budget is never taken for an answer');
  t.same(run('paths.exists(x, x.matches("^q"))', { paths: Array.from({ length: 100 }, () => 'x'.repeat(16_000)) }), {
    fault: 'cost',
  });
  t.ok(performance.now() - start < 5_000);
});

t.test('patterns of paths, hosts and names', async (t) => {
  const cases: [syntax: 'path' | 'name', pattern: string, text: string, matches: boolean][] = [
    ['path', '**/.ssh/**', '~/.ssh/id_rsa', true],
    ['path', '**/.ssh/**', '.ssh/config', true],
    ['path', '**/.ssh/**', '/home/x/.ssh', true],
    ['path', '**/.ssh/**', '/home/x/not.ssh/id', false],
    ['path', '**/.aws/credentials', '~/.aws/credentials', true],
    ['path', '**/.aws/credentials', '~/.aws/credentials.bak', false],
    ['path', '/etc/**', '/etc/passwd', true],
    ['path', '/etc/**', '/etc', true],
    ['path', '/etc/**', '/etcetera', false],
    ['path', '*.github.com', 'api.github.com', true],
    ['path', '*.github.com', 'github.com', false],
    ['path', '*.github.com', 'evil.com/x.github.com', false],
    ['path', 'src/*', 'src/main.ts', true],
    ['path', 'src/*', 'src/a/main.ts', false],
    ['path', 'src/**/*.test.ts', 'src/a/b/x.test.ts', true],
    ['path', 'src/**/*.test.ts', 'src/x.test.ts', true],
    ['path', 'src/**/*.test.ts', 'src/x_test.ts', false],
    ['path', 'a?c', 'abc', true],
    ['path', 'a?c', 'a/c', false],
    ['path', 'a.c', 'abc', false],
    ['path', '**', 'anything/at/all', true],
    ['path', 'README', 'readme', true],
    ['name', '*', 'team/agent', true],
    ['name', 'mcp__*', 'mcp__files__read', true],
    ['name', '*__exec', 'mcp__desktop__exec', true],
    ['name', '*shell*', 'mcp__shell__run', true],
    ['name', 'a*c*e', 'abcde', true],
    ['name', 'a*c*e', 'abcd', false],
    ['name', 'secret.*', 'secret.aws', true],
    ['name', 'secret.*', 'secrets', false],
  ];
  for (const [syntax, pattern, text, matches] of cases) {
    t.equal(globSet([pattern], syntax).matches(text), matches, `${pattern} on ${text}`);
  }
  t.equal(globSet(['x', '*.y', 'z/**/q*r'], 'path').matches('z/a/qqr'), true);
  const hostile = globSet(['*a*a*a*a*a*b', '**/a*a*a*a*c'], 'path');
  t.ok(cpuMsOf(() => hostile.matches('a'.repeat(65_536))) < 2_000, 'hostile text');
});
