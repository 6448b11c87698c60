import { openWebSocket, type Refused, type TestSocket } from './web-socket.ts';

/** Payloads are looked into freely. */
export type Payload = ReturnType<typeof JSON.parse>;

const WAIT_MS_MAX = 60_000;

/** One who watches over a WebSocket, as graphql-transport-ws has it. */
export class Watcher {
  readonly socket: TestSocket;
  #nextId = 1;
  #onMessage: (message: Payload) => void = () => {};
  readonly #subscriptions = new Map<string, Watched>();

  constructor(socket: TestSocket) {
    this.socket = socket;
    socket.onMessage((text) => this.#take(JSON.parse(text)));
    void socket.closed.then(() => {
      for (const watched of this.#subscriptions.values()) watched.end();
    });
  }

  get closed() {
    return this.socket.closed;
  }

  /** Says who it is, and waits until it is known. */
  async init(payload?: object): Promise<this> {
    const acknowledged = new Promise<void>((resolve, reject) => {
      this.#onMessage = (message) => message.type === 'connection_ack' && resolve();
      void this.closed.then(({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)));
    });
    this.socket.send(JSON.stringify({ type: 'connection_init', ...(payload === undefined ? {} : { payload }) }));
    await acknowledged;
    return this;
  }

  watch(query: string, variables: object = {}): Watched {
    const id = String(this.#nextId++);
    const watched = new Watched(() => this.socket.send(JSON.stringify({ id, type: 'complete' })));
    this.#subscriptions.set(id, watched);
    this.socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query, variables } }));
    return watched;
  }

  #take(message: Payload): void {
    this.#onMessage(message);
    const watched = this.#subscriptions.get(message.id);
    if (message.type === 'next') watched?.take(message.payload);
    if (message.type === 'error') watched?.take({ errors: message.payload });
    if (message.type === 'complete' || message.type === 'error') watched?.end();
  }
}

/** What one subscription told so far. */
export class Watched {
  readonly payloads: Payload[] = [];
  readonly stop: () => void;
  #isOver = false;
  #read = 0;
  #wake: () => void = () => {};

  constructor(stop: () => void) {
    this.stop = stop;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(payload: Payload): void {
    this.payloads.push(payload);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The next payload that was not asked for before. */
  async next(): Promise<Payload> {
    await this.until(() => this.payloads.length > this.#read || this.#isOver);
    const payload = this.payloads[this.#read++];
    if (payload === undefined) throw new Error('the subscription is over');
    return payload;
  }

  async until(condition: () => boolean): Promise<void> {
    for (const untilMs = Date.now() + WAIT_MS_MAX; !condition(); ) {
      if (Date.now() > untilMs) throw new Error('waited in vain for what is watched');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** A socket that must be accepted. */
export async function connect(url: string, headers: Record<string, string>): Promise<Watcher> {
  const opened = await openWebSocket(`${url}/api/v1/graphql`, headers);
  if (isRefused(opened)) throw new Error(`the socket was refused with ${opened.status}: ${opened.body}`);
  return new Watcher(opened);
}

export function isRefused(opened: TestSocket | Refused): opened is Refused {
  return 'status' in opened;
}
