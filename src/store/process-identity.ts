import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Tells a process from a later one that was given the same id: when it started, and on Linux in which boot. Undefined
 * if there is no such process, or only a dead one that nobody has waited for.
 */
export function processIdentity(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? linuxIdentity(pid) : portableIdentity(pid);
}

/** The command line of a live process, its words joined by NUL; undefined where it cannot be read. */
export function processCommand(pid: number): string | undefined {
  return process.platform === 'linux' ? readText(`/proc/${pid}/cmdline`) : askPs(pid, 'command=');
}

const STATE_FIELD = 0;
const START_TIME_FIELD = 19;

function linuxIdentity(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the name in parentheses, which may itself hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields?.[STATE_FIELD];
  if (fields === undefined || state === undefined || 'ZXx'.includes(state)) return undefined;
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return `${boot}/${fields[START_TIME_FIELD]}`;
}

function portableIdentity(pid: number): string | undefined {
  const answer = askPs(pid, 'stat=,lstart=');
  return answer === undefined || answer.startsWith('Z') ? undefined : answer.replace(/^\S+\s+/, '');
}

function askPs(pid: number, format: string): string | undefined {
  try {
    return (
      execFileSync('ps', ['-o', format, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() || undefined
    );
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
