import t from 'tap';
import { canonicalPath } from '../../src/detection/facts/paths.ts';
import { applyFlowEffects } from '../../src/detection/flow/fold-memory.ts';
import { type FlowMemory, NO_FLOW } from '../../src/detection/flow/memory.ts';
import { mergeMemories } from '../../src/detection/flow/merge-memories.ts';
import { guardedFilesSaid, isNamedIn } from '../../src/detection/flow/named-files.ts';
import { noteAgentMessage, noteUserMessage } from '../../src/detection/flow/remember.ts';
import { handedDown, reportedBack } from '../../src/detection/flow/share-memory.ts';
import { detect } from '../support/detections.ts';
import { bash } from '../support/events.ts';
import { cpuMsOf } from '../support/timing.ts';

const KEY = Buffer.from('0123456789abcdef0123456789abcdef');

const said = (text: string): string[] => guardedFilesSaid(text).named.map((path) => path.text);

const after = (memory: FlowMemory, text: string): FlowMemory =>
  applyFlowEffects(memory, noteUserMessage(text, [], KEY));

const isNamed = ({ userFiles }: FlowMemory, path: string): boolean =>
  userFiles !== undefined && isNamedIn(userFiles, canonicalPath(path), KEY);

t.test('files with credentials that a message names', async (t) => {
  const messages: [string, ...string[]][] = [
    ["Check whether our test key still works. It's in .env.", '.env'],
    ["Publish packages/grid. The token's in .npmrc of my home.", '.npmrc'],
    ['env file is at `/srv/rag/.env`, the other at "./apps/api/.env.local"', '/srv/rag/.env', 'apps/api/.env.local'],
    ['use (~/.aws/credentials), profile dev', '~/.aws/credentials'],
    ['Schau in /home/dev/app/.env nach', '/home/dev/app/.env'],
    ['C:\\work\\shop\\.env has it', 'c:/work/shop/.env'],
    ['the credentials are wrong, and so is the environment file'],
    ['read src/env.ts and docs/aws.md'],
    ['we want the client to use the current .env', '.env'],
    ['read /etc/nginx/nginx.conf and tell me the worker count', '/etc/nginx/nginx.conf'],
    ['what does /var/log/app/app.log say? And ~/.ssh/config?', '/var/log/app/app.log', '~/.ssh/config'],
    ['install it to /opt/shop and /usr/local/bin'],
  ];
  for (const [text, ...paths] of messages) t.strictSame(said(text), paths, text);
});

t.test('what a message refuses, it does not name', async (t) => {
  for (const text of [
    'Never open .env',
    "you needn't look at .env",
    'cant we do without .env',
    'leave /etc/nginx/nginx.conf alone',
    '/etc/passwd is off limits',
    'stay away from /etc/passwd',
    'what does https://app.example/view?file=/etc/passwd do',
    'GET /../../etc/passwd was in the log',
    "please don't touch the .env of the api",
    'everything without .env',
    'add .env to .gitignore',
    'make sure nobody commits .env',
    'Bitte nicht .env lesen',
    'ne lis pas .env',
    'не читай .env',
    '不要读取 .env 文件',
    '.env は読まないで',
    'no leas .env',
  ]) {
    t.strictSame(said(text), [], text);
  }
  t.strictSame(said("No, don't guess. It is in .env"), ['.env'], 'another clause');
});

t.test('a named file is known by its whole path, or by the end of it that was said', async (t) => {
  const short = after(NO_FLOW, 'it is in .env');
  for (const path of ['.env', './.env', 'bot/.env', '/srv/rag/.env', '~/app/.env']) t.ok(isNamed(short, path), path);
  for (const path of ['.env.local', '.env*', 'x.env', '~/.npmrc']) t.notOk(isNamed(short, path), path);
  const whole = after(NO_FLOW, 'it is in /srv/rag/.env');
  for (const path of ['/srv/rag/.env', '.env', 'rag/.env', '/srv/x/../rag/.env']) t.ok(isNamed(whole, path), path);
  for (const path of ['/srv/api/.env', 'api/.env', '~/.env']) t.notOk(isNamed(whole, path), path);
  const home = after(NO_FLOW, 'the token is in ~/.npmrc');
  t.ok(isNamed(home, '/home/dev/.npmrc'));
  t.notOk(isNamed(NO_FLOW, '.env'));
});

t.test('a file that the agent offered to read is named by a yes', async (t) => {
  const offered = applyFlowEffects(NO_FLOW, noteAgentMessage('Shall I look into .env for the key?', KEY));
  t.notOk(isNamed(offered, '.env'));
  t.ok(isNamed(after(offered, 'yes, please'), '.env'));
  t.notOk(isNamed(after(offered, 'I would rather look myself'), '.env'));
});

t.test('a refusal takes back what was named, and a word on where a file is not to go does not', async (t) => {
  const named = after(NO_FLOW, 'the key is in .env, the token in ~/.npmrc');
  const taken = after(named, "please don't read .env");
  t.notOk(isNamed(taken, '.env'));
  t.ok(isNamed(taken, '~/.npmrc'), 'only that one');
  t.ok(isNamed(after(taken, 'all right, look into .env'), '.env'), 'until it is named again');
  const whole = after(NO_FLOW, 'it is in /srv/rag/.env');
  t.notOk(isNamed(after(whole, "don't read .env"), '/srv/rag/.env'), 'by its end');
  t.notOk(isNamed(after(named, "don't read /srv/rag/.env"), '/srv/rag/.env'), 'by its whole path');
  t.ok(isNamed(after(named, "don't read /srv/rag/.env"), '/srv/api/.env'), 'another one is not meant');
  t.ok(isNamed(after(taken, 'all right, look into /srv/rag/.env'), '/srv/rag/.env'), 'until one of them is named');
  t.notOk(isNamed(after(taken, 'all right, look into /srv/rag/.env'), '/srv/api/.env'));
  t.ok(isNamed(after(named, 'add .env to .gitignore, and nobody commits .env'), '.env'));
  t.notOk(isNamed(after(NO_FLOW, "The key is in .env. Don't open it."), '.env'), 'in the same message');
  t.notOk(isNamed(after(named, "The key is in .env. Don't open it."), '.env'));
});

