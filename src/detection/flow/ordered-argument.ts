import type { EventFacts } from '../facts/event-facts.ts';
import type { ToolKind } from '../facts/tools.ts';
import type { Argument, NamedArgument } from './arguments.ts';
import { keyedHash, wordHash } from './keyed-hash.ts';
import type { FlowMemory } from './memory.ts';
import { isPath, orderTokens } from './order-words.ts';
import { isAddress } from './tokens.ts';
import { followsNothing } from './tool-actions.ts';
import type { Action } from './wanted-action.ts';
import { NO_WORDS, wordSet } from './word-hashes.ts';

export const FILE_KINDS: ReadonlySet<ToolKind> = new Set<ToolKind>(['file_read', 'file_write']);

/** The first argument that only an order in a result named. Of commands and code, only those that reach outside are for this. */
export function orderedArgument(
  facts: EventFacts,
  actions: readonly Action[],
  { orderWords = NO_WORDS, userWords, fieldWords }: FlowMemory,
  key: Uint8Array,
  argumentsGiven: () => readonly Argument[],
): NamedArgument | undefined {
  const { tool } = facts;
  if (orderWords === NO_WORDS || tool === undefined || tool.kind === 'agent') return undefined;
  if (followsNothing(tool.name)) return undefined;
  const runs = facts.shell.commands.length + facts.scripts.length > 0;
  if (runs && actions.length === 0) return undefined;
  const [orders, user, fields] = [wordSet(orderWords), wordSet(userWords), wordSet(fieldWords)];
  const hash = keyedHash(key);
  // Work in a project goes on in the files that its documents name.
  const ofPaths = tool.kind !== 'vcs' && (!FILE_KINDS.has(tool.kind) || tool.effect === 'delete');
  const given = argumentsGiven();
  const replaced = tokensUnder('oldstring', given);
  for (const { text, place, key: name, content } of given) {
    // What an edit puts in is what it does; what was there before is moved, or said in other words.
    const putIn = name === 'newstring' && FILE_KINDS.has(tool.kind);
    if (content && !putIn) continue;
    for (const token of orderTokens(text)) {
      if (!ofPaths && isPath(token)) continue;
      if (putIn && (replaced.has(token) || !isAddress(token))) continue;
      const word = wordHash(token, hash);
      // Lines of code look like fields, and the order's own are no better than the order.
      if (!orders.has(word) || user.has(word) || (!putIn && fields.has(word))) continue;
      return { place, start: 0, end: text.length, address: isAddress(token), part: 'meant' };
    }
  }
  return undefined;
}

function tokensUnder(name: string, given: readonly Argument[]): ReadonlySet<string> {
  return new Set(given.filter(({ key }) => key === name).flatMap(({ text }) => [...orderTokens(text)]));
}
