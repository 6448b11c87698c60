import type { Cut } from '../../../domain/decision.ts';
import { FULL_LIMITS } from '../../limits.ts';
import { actionDetector } from './action.ts';

/** Kinds of tools whose input is run. */
const RUNS: ReadonlySet<string> = new Set(['shell', 'code_exec']);
/** Kinds that are told in a list what to open. Of what is written or sent, a list may well be longer. */
const OPENS: ReadonlySet<string> = new Set(['file_read', 'net']);
/**
 * Bounds that nothing meets that people and agents write to be run: in 44,000 events of public data sets no honest call did. What meets
 * them was made so that what comes behind is not read.
 */
const PADDING =
  /^(?:shell (?:script|depth|commands|nesting|here-documents|wrappers|alternatives)|(?:files|hosts) count|input (?:values|depth)|code (?:calls|depth)|deletion words)\b/;
const TOO_MANY = /^input values\b/;
/** Of a long text the end is read, not the middle; of very many statements, the first. A long text that is written into a file is no attempt to hide one. */
const LONG = /^(?:shell|code|sql) chars\b|^sql statements\b/;

/** A call that is so made that a part of it cannot be read. */
export const unreadCalls = actionDetector({
  id: 'unread_calls',
  version: 4,
  severity: 'high',
  title:
    'Runs something that is so long or so deep that it cannot be read whole, as nothing is that is written to be run; or opens thousands of files or addresses at once.',
  kinds: ['evasion.unread'],
  falsePositives: [
    'generated scripts of more than a thousand commands',
    'an rm that names more than two thousand files',
  ],
  find({ facts, limits, allowance }, found) {
    // The quick rules read little of anything.
    if (limits !== FULL_LIMITS || facts.tool === undefined) return;
    const { kind, effect } = facts.tool;
    const opens = OPENS.has(kind) && effect !== 'send';
    if (!RUNS.has(kind) && !opens && kind !== 'db') return;
    const [first] = facts.parameters;
    const bounds = opens ? TOO_MANY : PADDING;
    const padding = kind === 'db' ? undefined : allowance.cuts.find((cut) => bounds.test(said(cut)));
    const long = allowance.cuts.find((cut) => LONG.test(said(cut)));
    if (first === undefined || (padding ?? long) === undefined) return;
    const origin = { place: first.place, start: 0, end: first.text.length };
    const confidence = padding === undefined ? 0.6 : 0.8;
    found.push({ kind: 'evasion.unread', confidence, what: 'is made so that it cannot be read whole', origin });
  },
});

function said({ what, bound }: Cut): string {
  return `${what} ${bound}`;
}
