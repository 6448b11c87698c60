export interface BodyRoomBounds {
  /** What all bodies may have together, as announced, each until its request is answered. */
  bytesMax: number;
  /** In which a body must be here. */
  msMax: number;
}

/** Why a body is waited for no longer: its time was over, or others needed its room. */
export type GivenUp = 'late' | 'displaced';

/** The room of one body. */
export interface BodyPlace {
  /** It is here: from now on it gives way to no other. */
  arrived: () => void;
  /** Gives the room back; again, it changes nothing. */
  leave: () => void;
}

/**
 * The memory of bodies whose senders may be anybody, since who sends them is found out only once they are here. Where there is no
 * room for another, the one that has been on its way for the longest makes some: those who are quick lose nothing to those who dawdle.
 */
export class BodyRoom {
  readonly #bounds: BodyRoomBounds;
  /** Those on their way, the longest first. */
  readonly #arriving = new Set<(cause: GivenUp) => void>();
  #bytes = 0;

  constructor(bounds: BodyRoomBounds) {
    this.#bounds = bounds;
  }

  /** Room for a body of so many bytes; undefined where all is taken by bodies that are here. `onGivenUp` is called at most once, and not after `arrived`. */
  take(bytes: number, onGivenUp: (cause: GivenUp) => void): BodyPlace | undefined {
    for (const giveUp of this.#arriving) {
      if (this.#bytes + bytes <= this.#bounds.bytesMax) break;
      giveUp('displaced');
    }
    if (this.#bytes + bytes > this.#bounds.bytesMax) return undefined;
    this.#bytes += bytes;
    let held = bytes;
    const giveUp = (cause: GivenUp) => {
      leave();
      onGivenUp(cause);
    };
    const timer = setTimeout(giveUp, this.#bounds.msMax, 'late');
    const arrived = () => {
      clearTimeout(timer);
      this.#arriving.delete(giveUp);
    };
    const leave = () => {
      arrived();
      this.#bytes -= held;
      held = 0;
    };
    this.#arriving.add(giveUp);
    return { arrived, leave };
  }
}
