import type { Sensor } from './sensor.ts';

/** The bare request, to see it once, or to begin a sensor of one's own with. */
export const curl: Sensor = {
  id: 'curl',
  label: 'curl',
  steps: ({ url, token }) => [
    {
      name: 'event command',
      what: 'A sensor sends this before a tool runs, waits, and goes on unless the answer says block:',
      text: `curl -sS --max-time 5 ${url} \\
  -H "Authorization: Bearer ${token ?? '$TOKEN'}" -H 'Content-Type: application/json' \\
  -d '{"event_type":"tool_invocation","session_id":"first-steps","timestamp":"'$(date -u +%FT%TZ)'",
       "agent":{"id":"my-agent","name":"My agent"},"user":{"email":"me@example.com"},
       "tool":{"name":"Bash","input":{"command":"ls"}}}'`,
    },
  ],
};
