import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import type { Pace } from '../../lib/pace.ts';
import { Pulled } from './pulled.ts';

/** How payloads are made for one who watches. */
export interface StreamOptions {
  /** Shared by all, so that those who watch never take more than their part of the time. */
  pace: Pace;
  /** Where the payloads go: while it is full, none is made. */
  socket: { readonly hasRoom: boolean; room(): Promise<void> };
}

/** Starts a subscription. Its payloads, or why there are none. */
export async function openStream(args: ExecutionArgs, options: StreamOptions): Promise<LiveStream | ExecutionResult> {
  const source = await createSourceEventStream(args);
  return Symbol.asyncIterator in source ? new LiveStream(source[Symbol.asyncIterator](), args, options) : source;
}

/** What is selected of each thing that a source tells. */
export class LiveStream extends Pulled<ExecutionResult> {
  readonly #source: AsyncIterator<unknown>;
  readonly #args: ExecutionArgs;
  readonly #options: StreamOptions;

  constructor(source: AsyncIterator<unknown>, args: ExecutionArgs, options: StreamOptions) {
    super(() => source.return?.());
    this.#source = source;
    this.#args = args;
    this.#options = options;
  }

  override async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    const { pace, socket } = this.#options;
    await socket.room();
    const { done, value } = await this.#source.next();
    if (done === true) return { done: true, value: undefined };
    for (;;) {
      await socket.room();
      // Others of the same socket may have filled it while this one waited for its turn.
      const result = await pace.run(() => (socket.hasRoom ? this.#execute(value) : undefined));
      if (result !== undefined) return { done: false, value: result };
    }
  }

  /** In a context of its own: what is remembered in one of them would be remembered for as long as somebody watches. */
  #execute(rootValue: unknown): ExecutionResult | Promise<ExecutionResult> {
    const contextValue: object = { ...(this.#args.contextValue as object) };
    return execute({ ...this.#args, rootValue, contextValue });
  }
}
