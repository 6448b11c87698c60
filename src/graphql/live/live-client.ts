import type { Caller } from '../../platform/caller.ts';
import type { PlatformRequest } from '../../platform/http.ts';
import type { LiveSocket } from '../../platform/live.ts';

interface Seat {
  release: () => void;
}

/** One open socket: how it was asked for, and who has it. */
export class LiveClient {
  readonly socket: LiveSocket;
  #request: PlatformRequest;
  #caller: Caller | undefined;
  #seat: Seat;
  #isGone = false;

  constructor(opened: { socket: LiveSocket; request: PlatformRequest; caller: Caller | undefined; seat: Seat }) {
    this.socket = opened.socket;
    this.#request = opened.request;
    this.#caller = opened.caller;
    this.#seat = opened.seat;
  }

  /** The request that opened it, with what they said of themselves since. */
  get request(): PlatformRequest {
    return this.#request;
  }

  /** Undefined until they said who they are. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** They said who they are, by `request`. */
  identify(caller: Caller, request: PlatformRequest, seat: Seat): void {
    this.#seat.release();
    this.#caller = caller;
    this.#request = request;
    this.#seat = seat;
    // They may have left while it was being found out.
    if (this.#isGone) seat.release();
  }

  gone(): void {
    this.#isGone = true;
    this.#seat.release();
  }
}