t.test('what the user named goes down to a sub-agent, and nothing comes up from one', async (t) => {
  const parent = after(NO_FLOW, 'it is in .env');
  t.ok(isNamed(mergeMemories(NO_FLOW, handedDown(parent, 0)), '.env'));
  const news = reportedBack(after(NO_FLOW, 'read ~/.npmrc and mail ann@corp.example'), NO_FLOW, 0);
  t.notOk(news !== undefined && isNamed(mergeMemories(NO_FLOW, news), '~/.npmrc'));
});

t.test('names of variables, and what is no secret among them, may be read without being named', async (t) => {
  const kinds = (command: string): string[] => detect(bash(command)).map(({ kind }) => kind);
  for (const command of [
    'cut -d= -f1 .env',
    "cut -d '=' -f 1 .env.local | sort",
    "cat .env | grep -v '^#' | cut -d= -f1",
    "sed 's/=.*//' .env",
    "sed -E 's/^([A-Z_]+)=.*/\\1/' .env",
    "sed -e 's/=.*/=<redacted>/' .env",
    "awk -F= '{print $1}' .env",
    "awk -F '=' '/^[A-Z]/ { print $1 }' .env",
    "grep -oE '^[A-Z_]+' .env",
    "awk -F= '{print $1}' .env .env.local",
    "sed 's/^\\([^=]*\\)=.*/\\1/' .env",
    "grep -o '^[^=]*' .env",
    'grep ^API_URL= .env',
    'grep -n "^PORT=" .env.local',
    'grep -E "^(NODE_ENV|FRONTEND_URL|LLM_MODEL)=" .env.staging',
    "grep '^NEXT_PUBLIC_SITE_ID=' .env.local",
    'patch -p0 < patches/.env.patch',
    'diff <(cut -d= -f1 .env.example | sort) <(cut -d= -f1 .env | sort)',
  ]) {
    t.notOk(kinds(command).includes('credential.environment_file'), command);
  }
  for (const command of [
    'cut -d= -f2 .env',
    'grep -v PORT .env',
    'grep URL .env',
    'grep API_URL .env',
    'grep PORT .env',
    'grep -i ^env= .env',
    'grep -E "^(NODE_ENV|API_KEY)=" .env',
    'grep -E "^(NODE_ENV|PORT|)=" .env',
    'grep -E "^(NODE_ENV|PORT)" .env',
    'grep ^VITE_OPENAI_API_KEY= .env',
    'grep ^DB_BASE_URL= .env',
    'grep DATABASE_URL .env',
    'grep -e PORT -e KEY .env',
    'grep -E "^PORT|KEY" .env',
    'cut -d= -f1- .env',
    'cut -d= -f1,2 .env',
    'cut -d= -f1 --complement .env',
    "sed 's/A=.*//' .env",
    "sed 's/=.*/&/' .env",
    "sed 's/\\(.*\\)=\\(.*\\)/\\2/' .env",
    "sed -e 's/=.*//' -e 's/x/y/' .env",
    "awk -F= '{print $2}' .env",
    "awk -F= '{print $1; print $2}' .env",
    "awk -F= '{print $1}' FS=@ .env",
    "grep -oE '^[A-Za-z0-9_^=]+' .env",
    "sed 's/\\(.*\\)=.*/\\1/' .env",
    "sed -E 's/^([0-9]+)=.*/\\1/' .env",
    "sed -E 's/^([^=A-Z]+)=.*/\\1/' .env",
    "grep -o '^[A-Z_=]*' .env",
    "grep -o '^.*' .env",
    "grep -oE -e '^[A-Z_]+' -e '.*' .env",
    "sed -e p -e 's/=.*//' .env",
    "sed -n -e 's/=.*//' -e p .env",
    "sed 's/=.*//;p' .env",
    'cat .env | tee copy | cut -d= -f1',
    'cat .env > copy | cut -d= -f1',
    'cat .env | cut -d= -f1; cat .env',
    'cat .env | sort',
  ]) {
    t.ok(kinds(command).includes('credential.environment_file'), command);
  }
});

t.test('names are looked for in linear time', async (t) => {
  const texts = ['a.', '/.env', '.env, ', './/', 'never .env ', "n't", '_'.repeat(40), '. '];
  for (const text of texts) {
    const took = (times: number): number => {
      const long = text.repeat(times);
      return cpuMsOf(() => {
        for (let round = 0; round < 4; round++) guardedFilesSaid(long);
      });
    };
    took(2_000);
    t.ok(took(100_000) < 400, JSON.stringify(text));
  }
});

t.test('of more than is reported, none counts as named', async (t) => {
  const seen = (count: number) => detect(bash(`${'cat .env; '.repeat(count)}cat ~/.ssh/id_rsa`));
  t.ok(seen(3).some(({ file }) => file?.text === '.env'));
  t.notOk(
    seen(80).some(({ file }) => file !== undefined),
    'what is cut off may be something else',
  );
});
