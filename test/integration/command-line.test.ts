import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';

/** What the real program says to words and input that are no good: one line that says what to mend, and exit code 2. */

const PROGRAM = fileURLToPath(new URL('../../bin/gatehouse.cjs', import.meta.url));
const ROW = `${JSON.stringify({ id: 1, event: { event_type: 'user_message', message: { content: 'hi' } } })}\n`;

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

function gatehouse(dataDir: string, words: readonly string[], input: Uint8Array | string = ''): Promise<Run> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', GATEHOUSE_DATA_DIR: dataDir };
    const child = execFile(process.execPath, [PROGRAM, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

t.test('recorded rows are read from files and from standard input; what cannot be read is told by name', async (t) => {
  const dataDir = t.testdir();
  const whole = gzipSync(ROW);
  const [file, cut] = [join(dataDir, 'rows.gz'), join(dataDir, 'cut.gz')];
  await writeFile(file, whole);
  await writeFile(cut, whole.subarray(0, 40));
  for (const [words, input] of [
    [['inspect', file], ''],
    [['inspect', '-'], whole],
    [['inspect'], ROW],
  ] as const) {
    const { code, stdout } = await gatehouse(dataDir, words, input);
    t.match([code, stdout], [0, /^\{"id":1,"events":\[\{"action":"allow"/], words.join(' '));
  }
  const refused: [words: string[], input: Uint8Array | string, said: RegExp][] = [
    [['inspect', cut], '', /cut\.gz: the gzip input is damaged or cut off/],
    [['inspect'], whole.subarray(0, 40), /standard input: the gzip input is damaged or cut off/],
    [['inspect', dataDir], '', /cannot read .* \(EISDIR\)/],
    [['inspect', join(dataDir, 'nothing')], '', /cannot read .*nothing \(ENOENT\)/],
    [['config', '--all'], '', /config takes no words/],
    [['verify', 'a\u001bb'], '', /"a\\u001bb" is no decision id/],
  ];
  for (const [words, input, said] of refused) {
    const { code, stderr } = await gatehouse(dataDir, words, input);
    t.match([code, stderr], [2, said], words.join(' '));
    t.equal(stderr.trim().split('\n').length, 1, 'in one line');
  }
});

t.test('tokens of a tenant that is not there are not an empty list', async (t) => {
  const dataDir = t.testdir();
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, 'tenants.json'), JSON.stringify([{ slug: 'demo' }]));
  const { code, stdout, stderr } = await gatehouse(dataDir, ['token', 'list', '--tenant', 'nope']);
  t.same([code, stdout, stderr], [1, '', 'gatehouse: there is no tenant "nope"; use one of: demo\n']);
});

t.test('words that no command has are told, and not passed over', async (t) => {
  const dataDir = t.testdir();
  for (const [words, told] of [
    [['start', '--port', '9000'], /start takes no words/],
    [['help', 'nope'], /there is no command "nope"/],
    [['tenants', 'add', 'a', '--deadline-ms', '300'], /add takes --name and --on-failure only/],
  ] as const) {
    const { code, stderr } = await gatehouse(dataDir, words);
    t.equal(code, 2, words.join(' '));
    t.match(stderr, told);
  }
});
