import { EVENTS_PATH } from '../gateway/events-route.ts';

export interface BannerFacts {
  baseUrl: string;
  /** Of the demo tenant. */
  token: string;
  keysDirectory: string;
  /** Absent once there is anybody. */
  firstOwnerLink: string | undefined;
}

/** What `gatehouse start` prints when it is ready: two requests to paste, one that is allowed and one that is blocked. */
export function banner({ baseUrl, token, keysDirectory, firstOwnerLink }: BannerFacts): string {
  const curl = (command: string) =>
    `curl -s ${baseUrl}${EVENTS_PATH} \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(exampleEvent(command))}'`;
  return `
gatehouse is listening on ${baseUrl}
${firstOwnerLink === undefined ? '' : firstOwner(firstOwnerLink)}
Try it. A token of the tenant "demo", good for one day:

TOKEN=${token}

An event that is allowed:

${curl('ls -la src')}

One that is blocked:

${curl('rm -rf / --no-preserve-root')}

The signing keys are in ${keysDirectory}
More tokens: npm run --silent token -- --tenant demo --subject my-sensor --days 30
`;
}

function firstOwner(link: string): string {
  return `
Nobody can sign in yet. Whoever opens this link becomes the owner; it works once, for 24 hours or until the next start:

${link}
`;
}

function exampleEvent(command: string): object {
  return {
    event_type: 'tool_invocation',
    session_id: 'first-steps',
    timestamp: new Date().toISOString(),
    agent: { id: 'demo-agent', name: 'Demo agent' },
    user: { email: 'you@example.com' },
    tool: { name: 'Bash', input: { command } },
  };
}
