import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EVENTS_PATH } from '../../test/support/load.ts';
import { type EventTemplate, eventBytes, SERIAL_BASE, SESSION_BASE, SESSIONS } from './event-template.ts';
import { type LoadResult, requestHead, type SaturatingLoad } from './load.ts';

const PROGRAM = 'wrk';

/** Whether `wrk` (a load generator in C, package `wrk` of Debian) can be called. */
export function hasWrk(): boolean {
  return spawnSync(PROGRAM, ['-v']).error === undefined;
}

/** Loads `url` with as many requests as it answers, through wrk: one request in flight on each connection. */
export async function wrkLoad(load: SaturatingLoad): Promise<LoadResult> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-wrk-'));
  try {
    const script = join(directory, 'load.lua');
    writeFileSync(script, luaScript(load));
    const size = ['-t', '1', '-c', String(load.connections), '-d', `${load.seconds}s`];
    const args = [...size, '-s', script, '--timeout', '10s', load.url + EVENTS_PATH];
    const { stdout } = await promisify(execFile)(PROGRAM, args);
    return JSON.parse(stdout.slice(stdout.lastIndexOf('RESULT ') + 'RESULT '.length)) as LoadResult;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const lua = (text: string) => JSON.stringify(text);

/** Whole requests are joined from prepared pieces, so that the generator costs less than the server it measures. */
function luaScript(load: SaturatingLoad): string {
  const { templates, firstSerial } = load;
  const head = requestHead(load);
  const wholeHead = (template: EventTemplate) => `${head}Content-Length: ${eventBytes(template)}\r\n\r\n`;
  const pieces = (of: (template: EventTemplate) => string) => `{[0]=${templates.map((one) => lua(of(one))).join(',')}}`;
  return `
local heads = ${pieces((one) => wholeHead(one) + one.beforeSession)}
local middles = ${pieces((one) => one.beforeSerial)}
local ends = ${pieces((one) => one.end)}
local serial = ${firstSerial}
function request()
  local t = serial % ${templates.length}
  local made = heads[t] .. (${SESSION_BASE} + serial % ${SESSIONS}) .. middles[t] .. (${SERIAL_BASE} + serial) .. ends[t]
  serial = serial + 1
  return made
end
function done(summary, latency)
  io.write(string.format(
    'RESULT {"answered":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Us":%d,"p99Us":%d,"maxUs":%d}',
    summary.requests, summary.duration / 1e6, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99), latency.max))
end
`;
}
