import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, type Context, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer, type Server } from 'graphql-ws';
import { Pace } from '../../lib/pace.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Authenticate } from '../../platform/caller.ts';
import { isRefusal } from '../../platform/http.ts';
import { networkOfRequest } from '../../platform/limited.ts';
import { CLOSE, type LiveConnection } from '../../platform/live.ts';
import { badInput, type GraphqlContext } from '../builder.ts';
import { contextOf, type GraphqlServices } from '../context.ts';
import { type ErrorSink, shownError } from '../shown-error.ts';
import type { SocketLimits } from './limits.ts';
import type { LiveClient } from './live-client.ts';
import { openStream } from './live-stream.ts';
import { type AskedOperation, readSubscription } from './operations.ts';
import type { SocketsByOwner } from './sockets-by-owner.ts';

export interface ProtocolOptions extends GraphqlServices {
  authenticate: Authenticate;
  onError: ErrorSink;
  limits: SocketLimits;
  counts: SocketsByOwner;
}

/** Making payloads takes at most a quarter of the time, in pieces that hold up no decision for long. */
const PACE = { sliceMs: 2, rest: 3 };

/** The context of a subscription, with the socket that it came by. */
interface SocketContext extends GraphqlContext {
  client: LiveClient;
}

type ClientContext = Context<Record<string, unknown> | undefined, LiveClient>;

/** Speaks graphql-transport-ws with those who have sockets. */
export class Protocol {
  readonly #options: ProtocolOptions;
  readonly #server: Server<LiveClient>;
  readonly #pace = new Pace(PACE);
  readonly #messages: TokenBuckets;
  #opened = 0;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    const { messagesBurst, messageEveryMs, initMsMax } = options.limits;
    this.#messages = new TokenBuckets({ burst: messagesBurst, everyMs: messageEveryMs });
    this.#server = makeServer<Record<string, unknown> | undefined, LiveClient>({
      connectionInitWaitTimeout: initMsMax,
      onConnect: (context) => this.#identify(context),
      onSubscribe: (context, _id, payload) => this.#read(context, payload),
      subscribe: (args) => this.#subscribe(args),
      onNext: (context, _id, _payload, _args, result) => this.#shown(result, context.extra),
      onError: (context, _id, _payload, errors) =>
        this.#shownErrors(errors, context.extra).map((error) => error.toJSON()),
    });
  }

  open(client: LiveClient, onGone: () => void): LiveConnection {
    const { socket, request } = client;
    const key = String(this.#opened++);
    let receive: (text: string) => Promise<void> = () => Promise.resolve();
    const failed = (error: unknown) => {
      this.#options.onError(error, request.correlationId);
      socket.close(CLOSE.internalError, 'something failed inside');
    };
    const closed = this.#server.opened(
      {
        protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL,
        send: (text) => socket.send(text),
        close: (code = CloseCode.InternalServerError, reason = '') => socket.close(code, reason),
        onMessage: (listener) => {
          receive = listener;
        },
      },
      client,
    );
    return {
      receive: (text) => {
        if (this.#messages.take(key, performance.now()) > 0) socket.close(CLOSE.policy, 'too many messages');
        else receive(text).catch(failed);
      },
      closed: (code, reason) => {
        client.gone();
        onGone();
        closed(code, reason).catch(failed);
      },
    };
  }

  /** Whoever did not say with their request who they are does it in their first message. */
  async #identify({ extra: client, connectionParams }: ClientContext): Promise<boolean> {
    if (client.caller !== undefined) return true;
    const token = connectionParams?.['authorization'];
    if (typeof token !== 'string')
      return refuseSocket(client, CLOSE.unauthorized, 'say who you are: see docs/GRAPHQL.md');
    const request = { ...client.request, headers: new Map([...client.request.headers, ['authorization', token]]) };
    const caller = await this.#options.authenticate(request);
    if (isRefusal(caller)) return refuseSocket(client, CLOSE.unauthorized, caller.detail);
    const seat = this.#options.counts.take({ caller, network: networkOfRequest(request) });
    if (seat === undefined) return refuseSocket(client, CLOSE.tryAgainLater, 'too many sockets are open');
    client.identify(caller, request, seat);
    return true;
  }

  #read(
    { extra: client, subscriptions }: ClientContext,
    asked: AskedOperation,
  ): ExecutionArgs | readonly GraphQLError[] {
    const { caller, request } = client;
    const { operationsMax } = this.#options.limits;
    if (caller === undefined) return [badInput('say who you are first')];
    if (Object.keys(subscriptions).length > operationsMax)
      return [badInput(`no more than ${operationsMax} subscriptions over one socket`)];
    const context: SocketContext = { ...contextOf(caller, request.address, this.#options), client };
    return readSubscription(asked, context);
  }

  #subscribe(args: ExecutionArgs): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult> {
    const { client } = args.contextValue as SocketContext;
    return openStream(args, { pace: this.#pace, socket: client.socket });
  }

  #shown({ errors, ...result }: { errors?: readonly GraphQLError[] | undefined }, client: LiveClient) {
    return errors === undefined
      ? undefined
      : { ...result, errors: this.#shownErrors(errors, client).map((error) => error.toJSON()) };
  }

  #shownErrors(errors: readonly GraphQLError[], { request }: LiveClient): GraphQLError[] {
    return errors.map((error) => shownError(error, request.correlationId, this.#options.onError));
  }
}

function refuseSocket({ socket }: LiveClient, code: number, reason: string): false {
  socket.close(code, reason.slice(0, REASON_CHARS_MAX));
  return false;
}

/** A close frame has room for 123 bytes. */
const REASON_CHARS_MAX = 60;
