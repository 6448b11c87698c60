import type { AgentEvent, ToolResult } from '../domain/event.ts';
import type { Detection } from './detectors/detector.ts';
import type { EventFacts } from './facts/event-facts.ts';
import { TOOL_NAME_PLACE } from './facts/input.ts';
import { leftDirectory, namesShell, namesWorkDirectory } from './facts/work-directory.ts';
import type { SessionFacts } from './session-facts.ts';
import { type CallEffect, countedTool, directoryOf, openCallsOf, type SessionMemory } from './session-memory.ts';

/** Findings on how a call was announced, and what the session remembers of that. */
export interface Coverage {
  detections: readonly Detection[];
  effects: readonly CallEffect[];
}

/**
 * Whether the session's calls were all asked about: a result without its call went around the gate. Told only where the
 * sensor does report calls, since some report results alone.
 */
export function coverageOf(
  event: AgentEvent,
  facts: EventFacts,
  { memory, blockedCount }: Pick<SessionFacts, 'memory' | 'blockedCount'>,
): Coverage {
  if (event.event_type !== 'tool_invocation' && event.event_type !== 'tool_result') return NOTHING;
  const tool = countedTool(event.tool.name);
  if (event.event_type === 'tool_invocation')
    return {
      detections: [],
      effects: [
        {
          kind: 'call',
          tool,
          toolKind: facts.tool?.kind ?? 'other',
          ...moved(directoryOf(memory, event.tool.name), facts),
        },
      ],
    };
  const announced = openCallsOf(memory, tool);
  if (announced > 0) {
    const reset = isReset(event, memory) ? { cwd: null } : {};
    return { detections: [], effects: [{ kind: 'result', tool, ...reset }] };
  }
  // Of a blocked call nothing is kept but the count: a result of one is the worst case.
  const reportsCalls = memory.toolKinds.length > 0 || blockedCount > 0;
  return reportsCalls ? { detections: [unannounced(event.tool.name)], effects: [] } : NOTHING;
}

/** Where the call leaves the shell that the next one of the same tool works in. A tool that is told where to run keeps none. */
function moved(before: string | undefined, { shell, parameters }: EventFacts): { cwd?: string | null } {
  const goesBack = shell.commands.some(({ name, args }) => name === 'popd' || (name === 'cd' && args[0]?.text === '-'));
  if (!goesBack && shell.leftIn === undefined) return {};
  if (parameters.some(({ key }) => namesWorkDirectory(key) || namesShell(key))) return {};
  const left = goesBack ? undefined : leftDirectory(before, shell.leftIn ?? '.');
  return left === before ? {} : { cwd: left ?? null };
}

/** What runtimes say that do not let a shell stay outside of a project. */
const RESET = /\bcwd was reset\b/i;

function isReset({ tool }: ToolResult, memory: SessionMemory): boolean {
  if (directoryOf(memory, tool.name) === undefined) return false;
  const { output } = tool;
  const texts = typeof output === 'object' && output !== null ? Object.values(output).slice(0, 16) : [output];
  return texts.some((text) => typeof text === 'string' && RESET.test(text.slice(-OUTPUT_CHARS)));
}

/** Code units at the end of an output that are looked at. */
const OUTPUT_CHARS = 1_024;

const NOTHING: Coverage = { detections: [], effects: [] };

function unannounced(name: string): Detection {
  return {
    kind: 'coverage.unannounced_result',
    severity: 'low',
    confidence: 0.7,
    what: 'is the result of a call that was not asked about',
    place: TOOL_NAME_PLACE,
    start: 0,
    end: name.length,
  };
}
