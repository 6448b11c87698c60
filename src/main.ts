import { type Command, UsageError } from './cli/command.ts';
import { Interrupted } from './cli/interruption.ts';
import { ReaderGone, watchOutput } from './cli/output.ts';
import { errorText } from './lib/error-text.ts';
import { MendableError } from './lib/mendable-error.ts';

/** Each command is loaded when it is called: `token` needs no HTTP server. */
interface LazyCommand {
  /** One line for the list of commands. */
  summary: string;
  load(): Promise<Command>;
}

const COMMANDS: Record<string, LazyCommand> = {
  start: {
    summary: 'Run the service until a signal stops it',
    load: async () => (await import('./cli/start.ts')).startCommand,
  },
  token: {
    summary: 'Print an access token for sensors or for the platform, list them, or revoke one',
    load: async () => (await import('./cli/token.ts')).tokenCommand,
  },
  keys: {
    summary: 'List, rotate or retire the keys that sign access tokens',
    load: async () => (await import('./cli/keys.ts')).keysCommand,
  },
  tenants: {
    summary: 'List, add and change tenants',
    load: async () => (await import('./cli/tenants.ts')).tenantsCommand,
  },
  organizations: {
    summary: 'List and add organizations, which tenants and people belong to',
    load: async () => (await import('./cli/organizations.ts')).organizationsCommand,
  },
  release: {
    summary: 'End the hold or taints of an agent session',
    load: async () => (await import('./cli/release.ts')).releaseCommand,
  },
  'sign-in-link': {
    summary: 'Print a link that signs somebody in, once',
    load: async () => (await import('./cli/sign-in-link.ts')).signInLinkCommand,
  },
  audit: {
    summary: 'List the audit log, or verify that nothing in it was changed or taken away',
    load: async () => (await import('./cli/audit.ts')).auditCommand,
  },
  config: {
    summary: 'Print the effective configuration, secrets masked',
    load: async () => (await import('./cli/config.ts')).configCommand,
  },
  export: {
    summary: 'Print stored events, decisions or releases as JSON lines',
    load: async () => (await import('./cli/export.ts')).exportCommand,
  },
  verify: {
    summary: 'Compute stored decisions again and compare',
    load: async () => (await import('./cli/verify.ts')).verifyCommand,
  },
  policy: {
    summary: 'Check, test and explain policies',
    load: async () => (await import('./cli/policy.ts')).policyCommand,
  },
  inspect: {
    summary: 'Inspect recorded events offline, as JSON lines',
    load: async () => (await import('./cli/inspect.ts')).inspectCommand,
  },
  demo: {
    summary: 'Send the events of a fleet of agents to a running server',
    load: async () => (await import('./cli/demo.ts')).demoCommand,
  },
};

const USAGE_EXIT_CODE = 2;
/** Of the system: whoever runs this can mend them, and the message names the file. */
const MENDABLE_CODES: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EMFILE',
  'ENFILE',
  'EEXIST',
  'ENOTDIR',
]);

async function main(words: string[]): Promise<number> {
  const [name = 'help', ...rest] = words;
  if (name === 'help' || name === '--help' || name === '-h') return help(rest[0]);
  const known = find(name);
  if (known === undefined) throw noCommand(name);
  if (rest.includes('--help') || rest.includes('-h')) return help(name);
  const command = await known.load();
  return command.run(rest);
}

function noCommand(name: string): UsageError {
  return new UsageError(`there is no command ${JSON.stringify(name)}; see: gatehouse help`);
}

function find(name: string): LazyCommand | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

async function help(name: string | undefined): Promise<number> {
  const known = name === undefined ? undefined : find(name);
  if (name !== undefined && known === undefined) throw noCommand(name);
  if (known !== undefined) {
    const { usage } = await known.load();
    process.stdout.write(`${known.summary}\n\n${usage.trim()}\n`);
    return 0;
  }
  const width = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  process.stdout.write(`gatehouse: a security monitor for AI agents

usage: gatehouse <command> [options]

${lines.join('\n')}

gatehouse <command> --help tells more. Options of the service are GATEHOUSE_* variables: gatehouse config.
`);
  return 0;
}

// uWebSockets.js takes 4 KB of headers unless told otherwise, too little for a long token. It reads this when it is loaded.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= '16384';

let hasFailed = false;
watchOutput(fail);
try {
  const exitCode = await main(process.argv.slice(2));
  if (!hasFailed) process.exitCode = exitCode;
} catch (error) {
  if (error instanceof ReaderGone) endQuietly();
  // What it was at is still under way, and would go on.
  else if (error instanceof Interrupted) process.exit(error.exitCode);
  else fail(error);
}

/** Whoever writes to this program need not go on for it. */
function endQuietly(): void {
  process.exitCode = 0;
  process.stdin.destroy();
}

/** Says what went wrong, once. */
function fail(error: unknown): void {
  if (hasFailed) return;
  hasFailed = true;
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const expected = error instanceof MendableError || MENDABLE_CODES.has(code);
  process.stderr.write(`gatehouse: ${expected ? message : errorText(error)}\n`);
  process.exitCode = expected ? USAGE_EXIT_CODE : 1;
}
