import type { Caller } from '../../platform/caller.ts';
import type { SocketLimits } from './limits.ts';

/** Counts sockets, so that nobody has too many: no person, no token, no tenant by its tokens, and no network. */
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
    const { socketsMax, unknownMax } = this.#limits;
    const shares = this.#sharesOf(owner);
    if (this.#all >= socketsMax || shares.some(([key, max]) => (this.#counts.get(key) ?? 0) >= max)) return undefined;
    if (owner.caller === undefined && this.#unknown >= unknownMax) return undefined;
    this.#add(shares, owner, 1);
    let isReleased = false;
    return {
      release: () => {
        if (!isReleased) this.#add(shares, owner, -1);
        isReleased = true;
      },
    };
  }

  /** What the socket counts for, and how many each may have. */
  #sharesOf({ caller, network }: SocketOwner): [key: string, max: number][] {
    const { socketsOfOneMax, socketsOfTenantMax } = this.#limits;
    if (caller === undefined) return [[`network ${network}`, socketsOfOneMax]];
    if (caller.kind === 'person') return [[`person ${caller.userId}`, socketsOfOneMax]];
    return [
      [`token ${caller.tokenId}`, socketsOfOneMax],
      [`tenant ${caller.tenantId}`, socketsOfTenantMax],
    ];
  }

  #add(shares: readonly [key: string, max: number][], { caller }: SocketOwner, by: 1 | -1): void {
    for (const [key] of shares) {
      const count = (this.#counts.get(key) ?? 0) + by;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
    this.#all += by;
    if (caller === undefined) this.#unknown += by;
  }
}

export interface SocketOwner {
  /** Absent until they say who they are. */
  caller: Caller | undefined;
  /** From which the socket is opened. */
  network: string;
}
