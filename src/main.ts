import { type Command, UsageError } from './cli/command.ts';
import { ConfigError } from './config.ts';
import { PolicySetError } from './detection/engine.ts';

/** Each command is loaded when it is called: `token` needs no HTTP server. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./cli/start.ts')).startCommand,
  token: async () => (await import('./cli/token.ts')).tokenCommand,
  keys: async () => (await import('./cli/keys.ts')).keysCommand,
  tenants: async () => (await import('./cli/tenants.ts')).tenantsCommand,
  organizations: async () => (await import('./cli/organizations.ts')).organizationsCommand,
  release: async () => (await import('./cli/release.ts')).releaseCommand,
  'sign-in-link': async () => (await import('./cli/sign-in-link.ts')).signInLinkCommand,
  audit: async () => (await import('./cli/audit.ts')).auditCommand,
  config: async () => (await import('./cli/config.ts')).configCommand,
  export: async () => (await import('./cli/export.ts')).exportCommand,
  verify: async () => (await import('./cli/verify.ts')).verifyCommand,
  policy: async () => (await import('./cli/policy.ts')).policyCommand,
  inspect: async () => (await import('./cli/inspect.ts')).inspectCommand,
  demo: async () => (await import('./cli/demo.ts')).demoCommand,
};

const USAGE_EXIT_CODE = 2;

async function main(words: string[]): Promise<number> {
  const [name = 'help', ...rest] = words;
  if (name === 'help' || name === '--help' || name === '-h') return help(rest[0]);
  const load = COMMANDS[name];
  if (load === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)}; see: gatehouse help`);
  if (rest.includes('--help') || rest.includes('-h')) return help(name);
  const command = await load();
  return command.run(rest);
}

async function help(name: string | undefined): Promise<number> {
  const load = name === undefined ? undefined : COMMANDS[name];
  if (load !== undefined) {
    const { summary, usage } = await load();
    process.stdout.write(`${summary}\n\n${usage.trim()}\n`);
    return 0;
  }
  const commands = await Promise.all(Object.values(COMMANDS).map((each) => each()));
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  process.stdout.write(`gatehouse: a security monitor for AI agents

usage: gatehouse <command> [options]

${lines.join('\n')}

gatehouse <command> --help tells more. Options of the service are GATEHOUSE_* variables: gatehouse config.
`);
  return 0;
}

// uWebSockets.js takes 4 KB of headers unless told otherwise, too little for a long token. It reads this when it is loaded.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= '16384';

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof UsageError || error instanceof ConfigError || error instanceof PolicySetError;
  process.stderr.write(`gatehouse: ${expected ? error.message : String((error as Error).stack ?? error)}\n`);
  process.exitCode = expected ? USAGE_EXIT_CODE : 1;
}
