import type { AgentEvent } from '../domain/event.ts';
import type { Detection } from './detectors/detector.ts';
import type { EventFacts } from './facts/event-facts.ts';
import { TOOL_NAME_PLACE } from './facts/input.ts';
import { graveDirectory, namesWorkDirectory } from './facts/work-directory.ts';
import type { SessionFacts } from './session-facts.ts';
import { type CallEffect, countedTool, openCallsOf } from './session-memory.ts';

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
      effects: [{ kind: 'call', tool, toolKind: facts.tool?.kind ?? 'other', ...moved(facts, memory) }],
    };
  const announced = openCallsOf(memory, tool);
  if (announced > 0) return { detections: [], effects: [{ kind: 'result', tool }] };
  // Of a blocked call nothing is kept but the count: a result of one is the worst case.
  const reportsCalls = memory.toolKinds.length > 0 || blockedCount > 0;
  return reportsCalls ? { detections: [unannounced(event.tool.name)], effects: [] } : NOTHING;
}

/** Where the call leaves the shell that the next one works in. A tool that is told where to run keeps none. */
function moved({ shell, parameters }: EventFacts, { cwd }: SessionFacts['memory']): { cwd?: string | null } {
  if (shell.commands.length === 0 || parameters.some(({ key }) => namesWorkDirectory(key))) return {};
  const left = graveDirectory(shell.leftIn);
  return left === cwd ? {} : { cwd: left ?? null };
}

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
