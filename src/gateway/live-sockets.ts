import uWS, {
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_socket_context_t,
  type WebSocket,
} from 'uWebSockets.js';
import { isRefusal, refuse } from '../platform/http.ts';
import { CLOSE, type LiveConnection, type LiveEndpoint, type LiveEntry, type LiveSocket } from '../platform/live.ts';
import { Exchange } from './answers.ts';
import { correlationIdOf, readHead } from './head.ts';
import { copyRequest, type PlatformRouteOptions, sendRefusal } from './platform-route.ts';

export interface LiveSocketsOptions extends PlatformRouteOptions {
  /** Told of each socket that is gone. */
  onGone: () => void;
  endpoint: LiveEndpoint;
}

/** Bytes that wait for a slow reader before nothing more is made for them; one message may come on top. */
const BUFFERED_BYTES_MAX = 64 * 1024;
/** A backstop: what waits never comes near it. */
const BACKPRESSURE_BYTES_MAX = 32 * 1024 * 1024;
/** Without a sign of life; pings are sent before. */
const IDLE_SECONDS = 60;

interface SocketData {
  entry: LiveEntry;
  socket?: OpenSocket;
  connection?: LiveConnection;
}

/** Takes WebSockets off uWebSockets.js. */
export class LiveSockets {
  readonly #options: LiveSocketsOptions;
  readonly #open = new Set<OpenSocket>();
  #upgrading = 0;
  #isStopping = false;

  constructor(options: LiveSocketsOptions) {
    this.#options = options;
  }

  /** Sockets that are open or being opened. */
  get underWay(): number {
    return this.#open.size + this.#upgrading;
  }

  register(app: TemplatedApp): void {
    const { path, messageBytesMax } = this.#options.endpoint;
    app.ws<SocketData>(path, {
      compression: uWS.DISABLED,
      maxPayloadLength: messageBytesMax,
      maxBackpressure: BACKPRESSURE_BYTES_MAX,
      closeOnBackpressureLimit: true,
      idleTimeout: IDLE_SECONDS,
      sendPingsAutomatically: true,
      upgrade: (res, req, context) => this.#upgrade(res, req, context),
      open: (ws) => this.#opened(ws),
      message: (ws, message) => this.#received(ws, message),
      drain: (ws) => ws.getUserData().socket?.drained(),
      close: (ws, code, reason) => this.#closed(ws, code, Buffer.from(reason).toString('utf8')),
    });
  }

  /** Takes no new sockets, and closes those there are. */
  stop(): void {
    this.#isStopping = true;
    for (const socket of this.#open) socket.close(CLOSE.goingAway, 'the service is stopping');
  }

  #upgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
    const head = readHead(req);
    const exchange = new Exchange(res, correlationIdOf(head.correlationId));
    const refusal =
      head.framingFault !== undefined || head.contentLength > 0
        ? refuse('invalid-request', head.framingFault ?? 'a WebSocket is asked for without a body')
        : this.#isStopping
          ? refuse('internal-error', 'the service is stopping')
          : undefined;
    const { proxyHops, endpoint } = this.#options;
    const copied = copyRequest(res, req, { method: 'GET', paramNames: [], proxyHops });
    if (refusal !== undefined || copied === undefined)
      return sendRefusal(exchange, refusal ?? refuse('invalid-request', 'the address is not valid'), {
        site: this.#options.site,
        closes: true,
      });
    if (!offers(copied.headers.get('sec-websocket-protocol') ?? '', endpoint.protocol))
      return sendRefusal(
        exchange,
        refuse('invalid-request', `ask for the subprotocol ${endpoint.protocol}`),
        this.#options,
      );
    const request = { ...copied, body: Buffer.alloc(0), correlationId: exchange.correlationId };
    void this.#admit(request, { res, context, exchange });
  }

