import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import { PollLoop } from '../lib/poll-loop.ts';
import { PLATFORM_PATH } from '../platform/addresses.ts';
import type { Authenticate, Caller } from '../platform/caller.ts';
import { isRefusal, type PlatformRequest, type Refusal, refuse } from '../platform/http.ts';
import { networkOfRequest } from '../platform/limited.ts';
import { CLOSE, type LiveEndpoint, type LiveEntry } from '../platform/live.ts';
import { isSameOrigin } from '../platform/same-origin.ts';
import type { Site } from '../platform/site.ts';
import { MESSAGE_BYTES_MAX } from './builder.ts';
import type { GraphqlServices } from './context.ts';
import { SOCKET_LIMITS, type SocketLimits } from './live/limits.ts';
import { LiveClient } from './live/live-client.ts';
import { Protocol } from './live/protocol.ts';
import { SocketsByOwner } from './live/sockets-by-owner.ts';
import type { ErrorSink } from './shown-error.ts';

export interface GraphqlSocketsOptions extends GraphqlServices {
  site: Site;
  authenticate: Authenticate;
  /** The same, without counting as a use of the login session: asked again and again for as long as a socket is open. */
  recheck: Authenticate;
  /** Why no socket is to be opened now. */
  whyNot: () => Refusal | undefined;
  onError: ErrorSink;
  limits?: Partial<SocketLimits>;
}

/** `{platform_url}/graphql` as a WebSocket, for subscriptions: graphql-transport-ws. */
export class GraphqlSockets implements LiveEndpoint {
  readonly path = `${PLATFORM_PATH}/graphql`;
  readonly protocol = GRAPHQL_TRANSPORT_WS_PROTOCOL;
  readonly messageBytesMax = MESSAGE_BYTES_MAX;
  readonly stalledMsMax: number;
  readonly #options: GraphqlSocketsOptions;
  readonly #counts: SocketsByOwner;
  readonly #protocol: Protocol;
  readonly #clients = new Set<LiveClient>();
  readonly #rechecking: PollLoop;

  constructor(options: GraphqlSocketsOptions) {
    this.#options = options;
    const limits = { ...SOCKET_LIMITS, ...options.limits };
    this.stalledMsMax = limits.stalledMsMax;
    this.#counts = new SocketsByOwner(limits);
    this.#protocol = new Protocol({ ...options, limits, counts: this.#counts });
    this.#rechecking = new PollLoop(limits.recheckMs, () => this.#recheckAll());
  }

  /** Begins to ask again and again whether those who opened sockets may still do so. */
  start(): void {
    void this.#rechecking.start();
  }

  stop(): Promise<void> {
    return this.#rechecking.stop();
  }

  /**
   * Who has neither a cookie nor a header says who they are in the first message. A page of another site would bring the cookie of
   * whoever looks at it, and read along: a socket is not held back by what holds back other requests.
   */
  async admit(request: PlatformRequest): Promise<LiveEntry | Refusal> {
    const heldBack = this.#options.whyNot();
    if (heldBack !== undefined) return heldBack;
    const byHeader = request.headers.has('authorization');
    const byCookie = !byHeader && request.cookies.size > 0;
    if (byCookie && !isSameOrigin(request.headers, this.#options.site))
      return refuse('forbidden', 'the socket is opened by a page of another site');
    const caller = byHeader || byCookie ? await this.#options.authenticate(request) : undefined;
    if (caller !== undefined && isRefusal(caller)) return caller;
    const seat = this.#counts.take({ caller, network: networkOfRequest(request) });
    if (seat === undefined) return refuse('too-many-requests', 'too many sockets are open', [['retry-after', '10']]);
    return {
      open: (socket) => {
        const client = new LiveClient({ socket, request, caller, seat });
        this.#clients.add(client);
        return this.#protocol.open(client, () => this.#clients.delete(client));
      },
      abandon: () => seat.release(),
    };
  }

  /** Closes the sockets of a login session that ended. */
  endLoginSession(id: string): void {
    for (const client of this.#clients)
      if (client.caller?.kind === 'person' && client.caller.loginSessionId === id) signOut(client);
  }

  /** Closes the sockets of a token that was revoked. */
  endToken(id: string): void {
    for (const client of this.#clients)
      if (client.caller?.kind === 'token' && client.caller.tokenId === id) signOut(client);
  }

  /** Asks at once whether this person's sockets may stay open. */
  recheckPerson(userId: string): void {
    for (const client of this.#clients)
      if (client.caller?.kind === 'person' && client.caller.userId === userId) void this.#recheck(client);
  }

  async #recheckAll(): Promise<void> {
    for (const client of this.#clients) {
      if (this.#options.whyNot() === undefined) await this.#recheck(client);
      else client.socket.close(CLOSE.tryAgainLater, 'the database is of a newer version than the service');
    }
  }

  async #recheck(client: LiveClient): Promise<void> {
    const { caller, request } = client;
    if (caller === undefined) return;
    // While the database is away nobody can be asked, and nothing can be read either.
    const now = await this.#options.recheck(request).catch(() => undefined);
    if (now === undefined) return;
    if (!isRefusal(now)) {
      if (!isSame(caller, now)) client.socket.close(CLOSE.forbidden, 'what you may do has changed: come again');
    } else if (now.slug !== 'internal-error') signOut(client);
  }
}

function signOut({ socket }: LiveClient): void {
  socket.close(CloseCode.Unauthorized, 'you are signed out, or the token is not good any more');
}

/** Whether they may do the same. */
function isSame(one: Caller, other: Caller): boolean {
  return JSON.stringify(rightsOf(one)) === JSON.stringify(rightsOf(other));
}

function rightsOf(caller: Caller): unknown {
  return caller.kind === 'person'
    ? [caller.userId, caller.loginSessionId, [...caller.tenants].toSorted(([one], [other]) => (one < other ? -1 : 1))]
    : [caller.tokenId, caller.tenantId, caller.permissions];
}
