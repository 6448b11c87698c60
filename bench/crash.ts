import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { formatCount } from '../src/cli/demo/columns.ts';
import { type CrashReport, crashCycles } from './support/crash-cycles.ts';
import { type CrashSite, KillSite, PowerLossSite } from './support/crash-site.ts';
import { whyNoControl, whyNoPowerLoss } from './support/loop-image.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';

/** Is anything that was acknowledged lost, or stored twice, when the process or the machine ends at any moment (P2, P3)? */

const CYCLES = 100;
const POWER_CYCLES = 30;
const CONTROL_CYCLES = 3;
const FIRST_STARTS = 5;
const LOAD_MS_MAX = 1500;

/** Of a run: see `CrashRun`. */
type Cycles = { cycles: number; seed: number; firstStarts: number };
type Outcome = { name: string } & ({ report: CrashReport } | { skipped: string } | { notStarted: string });

async function cyclesOf(name: string, site: CrashSite, { cycles, seed, firstStarts }: Cycles): Promise<Outcome> {
  const onCycle = (cycle: number) => progress(`crash: ${name}, cycle ${cycle} of ${cycles}`);
  try {
    return { name, report: await crashCycles(site, { cycles, seed, firstStarts, loadMsMax: LOAD_MS_MAX, onCycle }) };
  } catch (error) {
    return { name, notStarted: (error as Error).message };
  } finally {
    await site.remove();
  }
}

async function powerLoss(cycles: Cycles): Promise<Outcome> {
  const [name, skipped] = ['power loss', whyNoPowerLoss()];
  return skipped === undefined ? cyclesOf(name, new PowerLossSite(), cycles) : { name, skipped };
}

/** The same without fsync: proves that the test can see a loss. */
async function control(seed: number): Promise<Outcome> {
  const [name, skipped] = ['control: fsync off', whyNoPowerLoss() ?? whyNoControl()];
  if (skipped !== undefined) return { name, skipped };
  const site = new PowerLossSite();
  await site.switchFsyncOff();
  return cyclesOf(name, site, { cycles: CONTROL_CYCLES, seed, firstStarts: 0 });
}

export async function crash(): Promise<Report> {
  const { values } = parseArgs({ options: { cycles: { type: 'string' }, seed: { type: 'string' } }, strict: false });
  const seed = Number(values['seed'] ?? Date.now() % 1_000_000);
  const cycles = Number(values['cycles'] ?? CYCLES);
  const outcomes = [
    await cyclesOf('kill -9', new KillSite(), { cycles, seed, firstStarts: FIRST_STARTS }),
    await powerLoss({ cycles: Math.min(cycles, POWER_CYCLES), seed, firstStarts: FIRST_STARTS }),
    await control(seed),
  ];
  return {
    title: 'crash: load, a crash at a random moment, a restart; then what was acknowledged against what is stored',
    inputs: [
      `messages, tool calls and tool results in 200 sessions over 32 connections; some crashes strike while it starts, ${FIRST_STARTS} in its first start`,
      'after each crash, what was not acknowledged is sent again, and the last 100 that were',
      `power loss: data directory in a loop-mounted ext4 whose power is cut; seed ${seed} (--seed), --cycles N`,
    ],
    table: [
      [
        '',
        'crashes',
        'in start',
        'sent',
        'acknowledged',
        'sent again',
        'lost',
        'stored twice',
        'decided otherwise',
        'refused',
      ],
      ...outcomes.map(row),
    ],
    notes: [`temporary directory ${tmpdir()}`, ...outcomes.flatMap(notes)],
    failures: outcomes.flatMap(failures),
  };
}

function row(outcome: Outcome): string[] {
  if ('skipped' in outcome) return [outcome.name, 'SKIPPED'];
  if ('notStarted' in outcome) return [outcome.name, 'NOT STARTED'];
  const { crashes, crashesInStart, sent, acknowledged, sentAgain, lost, storedTwice, otherwiseDecided, refusals } =
    outcome.report;
  const counts = [
    crashes,
    crashesInStart,
    sent,
    acknowledged,
    sentAgain,
    lost.length,
    storedTwice.length,
    otherwiseDecided.length,
  ];
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  return [outcome.name, ...[...counts, refused].map(formatCount)];
}

function notes(outcome: Outcome): string[] {
  if ('skipped' in outcome) return [`${outcome.name}: SKIPPED, ${outcome.skipped}`];
  if ('notStarted' in outcome) return [`${outcome.name}: ${outcome.notStarted}`];
  const { lost, storedTwice, otherwiseDecided, refusals } = outcome.report;
  const refused = Object.entries(refusals).map(([said, count]) => `${outcome.name}: ${count} × ${said}`);
  const named = Object.entries({ lost, storedTwice, otherwiseDecided }).filter(([, markers]) => markers.length > 0);
  return [
    ...refused,
    ...named.map(([what, markers]) => `${outcome.name}: ${what} begins with ${markers.slice(0, 3).join(', ')}`),
  ];
}

function failures(outcome: Outcome): string[] {
  if ('skipped' in outcome) return [];
  if (outcome.name.startsWith('control'))
    return losesSomething(outcome) ? [] : ['the control lost nothing: the test cannot see a loss'];
  if ('notStarted' in outcome) return [`${outcome.name}: the cycles did not end`];
  const { lost, storedTwice, otherwiseDecided } = outcome.report;
  const broken = lost.length + storedTwice.length + otherwiseDecided.length;
  return broken === 0 ? [] : [`${outcome.name}: ${broken} events lost, stored twice or decided otherwise`];
}

/** Not to start again is a loss of everything. */
function losesSomething(outcome: Exclude<Outcome, { skipped: string }>): boolean {
  return 'notStarted' in outcome || outcome.report.lost.length > 0;
}

if (isProgram(import.meta.url)) await runBenchmarks(crash);
