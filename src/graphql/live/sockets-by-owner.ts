import type { Caller } from '../../platform/caller.ts';
import type { SocketLimits } from './limits.ts';

/** Counts sockets, so that nobody has too many. */
export class SocketsByOwner {
  readonly #limits: SocketLimits;
  readonly #counts = new Map<string, number>();
  #all = 0;
  #unknown = 0;

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  /** Undefined where there are too many already. */
  take(owner: SocketOwner): { release: () => void } | undefined {
    const { socketsMax, socketsOfOneMax, unknownMax } = this.#limits;
    const key = keyOf(owner);
    const count = this.#counts.get(key) ?? 0;
    if (this.#all >= socketsMax || count >= socketsOfOneMax) return undefined;
    if (owner.caller === undefined && this.#unknown >= unknownMax) return undefined;
    this.#add(key, owner, 1);
    let isReleased = false;
    return {
      release: () => {
        if (!isReleased) this.#add(key, owner, -1);
        isReleased = true;
      },
    };
  }

  #add(key: string, { caller }: SocketOwner, by: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
    this.#all += by;
    if (caller === undefined) this.#unknown += by;
  }
}

export interface SocketOwner {
  /** Absent until they say who they are. */
  caller: Caller | undefined;
  address: string;
}

function keyOf({ caller, address }: SocketOwner): string {
  if (caller === undefined) return `address ${address}`;
  return caller.kind === 'person' ? `person ${caller.userId}` : `token ${caller.tokenId}`;
}
