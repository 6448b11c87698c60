import { EVENT_BYTES_MAX, type Sensor, type SensorSite, shellToken } from './sensor.ts';

/** For agents that are written in TypeScript or JavaScript, on Node 20 or later. */
export const typescript: Sensor = {
  id: 'typescript',
  label: 'TypeScript',
  steps: (site) => [
    {
      name: 'TypeScript file',
      what: 'Keep this as gatehouse.mts, and wait for ask before each tool:',
      text: fileOf(site),
    },
    {
      name: 'TypeScript command',
      what: 'It can be tried on a command, which it does not run:',
      text: `GATEHOUSE_TOKEN=${shellToken(site)} npx tsx gatehouse.mts 'ls -la'`,
    },
  ],
};

function fileOf({ url, failsOpen }: SensorSite): string {
  return `const ENDPOINT = '${url}';
const TOKEN = process.env.GATEHOUSE_TOKEN;
/** The fail mode of the tenant: whether a call goes on where no answer comes. */
const FAILS_OPEN: boolean = ${failsOpen};
const EVENT_BYTES_MAX = ${EVENT_BYTES_MAX};

/** The tool must not run; says why. */
export class Blocked extends Error {}

/** Resolves if the tool may run, and rejects with Blocked if not. */
export async function ask(sessionId: string, tool: string, input: object): Promise<void> {
  const event = {
    event_type: 'tool_invocation',
    session_id: sessionId,
    timestamp: new Date().toISOString(),
    agent: { id: 'my-agent', name: 'My agent' },
    user: { email: 'me@example.com' },
    tool: { name: tool, input },
  };
  const body = JSON.stringify(event);
  if (Buffer.byteLength(body) > EVENT_BYTES_MAX)
    throw new Blocked(\`the event is larger than \${EVENT_BYTES_MAX} bytes\`);
  let action: string;
  let reason: string;
  try {
    const answer = await fetch(ENDPOINT, {
      method: 'POST',
      headers: { authorization: \`Bearer \${TOKEN}\`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(5_000),
    });
    // What Gatehouse cannot read, it cannot judge: that is no reason to let the call run.
    if (answer.status === 400 || answer.status === 413)
      throw new Blocked(\`Gatehouse refused the event: \${await detailOf(answer)}\`);
    if (answer.status !== 200) throw new Error(\`status \${answer.status}: \${await answer.text()}\`);
    ({ action, reason = '' } = (await answer.json()).response);
  } catch (error) {
    if (error instanceof Blocked) throw error;
    if (!FAILS_OPEN) throw new Blocked(\`Gatehouse gave no answer: \${error}\`);
    console.error(\`Gatehouse gave no answer, going on: \${error}\`);
    return;
  }
  if (action !== 'allow') throw new Blocked(reason);
}

async function detailOf(refusal: Response): Promise<string> {
  try {
    return (await refusal.json()).detail;
  } catch {
    return \`status \${refusal.status}\`;
  }
}

if (process.argv[1]?.endsWith('gatehouse.mts')) {
  try {
    await ask('first-steps', 'Bash', { command: process.argv[2] });
    console.log('allowed');
  } catch (error) {
    console.error(\`blocked: \${(error as Error).message}\`);
    process.exitCode = 1;
  }
}
`;
}
