import { bounded, labelledPart } from './fold-memory.ts';
import type { FlowMemory, FlowOrigin, FlowSource, RememberedPrint } from './memory.ts';
import { NO_WORDS, unknownWords } from './word-hashes.ts';

/**
 * What a sub-agent starts with of its parent's `memory`: all but what the user may say yes to, which was said in another
 * conversation. `turns` is added to every turn, since each session counts its own events.
 */
export function handedDown(memory: FlowMemory, turns: number): FlowMemory {
  const { offered: _, ...kept } = moved(memory, turns);
  return kept;
}

/**
 * What `own` does not know of a sub-agent's `memory`, with turns as in `handedDown`; undefined where that is nothing. Not what
 * was asked for: what a sub-agent is asked comes from its parent, and must not come back to it as the user's wish.
 */
export function reportedBack(memory: FlowMemory, own: FlowMemory, turns: number): FlowMemory | undefined {
  const known = new Map(own.prints.map((held) => [labelledPart(held, own.sources), held]));
  const all = moved(memory, turns);
  const prints = all.prints.filter((held) => {
    const same = known.get(labelledPart(held, all.sources));
    return isNews(held, same) || hasNewFiles(all.sources[held.source], same && own.sources[same.source]);
  });
  const news: FlowMemory = bounded({
    sources: all.sources,
    prints,
    asked: [],
    proposed: all.proposed.filter((action) => !own.proposed.includes(action)),
    userWords: NO_WORDS,
    fieldWords: unknownWords(all.fieldWords, own.fieldWords),
    proseWords: unknownWords(all.proseWords, own.proseWords),
    ...newOrders(all, own),
    ...newScripts(all, own),
    ...(all.privateData && !own.privateData ? { privateData: all.privateData } : {}),
    ...(all.untrusted && !own.untrusted ? { untrusted: all.untrusted } : {}),
  });
  return isNothing(news) ? undefined : news;
}

function newOrders({ orderWords = NO_WORDS }: FlowMemory, own: FlowMemory): Pick<FlowMemory, 'orderWords'> {
  const words = unknownWords(orderWords, own.orderWords ?? NO_WORDS);
  return words === NO_WORDS ? {} : { orderWords: words };
}

function newScripts({ scripts = [] }: FlowMemory, own: FlowMemory): Pick<FlowMemory, 'scripts'> {
  const news = scripts.filter(
    ({ event, files, policy }) =>
      !own.scripts?.some((known) => known.event === event && known.files === files && known.policy === policy),
  );
  return news.length === 0 ? {} : { scripts: news };
}

function isNews(held: RememberedPrint, known: RememberedPrint | undefined): boolean {
  return known === undefined || ((held.sent ?? 0) & ~(known.sent ?? 0)) !== 0;
}

/** Whether files are known to hold what `source` gave out of which `known`, the own source of it, does not tell. */
function hasNewFiles(source: FlowSource | undefined, known: FlowSource | undefined): boolean {
  return unknownWords(source?.files ?? NO_WORDS, known?.files ?? NO_WORDS) !== NO_WORDS;
}

function isNothing(memory: FlowMemory): boolean {
  const { prints, proposed, fieldWords, proseWords, orderWords, scripts, privateData, untrusted } = memory;
  const words = fieldWords !== NO_WORDS || proseWords !== NO_WORDS || orderWords !== undefined || scripts !== undefined;
  return prints.length + proposed.length === 0 && !words && privateData === undefined && untrusted === undefined;
}

function moved(memory: FlowMemory, turns: number): FlowMemory {
  const { privateData, untrusted } = memory;
  return {
    ...memory,
    sources: memory.sources.map((source) => later(source, turns)),
    prints: memory.prints.map((held) => ({
      ...later(held, turns),
      ...(held.sentTurn === undefined ? {} : { sentTurn: held.sentTurn + turns }),
    })),
    ...(privateData === undefined ? {} : { privateData: later(privateData, turns) }),
    ...(untrusted === undefined ? {} : { untrusted: later(untrusted, turns) }),
  };
}

function later<T extends Pick<FlowOrigin, 'turn'>>(origin: T, turns: number): T {
  return { ...origin, turn: origin.turn + turns };
}
