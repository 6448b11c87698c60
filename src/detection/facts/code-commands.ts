/** Commands that code hands to others than a function that starts a process, as scripts of a shell or as words. */

/** A cell of a notebook that a shell reads, by its first line: `%%bash`, `%sh`, `%%script bash`. */
const SHELL_CELL =
  /^\s{0,64}%{1,2}(?:bash|sh|system|sx|script\s{1,4}(?:\/[\w/]{1,32}\/)?(?:ba|z|da|k)?sh)\b[^\n]{0,256}\n([\s\S]+)$/;
/** A line of a notebook that a shell is handed: `!make`, `files = !ls`, `%sx ls`. Not the `!function(` of JavaScript. */
const SHELL_LINE =
  /^[ \t]{0,64}(?:[A-Za-z_]\w{0,63}[ \t]{0,4}=[ \t]{0,4})?(?:!{1,2}|%(?:system|sx|sh)[ \t])[ \t]{0,4}(?=[\w./~$"'({\\])(?!function\b)((?:[^\n\\]|\\[\s\S]){1,4096})/gm;

/** How many of something are looked for, and what is called where there are more. */
export interface Bound {
  max: number;
  cut: () => void;
}

/** What a notebook's cell hands to a shell. */
export function notebookScripts(code: string, bound: Bound): string[] {
  if (!/[!%]/.test(code)) return [];
  const cell = SHELL_CELL.exec(code)?.[1];
  if (cell !== undefined) return [cell];
  return firstOf(code.matchAll(SHELL_LINE), bound).map(([, script = '']) => script);
}

/** `boto3.client('s3')`, `import { S3Client } from '@aws-sdk/client-s3'`. */
const AWS_SERVICE = /\.(?:client|resource)\(\s{0,4}["']([a-z\d-]{2,32})["']|@aws-sdk\/client-([a-z\d-]{2,32})/g;
/** `ec2.terminate_instances(`, `new TerminateInstancesCommand(`, with a beginning of their arguments. Not those that only look. */
const AWS_CALL =
  /(?:\.((?:delete|terminate|deregister|purge|remove|schedule|disable|detach|attach|authorize|put|create|update|modify)(?:_[a-z\d]{1,20}){1,6})|\bnew\s((?:Delete|Terminate|Deregister|Purge|Remove|Schedule|Disable|Detach|Attach|Authorize|Put|Create|Update|Modify)[A-Za-z\d]{2,60})Command)\s?\(([^()]{0,512})/g;
const AWS_ARGUMENT = /\b([A-Z][A-Za-z]{1,40})\s{0,4}[=:]\s{0,4}["']([^"'\n]{1,256})["']/g;
const BUCKET_EMPTIED =
  /\bBucket\(\s{0,4}["']([\w.-]{3,64})["']\s{0,4}\)\s{0,4}\.objects\.(?:all|filter)\([^()]{0,128}\)\.delete\(/g;
const SERVICES_MAX = 4;
const ARGUMENTS_MAX = 16;

/** Each client of Amazon's cloud that code makes, up to the end of its arguments; and a maker that goes by another name. */
const CLIENTS = /(?:\.\s{0,4}(?:client|resource)|\bnew\s{1,4}\w{1,64})\s{0,4}\(([^()]{0,512}\))?/g;
const RENAMED =
  /[=,(]\s{0,4}[\w.]{0,64}\.(?:client|resource)\b(?!\s{0,4}\()|Client\s{1,4}as\b|Client\s{0,4}:\s{0,4}\w|\bgetattr\(/;
/** What plays that cloud on this machine, as one literal. */
const EMULATED =
  /\bendpoint(?:_url)?["']?\s{0,4}[=:]\s{0,4}["']https?:\/\/(?:localhost|127\.0\.0\.1|localstack|minio)(?::\d{1,5})?(?:\/[\w./-]{0,64})?["']\s{0,4}[,)}]/;
const REMARK = /#[^\n]*|(?<!:)\/\/[^\n]*|\/\*[\s\S]{0,512}?\*\//g;

/** Whether every client that `code` makes is one of what plays the cloud on this machine. */
function isEmulated(code: string): boolean {
  if (!EMULATED.test(code) || RENAMED.test(code)) return false;
  const clients = [...code.replace(REMARK, '').matchAll(CLIENTS)];
  return clients.length > 0 && clients.every(([, given = '']) => EMULATED.test(given));
}

/** What code asks Amazon's cloud for through its libraries, as words of its command line, which names everything alike. */
export function cloudCommands(code: string, { max, cut }: Bound): string[][] {
  if (!/\bboto3\b|@aws-sdk\//.test(code) || isEmulated(code)) return [];
  const named = firstOf(code.matchAll(AWS_SERVICE), { max, cut }).map(([, python, script]) => python ?? script ?? '');
  const services = firstOf(new Set(named), { max: SERVICES_MAX, cut });
  const each = { max: Math.ceil(max / SERVICES_MAX), cut };
  const calls = firstOf(code.matchAll(AWS_CALL), each).map(([, python, script, args = '']) => [
    kebab(python ?? script ?? ''),
    ...[...args.matchAll(AWS_ARGUMENT)]
      .slice(0, ARGUMENTS_MAX)
      .flatMap(([, name = '', value = '']) => [`--${kebab(name)}`, value]),
  ]);
  const emptied = firstOf(code.matchAll(BUCKET_EMPTIED), each).map(([, bucket = '']) => [
    'aws',
    's3',
    'rm',
    `s3://${bucket}`,
    '--recursive',
  ]);
  return [
    ...services.flatMap((name) => calls.map((call) => ['aws', name === 's3' ? 's3api' : name, ...call])),
    ...emptied,
    ...resourcesDeleted(code, services[0] ?? 'ec2', each),
  ];
}

/** `ec2.instances.all().terminate()`, `for each in s3.buckets.all(): each.delete()`. */
const COLLECTION =
  /\.(instance|bucket|table|volume|snapshot|image|queue|stack|vpc)s\.(?:all|filter)\([^()\n]{0,128}\)(?:\.(terminate|delete|purge)\()?/g;
/** `dynamodb.Table('users').delete()`, `table = dynamodb.Table('users')`. */
const RESOURCE =
  /(?:\b([A-Za-z_]\w{0,63})\s{0,4}=\s{0,4})?\b[\w.]{1,64}(?:\([^()\n]{0,64}\))?\.(Instance|Bucket|Table|Volume|Snapshot|Queue|Stack|Cluster)\(\s{0,4}["']([^"'\n]{1,128})["']\s{0,4}\)(?:\.(terminate|delete|purge)\()?/g;

/** What the objects are told that the library has for things in the cloud, one or all of a kind. */
function resourcesDeleted(code: string, service: string, bound: Bound): string[][] {
  const spoken = service === 's3' ? 's3api' : service;
  const collections = firstOf(code.matchAll(COLLECTION), bound).flatMap(([, noun = '', verb]) => {
    const each = /\bfor\s{1,4}(\w{1,64})\s{1,4}in\b/.exec(code)?.[1];
    const deleting = verb ?? (each === undefined ? undefined : verbCalledOn(code, each));
    return deleting === undefined ? [] : [['aws', spoken, `${deleting}-${noun}s`]];
  });
  const single = firstOf(code.matchAll(RESOURCE), bound).flatMap(([, name, noun = '', id = '', verb]) => {
    const deleting = verb ?? (name === undefined ? undefined : verbCalledOn(code, name));
    return deleting === undefined ? [] : [['aws', spoken, `${deleting}-${noun.toLowerCase()}`, id]];
  });
  return [...collections, ...single];
}

function verbCalledOn(code: string, name: string): string | undefined {
  return ['terminate', 'delete', 'purge'].find((verb) => code.includes(`${name}.${verb}()`));
}

/** Calls of libraries that do what a program does, and the words of that program's command with what the call gives. */
const AS_COMMANDS: readonly { call: RegExp; words: (given: readonly string[]) => string[] }[] = [
  {
    call: /\bos\.chmod\(\s{0,4}["']([^"'\n]{1,256})["']\s{0,4},\s{0,4}0o?(\d{3,4})\b/g,
    words: ([path = '', mode = '']) => ['chmod', mode, path],
  },
  { call: /\bos\.kill\(\s{0,4}-1\s{0,4},/g, words: () => ['kill', '-9', '-1'] },
  { call: /\.(container|volume|image|network)s\.prune\(/g, words: ([kind = '']) => ['docker', kind, 'prune', '-f'] },
  {
    call: /\.delete_(namespace|node|persistent_volume)\(\s{0,4}(?:name\s{0,4}=\s{0,4})?["']([\w.-]{1,128})["']/g,
    words: ([kind = '', name = '']) => ['kubectl', 'delete', kind.replaceAll('_', ''), name],
  },
  {
    call: /\bbucket\(\s{0,4}["']([\w.-]{3,64})["']\s{0,4}\)\.delete\(/g,
    words: ([bucket = '']) => ['gcloud', 'storage', 'rm', '-r', `gs://${bucket}`],
  },
  { call: /\.(?:flushall|flushAll)\(/g, words: () => ['redis-cli', 'FLUSHALL'] },
  { call: /\.(?:dropDatabase|drop_database)\(/g, words: () => ['mongosh', '--eval', 'db.dropDatabase()'] },
  {
    call: /\bmake_archive\(\s{0,4}[^,()]{1,256},\s{0,4}["']\w{2,8}["']\s{0,4},\s{0,4}(?:root_dir\s{0,4}=\s{0,4})?["']([^"'\n]{1,256})["']/g,
    words: ([path = '']) => ['tar', 'czf', '-', path],
  },
];
/** Whether any of these may be there: most code has none. */
const MAY_COMMAND = /\bos\.(?:chmod|kill)|s\.prune\(|\.delete[_(]|\.flush[aA]ll\(|\.drop_?[dD]atabase\(|make_archive/;
/** `z = zipfile.ZipFile('a.zip', 'w')`, `with tarfile.open('a.tgz', 'w:gz') as t`. */
const ARCHIVE =
  /(?:(?<![\w.])([A-Za-z_]\w{0,63})\s{0,4}=\s{0,4})?\b(?:(?:zipfile\.)?ZipFile|tarfile\.open)\([^()\n]{0,256}\)(?:\s{1,4}as\s{1,4}([A-Za-z_]\w{0,63}))?/g;
/** `z.write('/root/.ssh/id_rsa')`, `t.add('.env')`. */
const ARCHIVED = /(?<![\w.])([A-Za-z_]\w{0,63})\.(?:write|add)\(\s{0,4}["']([^"'\n]{1,256})["']/g;

/** What code does through libraries, as the words of commands that do the same. */
export function libraryCommands(code: string, bound: Bound): string[][] {
  const calls = MAY_COMMAND.test(code) ? AS_COMMANDS : [];
  const found = calls.flatMap(({ call, words }) =>
    firstOf(code.matchAll(call), bound).map(([, ...given]) => words(given.map((text) => text ?? ''))),
  );
  return [...found, ...archivedPaths(code, bound).map((path) => ['tar', 'czf', '-', path])];
}

function archivedPaths(code: string, bound: Bound): string[] {
  if (!/\b(?:zipfile|tarfile)\b/.test(code)) return [];
  const archives = new Set(firstOf(code.matchAll(ARCHIVE), bound).map(([, assigned, as]) => assigned ?? as));
  const added = firstOf(code.matchAll(ARCHIVED), bound);
  return added.flatMap(([, name, path = '']) => (archives.has(name) ? [path] : []));
}

/** `Command::new("rm")`, and what is called on it: `.arg("-rf")`, `.args(["-rf", "/"])`, `.current_dir("/")`. */
const RUST_COMMAND = /\bCommand::new\(\s{0,4}"([^"\\\n]{1,256})"\s{0,4}\)/g;
const RUST_STEP = /\s{0,64}\.\s{0,4}(\w{1,24})\(((?:[^()"]|"(?:[^"\\]|\\.){0,512}"){0,256})\)/y;
const RUST_TEXT = /"((?:[^"\\]|\\.){0,512})"/g;
const RUST_STEPS_MAX = 32;

/** The words of the commands that Rust puts together, program first. */
export function rustCommands(code: string, bound: Bound): string[][] {
  if (!code.includes('Command::new')) return [];
  return firstOf(code.matchAll(RUST_COMMAND), bound).map((match) => {
    const words = [match[1] as string];
    RUST_STEP.lastIndex = match.index + match[0].length;
    for (let steps = 0; steps < RUST_STEPS_MAX; steps++) {
      const step = RUST_STEP.exec(code);
      if (step === null) break;
      if (step[1] !== 'arg' && step[1] !== 'args') continue;
      for (const [, text = ''] of (step[2] ?? '').matchAll(RUST_TEXT)) words.push(text.replaceAll(/\\(["\\])/g, '$1'));
    }
    return words;
  });
}

function kebab(name: string): string {
  return name
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase();
}

function firstOf<T>(items: Iterable<T>, { max, cut }: Bound): T[] {
  const found: T[] = [];
  for (const item of items) {
    if (found.length === max) {
      cut();
      break;
    }
    found.push(item);
  }
  return found;
}
