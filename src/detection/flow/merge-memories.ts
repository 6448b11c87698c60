import { applyFlowEffects, bounded, labelledPart, sameSource, withFiles } from './fold-memory.ts';
import type { FlowEffect, FlowMemory, FlowSource, RememberedPrint } from './memory.ts';

/**
 * What two agents of one session tree know together, as `child` reports back to `parent` or starts from it. Prints are
 * in order of when they were last seen; `parent`'s origins stay where both have one.
 */
export function mergeMemories(parent: FlowMemory, child: FlowMemory): FlowMemory {
  const shared = { ...parent, sources: [...parent.sources], prints: [...parent.prints] };
  for (const held of child.prints) {
    const part = labelledPart(held, child.sources);
    const at = shared.prints.findIndex((own) => labelledPart(own, shared.sources) === part);
    const own = at < 0 ? undefined : shared.prints[at];
    if (own !== undefined) {
      shared.prints[at] = together(own, held);
      addFiles(shared.sources, own.source, child.sources[held.source] as FlowSource);
    } else shared.prints.push({ ...held, source: sourceIn(shared.sources, child.sources[held.source] as FlowSource) });
  }
  shared.prints.sort((a, b) => a.turn - b.turn);
  const effects: FlowEffect[] = [
    {
      kind: 'flow.words',
      from: 'user',
      words: child.userWords,
      actions: child.asked,
      ...(child.delegated ? { delegated: true } : {}),
      ...(child.userFiles === undefined ? {} : { files: child.userFiles }),
    },
    { kind: 'flow.words', from: 'field', words: child.fieldWords, actions: [] },
    { kind: 'flow.words', from: 'prose', words: child.proseWords, actions: child.proposed },
  ];
  for (const script of child.scripts ?? []) effects.push({ kind: 'flow.wrote', script });
  if (child.orderWords) effects.push({ kind: 'flow.words', from: 'order', words: child.orderWords, actions: [] });
  if (child.privateData) effects.push({ kind: 'flow.saw', what: 'private', origin: child.privateData });
  if (child.untrusted) effects.push({ kind: 'flow.saw', what: 'untrusted', origin: child.untrusted });
  return applyFlowEffects(bounded(shared), effects);
}

function together(own: RememberedPrint, other: RememberedPrint): RememberedPrint {
  const turn = Math.max(own.turn, other.turn);
  if (other.sent === undefined) return { ...own, turn };
  return {
    ...own,
    turn,
    sent: (own.sent ?? 0) | other.sent,
    sentTurn: Math.max(own.sentTurn ?? 0, other.sentTurn ?? 0),
  };
}

function sourceIn(sources: FlowSource[], source: FlowSource): number {
  const at = sources.findIndex((other) => sameSource(other, source));
  if (at >= 0) addFiles(sources, at, source);
  return at < 0 ? sources.push(source) - 1 : at;
}

function addFiles(sources: FlowSource[], at: number, { files }: FlowSource): void {
  sources[at] = withFiles(sources[at] as FlowSource, files);
}
