/** Where something that was seen in a session would have gone, told from its entries. */

export interface FlowEntry {
  id: string;
  eventAt: string;
  toolName: string | null;
  decision: {
    explanation: {
      flows: readonly { eventId: string; toolName: string; label: string; encoding: string; coverage: number }[];
    } | null;
  } | null;
}

export interface Flow {
  /** Of the event in which it was first seen; the entry may not be loaded. */
  from: string;
  /** What showed it: a tool, or a person. */
  fromTool: string;
  to: string;
  toTool: string;
  label: string;
  encoding: string;
  coverage: number;
}

/** A point of the picture: an event, from the top to the bottom as they came. */
export interface FlowPoint {
  id: string;
  tool: string;
  isLoaded: boolean;
}

/** Flows that are drawn; of more, the list tells. */
export const FLOWS_DRAWN_MAX = 12;

/** Each way that something took, once, with the most of it that would have left. */
export function flowsOf(entries: readonly FlowEntry[]): Flow[] {
  const found = new Map<string, Flow>();
  for (const { id, toolName, decision } of entries)
    for (const flow of decision?.explanation?.flows ?? []) {
      const key = `${flow.eventId} ${id} ${flow.label}`;
      if ((found.get(key)?.coverage ?? -1) >= flow.coverage) continue;
      const { eventId: from, toolName: fromTool, label, encoding, coverage } = flow;
      found.set(key, { from, fromTool, to: id, toTool: toolName ?? '', label, encoding, coverage });
    }
  return [...found.values()].sort((one, other) => (one.to < other.to ? -1 : one.to > other.to ? 1 : 0));
}

/** The events that `flows` go between, in order. */
export function pointsOf(flows: readonly Flow[], entries: readonly FlowEntry[]): FlowPoint[] {
  const loaded = new Set(entries.map(({ id }) => id));
  const tools = new Map<string, string>();
  for (const { from, fromTool, to, toTool } of flows) {
    tools.set(from, fromTool);
    tools.set(to, toTool);
  }
  return [...tools]
    .map(([id, tool]) => ({ id, tool, isLoaded: loaded.has(id) }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