  async #admit(
    request: Parameters<LiveEndpoint['admit']>[0],
    { res, context, exchange }: { res: HttpResponse; context: us_socket_context_t; exchange: Exchange },
  ): Promise<void> {
    this.#upgrading++;
    try {
      const entry = await this.#options.endpoint.admit(request);
      if (isRefusal(entry)) sendRefusal(exchange, entry, this.#options);
      else if (exchange.over) entry.abandon();
      else if (this.#isStopping) {
        entry.abandon();
        sendRefusal(exchange, refuse('internal-error', 'the service is stopping'), this.#options);
      } else {
        // Not corked, though a warning is written for it: after a corked upgrade uWebSockets before 20.79 goes on as with an HTTP answer
        // where the socket's memory stayed in place, and may close it (uNetworking/uWebSockets#1929).
        this.#switch(res, context, request.headers, entry);
      }
    } catch (error) {
      const { method, path, correlationId } = request;
      this.#options.onError(error, { method, path, correlationId });
      sendRefusal(exchange, refuse('internal-error', 'the socket could not be opened'), this.#options);
    } finally {
      this.#upgrading--;
    }
  }

  #switch(
    res: HttpResponse,
    context: us_socket_context_t,
    headers: ReadonlyMap<string, string>,
    entry: LiveEntry,
  ): void {
    res.upgrade<SocketData>(
      { entry },
      headers.get('sec-websocket-key') ?? '',
      this.#options.endpoint.protocol,
      headers.get('sec-websocket-extensions') ?? '',
      context,
    );
  }

  #opened(ws: WebSocket<SocketData>): void {
    const data = ws.getUserData();
    data.socket = new OpenSocket(ws, this.#options.endpoint.stalledMsMax);
    this.#open.add(data.socket);
    data.connection = data.entry.open(data.socket);
  }

  #received(ws: WebSocket<SocketData>, message: ArrayBuffer): void {
    // It is only valid inside this callback.
    ws.getUserData().connection?.receive(Buffer.from(message).toString('utf8'));
  }

  #closed(ws: WebSocket<SocketData>, code: number, reason: string): void {
    this.#options.onGone();
    const { socket, connection } = ws.getUserData();
    if (socket !== undefined) {
      socket.gone();
      this.#open.delete(socket);
    }
    connection?.closed(code, reason);
  }
}

function offers(header: string, protocol: string): boolean {
  return header.split(',').some((name) => name.trim() === protocol);
}

/** A socket until it is closed; from then on nothing is done with it, since uWebSockets.js does not allow it. */
class OpenSocket implements LiveSocket {
  readonly #ws: WebSocket<SocketData>;
  readonly #stalledMsMax: number;
  #waiting: (() => void)[] = [];
  #stalled: NodeJS.Timeout | undefined;
  #isGone = false;

  constructor(ws: WebSocket<SocketData>, stalledMsMax: number) {
    this.#ws = ws;
    this.#stalledMsMax = stalledMsMax;
  }

  get hasRoom(): boolean {
    return this.#isGone || this.#ws.getBufferedAmount() < BUFFERED_BYTES_MAX;
  }

  room(): Promise<void> {
    if (this.hasRoom) return Promise.resolve();
    this.#stalled ??= setTimeout(
      () => this.close(CLOSE.tryAgainLater, 'what was sent is not read: come again, and go on at the last cursor'),
      this.#stalledMsMax,
    ).unref();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  send(text: string): void {
    if (!this.#isGone) this.#ws.send(text);
  }

  close(code: number, reason: string): void {
    // Not from inside a call of the one who closes it: what they do next may be meant for an open socket.
    setImmediate(() => {
      if (!this.#isGone) this.#ws.end(code, reason);
    });
  }

  drained(): void {
    if (this.hasRoom) this.#wake();
  }

  /** Nothing can be sent any more: nobody waits for it. */
  gone(): void {
    this.#isGone = true;
    this.#wake();
  }

  #wake(): void {
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
