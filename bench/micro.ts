import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Benchmark from 'benchmark';
import { formatCount } from '../src/cli/demo/columns.ts';
import { type AgentEvent, parseEvent } from '../src/domain/event.ts';
import { agentSessionKey, type TenantSlug } from '../src/domain/ids.ts';
import { parseBody } from '../src/gateway/body.ts';
import { AccessTokenVerifier } from '../src/identity/access-token-verifier.ts';
import { mintAccessToken } from '../src/identity/access-tokens.ts';
import { SigningKeys } from '../src/identity/signing-keys.ts';
import { assert } from '../src/lib/assert.ts';
import { systemClock } from '../src/lib/clock.ts';
import { dedupeKey } from '../src/session/received-event.ts';
import { newEventId } from '../test/support/event-ids.ts';
import { eventBody, eventTemplates } from './support/event-template.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';

/** What does each hot function on the way of an event cost, by itself? */

const TENANT = 'demo' as TenantSlug;
/** Distinct inputs, so that no case is answered from what the engine remembers of the last one. */
const INPUTS = 1024;

interface Case {
  name: string;
  run: (index: number) => unknown;
}

async function cases(dataDir: string): Promise<Case[]> {
  const bodies = Array.from({ length: INPUTS }, (_, index) =>
    Buffer.from(eventBody(eventTemplates('blocking', 'm'), index)),
  );
  const bodyAt = (index: number) => bodies[index % INPUTS] as Buffer;
  const events = bodies.map((body) => JSON.parse(String(body)) as AgentEvent);
  const eventAt = (index: number) => events[index % INPUTS] as AgentEvent;
  const values = bodies.map((body) => JSON.parse(String(body)) as unknown);
  const verify = await tokenCacheHit(dataDir);
  return [
    { name: 'JSON.parse alone, for scale', run: (index) => JSON.parse(String(bodyAt(index))) },
    { name: 'parseBody: bytes to a bounded JSON value', run: (index) => parseBody(bodyAt(index)) },
    { name: 'parseEvent: check against the contract', run: (index) => parseEvent(values[index % INPUTS]) },
    { name: 'newEventId: UUIDv7', run: (index) => newEventId(1_760_000_000_000 + index) },
    { name: 'agentSessionKey: UUIDv8 of a hash', run: (index) => agentSessionKey(TENANT, eventAt(index).session_id) },
    { name: 'dedupeKey: hash of a body', run: (index) => dedupeKey(bodyAt(index)) },
    { name: 'verify: a token that is remembered', run: verify },
  ];
}

async function tokenCacheHit(dataDir: string): Promise<() => unknown> {
  const keys = await SigningKeys.open(dataDir);
  const grant = { tenant: TENANT, subject: 'bench', scopes: ['events:write'], lifetimeSeconds: 3600 } as const;
  const { token } = await mintAccessToken(keys, systemClock, grant);
  const verifier = new AccessTokenVerifier({ keys, revocations: { has: () => false }, clock: systemClock });
  assert((await verifier.verify(`Bearer ${token}`)).ok, 'a fresh token is good');
  return () => verifier.verify(`Bearer ${token}`);
}

/** Keeps results alive, so that no call is optimised away. */
const kept: { result?: unknown } = {};

function measure({ name, run }: Case): string[] {
  progress(`micro: ${name}`);
  let index = 0;
  const bench = new Benchmark(name, {
    maxTime: 1,
    fn: () => {
      kept.result = run(index++);
    },
  });
  bench.run();
  const { mean, rme, sample } = bench.stats;
  return [name, `${(mean * 1e6).toFixed(2)} µs`, formatCount(1 / mean), `± ${rme.toFixed(1)} %`, String(sample.length)];
}

export async function micro(): Promise<Report> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-micro-'));
  try {
    const measured = (await cases(dataDir)).map(measure);
    return {
      title: 'micro: the hot functions by themselves (benchmark.js)',
      inputs: [`${INPUTS} different small tool calls of about 300 bytes, in turns`],
      table: [['', 'mean', 'calls/s', '95 % confidence', 'samples'], ...measured],
      notes: [],
      failures: [],
    };
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

if (isProgram(import.meta.url)) await runBenchmarks(micro);
