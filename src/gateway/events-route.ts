import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { isJsonType } from '../domain/content-type.ts';
import type { Decision, UndecidedCause } from '../domain/decision.ts';
import { type AgentEvent, faultsText, parentSessionIdOf, parseEvent } from '../domain/event.ts';
import type { EventIds } from '../domain/event-ids.ts';
import { EVENT_TYPES, isBlocking } from '../domain/event-types.ts';
import { type AgentSessionKey, agentSessionKey, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type { ProblemSlug } from '../domain/problem.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Verified } from '../identity/access-token-verifier.ts';
import type { Clock } from '../lib/clock.ts';
import { type Deadline, type Deadlines, takeOff } from '../lib/deadlines.ts';
import { sensorOf } from '../platform/bearer.ts';
import { isRefusal } from '../platform/http.ts';
import type { Site } from '../platform/site.ts';
import { answerMarginMs, describeCause, failureMarginMs, notDecided } from '../session/failure.ts';
import type { Answer, ReceivedEvent } from '../session/received-event.ts';
import { Exchange } from './answers.ts';
import { parseBody } from './body.ts';
import { BodyTurns } from './body-turns.ts';
import { correlationIdOf, type RequestHead, readHead, traceparentOf } from './head.ts';

export const EVENTS_PATH = '/v1/generic-webhook/hooks/events';

export interface EventsRouteOptions {
  site: Site;
  /** Of tenants that want no shorter one. */
  deadlineMs: number;
  bodyBytesMax: number;
  clock: Clock;
  ids: EventIds;
  deadlines: Deadlines;
  /** At once where the token is known, which is the rule. */
  authenticate(authorization: string): Verified | Promise<Verified>;
  findTenant: (slug: TenantSlug) => Tenant | undefined;
  submit(event: ReceivedEvent): Promise<Answer>;
  /** The answer to an event that is not taken. */
  refuse(event: ReceivedEvent, cause: UndecidedCause): Answer;
  observer: EventsObserver;
}

/** Is told of every answer, and of decisions that no session made, for metrics. */
export interface EventsObserver {
  answered(status: number, tookMs: number): void;
  decided(decision: Decision): void;
}

/**
 * A body over the limit is read up to this many times the limit, and thrown away, before it is refused: who still sends when
 * the connection is closed takes the refusal for a service that is away.
 */
const REFUSED_BODY_FACTOR = 2;

/** One request on its way in. */
interface EventRequest {
  head: RequestHead;
  exchange: Exchange;
  startedAtMs: number;
  deadlineAtMs: number;
  deadline: Deadline | undefined;
  tenant?: Tenant;
  subject: string;
  body?: Buffer | undefined;
  /** Whether the event was handed to its session. */
  isTaken: boolean;
  /** The body is, or was announced to be, over the limit. */
  tooLarge: boolean;
  done: boolean;
}

/** Session keys that are remembered, since hashing one costs more than the rest of the parsing. */
const SESSION_KEYS_MAX = 50_000;

const ALLOW = '{"apiVersion":"1","response":{"action":"allow"}}';
/** What is said of an event that failed: of a decision, and of any other event. */
const NOT_DECIDED = 'no decision was reached';
const NOT_STORED = 'the event was not stored';
const NOT_STORED_YET = 'the event is not stored yet';

/** `POST /v1/generic-webhook/hooks/events`: takes an event, and answers it before its deadline. */
export class EventsRoute {
  readonly #options: EventsRouteOptions;
  readonly #sessionKeys = new Map<string, AgentSessionKey>();
  readonly #bodyTurns = new BodyTurns();
  #underWay = 0;
  #stopping = false;

  constructor(options: EventsRouteOptions) {
    this.#options = options;
  }

  /** Requests that have not been answered yet. */
  get underWay(): number {
    return this.#underWay;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** From here on no event is taken: each is answered as its tenant wants it where nothing is decided. */
  stop(): void {
    this.#stopping = true;
  }

  readonly handle = (res: HttpResponse, req: HttpRequest): void => {
    const startedAtMs = this.#options.clock.monotonic();
    const head = readHead(req);
    const exchange = new Exchange(res, correlationIdOf(head.correlationId));
    const request: EventRequest = {
      head,
      exchange,
      startedAtMs,
      deadlineAtMs: startedAtMs + this.#options.deadlineMs,
      deadline: undefined,
      subject: '',
      isTaken: false,
      tooLarge: head.contentLength > this.#options.bodyBytesMax,
      done: false,
    };
    this.#underWay++;
    if (!this.#admit(request)) return;
    this.#expireAt(request, request.deadlineAtMs);
    this.#authenticate(request);
    if (!request.done) this.#readBody(res, request);
  };

  /** Sets the deadline, and answers what is not over by then, or `marginMs` before it. */
  #expireAt(request: EventRequest, atMs: number, marginMs = 0): void {
    takeOff(request.deadline);
    request.deadlineAtMs = atMs;
    request.deadline = this.#options.deadlines.add(atMs - marginMs, () => {
      if (request.isTaken) this.#refuse(request, 'timeout', 'the event was not stored before the deadline');
      else if (request.tooLarge) this.#refuseTooLarge(request);
      else if (request.body !== undefined && request.tenant !== undefined)
        this.#answerUnread(request, request.body, request.tenant, 'deadline');
      else this.#refuse(request, 'timeout', 'the request was not complete before the deadline', true);
    });
  }

  /** Refuses before anything is buffered: what could be read in two ways, and what announces far too much. */
  #admit(request: EventRequest): boolean {
    const { framingFault, hasLength, contentLength, contentType } = request.head;
    if (framingFault !== undefined || !hasLength) {
      // What comes behind the head would be read as the next request.
      this.#refuse(request, 'invalid-request', framingFault ?? 'there must be a Content-Length', true);
    } else if (contentLength > REFUSED_BODY_FACTOR * this.#options.bodyBytesMax) {
      this.#refuseTooLarge(request);
    } else if (!isJsonType(contentType)) {
      this.#refuse(request, 'invalid-request', 'Content-Type must be application/json');
    }
    return !request.done;
  }

  #authenticate(request: EventRequest): void {
    const verified = this.#options.authenticate(request.head.authorization);
    if (!(verified instanceof Promise)) return this.#authenticated(request, verified);
    void verified.then((late) => {
      this.#authenticated(request, late);
      this.#proceed(request);
    });
  }

  #authenticated(request: EventRequest, verified: Verified): void {
    const sensor = sensorOf(verified, this.#options.findTenant, 'events:write');
    if (isRefusal(sensor)) return this.#refuse(request, sensor.slug, sensor.detail);
    const { principal, tenant } = sensor;
    request.tenant = tenant;
    request.subject = principal.subject;
    const ownDeadlineAtMs = request.startedAtMs + (tenant.deadlineMs ?? this.#options.deadlineMs);
    if (ownDeadlineAtMs < request.deadlineAtMs && !request.done) this.#expireAt(request, ownDeadlineAtMs);
  }

  #readBody(res: HttpResponse, request: EventRequest): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    res.onData((chunk, isLast) => {
      if (request.done) return;
      bytes += chunk.byteLength;
      request.tooLarge ||= bytes > this.#options.bodyBytesMax;
      if (request.tooLarge) {
        chunks.length = 0;
        if (isLast || bytes > REFUSED_BODY_FACTOR * this.#options.bodyBytesMax) this.#refuseTooLarge(request);
        return;
      }
      // The chunk is only valid inside this callback: it is copied.
      chunks.push(Buffer.from(Buffer.from(chunk)));
      if (!isLast) return;
      request.body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      this.#proceed(request);
    });
  }

  /** Goes on once both the body and the tenant are there, in whichever order they came. */
  #proceed(request: EventRequest): void {
    const { body, tenant, exchange } = request;
    // Nobody waits; but one that was answered at its deadline goes on as late.
    if (exchange.over && exchange.status === 0) return this.#done(request);
    if (body === undefined || tenant === undefined) return;
    if (this.#bodyTurns.begins(body.length)) return this.#take(request, body, tenant);
    // A failure that is no fail-open is answered while its sender still listens.
    const marginMs = failureMarginMs(tenant.onFailure, request.deadlineAtMs - request.startedAtMs);
    if (marginMs > 0 && mayWait(body)) this.#expireAt(request, request.deadlineAtMs, marginMs);
    this.#bodyTurns.wait({
      tenant: tenant.slug,
      bytes: body.length,
      read: () => this.#take(request, body, tenant),
      refuse: () => this.#answerUnread(request, body, tenant, 'queue_full'),
    });
  }

  /** An event that is there, and was not read in time: answered as its tenant wants it where nothing is decided. When it is read after all, its session takes it as one that was late. */
  #answerUnread(request: EventRequest, body: Buffer, tenant: Tenant, cause: 'deadline' | 'queue_full'): void {
    const { exchange } = request;
    const isDecision = mayWait(body);
    // What is late is read and stored yet.
    if (!isDecision) this.#sendFailure(request, cause === 'deadline' ? NOT_STORED_YET : NOT_STORED, cause);
    else if (tenant.onFailure === 'allow') this.#sendFailure(request, NOT_DECIDED, cause);
    else exchange.send(200, 'application/json', blockBody(notDecided(cause)), { closes: this.#stopping });
    this.#done(request);
    // What is late is read yet, and its session tells of it.
    if (!isDecision || cause === 'deadline') return;
    this.#options.observer.decided({
      kind: 'undecided',
      cause,
      answered: exchange.status === 200 ? 'block' : 'fail_open',
    });
  }

  #take(request: EventRequest, body: Buffer, tenant: Tenant): void {
    const parsed = parseBody(body);
    if (!parsed.ok) return this.#refuse(request, 'invalid-request', parsed.detail);
    const event = parseEvent(parsed.value);
    if (!event.ok) return this.#refuse(request, 'invalid-request', faultsText(event.faults));
    // The deadline of a decision is kept by its session; the one of any other event is over once it is on disk.
    request.isTaken = true;
    if (isBlocking(event.event.event_type)) takeOff(request.deadline);
    const received = this.#received(request, event.event, parsed.text, tenant);
    if (this.#stopping) return this.#answer(request, this.#options.refuse(received, 'stopping'));
    void this.#options.submit(received).then((answer) => this.#answer(request, answer));
  }

  /**
   * The event gets its id as it is handed to its session, and not when its request began: so ids sort in the order in which the
   * session takes its events, whichever body was on its way for longer, and what was decided is computed again in that order (P5).
   */
  #received(request: EventRequest, event: AgentEvent, text: string, tenant: Tenant): ReceivedEvent {
    const id = this.#options.ids.next(this.#options.clock.now());
    const traceparent = traceparentOf(request.head.traceparent);
    const received: ReceivedEvent = {
      id,
      tenant,
      session: this.#sessionKey(tenant.slug, event.session_id),
      event,
      body: request.body as Buffer,
      text,
      correlationId: request.exchange.correlationId,
      subject: request.subject,
      receivedAtMs: eventIdTimeMs(id),
      startedAtMs: request.startedAtMs,
      deadlineAtMs: request.deadlineAtMs,
    };
    const parent = parentSessionIdOf(event);
    if (parent !== undefined) received.parent = this.#sessionKey(tenant.slug, parent);
    if (traceparent !== undefined) received.traceparent = traceparent;
    const { status } = request.exchange;
    if (status !== 0) received.answered = status === 200 ? 'block' : 'allow';
    return received;
  }

  #answer(request: EventRequest, answer: Answer): void {
    const { exchange } = request;
    const closes = this.#stopping;
    if (answer.kind === 'accepted') exchange.send(202, undefined, '', { closes });
    else if (answer.kind === 'failed') this.#sendFailure(request, NOT_STORED, answer.cause);
    else if (answer.decision.kind === 'undecided' && answer.decision.answered === 'fail_open') {
      this.#sendFailure(request, NOT_DECIDED, answer.decision.cause);
    } else {
      const { decision } = answer;
      const action = decision.kind === 'decided' ? decision.action : decision.answered;
      exchange.send(200, 'application/json', action === 'allow' ? ALLOW : blockBody(decision.reason), { closes });
    }
    this.#done(request);
  }

  /** Whatever the cause, what failed because its time was over is a timeout. */
  #sendFailure({ exchange, startedAtMs, deadlineAtMs }: EventRequest, what: string, cause: UndecidedCause): void {
    const isOver = this.#options.clock.monotonic() >= deadlineAtMs - answerMarginMs(deadlineAtMs - startedAtMs);
    const slug = cause === 'deadline' || (isOver && cause === 'lane_ended') ? 'timeout' : 'internal-error';
    const detail = `${what}: ${describeCause(cause)}`;
    exchange.sendProblem(this.#options.site.baseUrl, slug, detail, { closes: this.#stopping });
  }

  #refuseTooLarge(request: EventRequest): void {
    this.#refuse(request, 'invalid-request', `the body is larger than ${this.#options.bodyBytesMax} bytes`, true);
  }

  #refuse(request: EventRequest, slug: ProblemSlug, detail: string, closes = false): void {
    if (request.done) return;
    request.exchange.sendProblem(this.#options.site.baseUrl, slug, detail, { closes });
    this.#done(request);
  }

  #done(request: EventRequest): void {
    if (request.done) return;
    request.done = true;
    takeOff(request.deadline);
    this.#underWay--;
    this.#options.observer.answered(request.exchange.status, this.#options.clock.monotonic() - request.startedAtMs);
  }

  #sessionKey(tenant: TenantSlug, sessionId: string): AgentSessionKey {
    const name = `${tenant}\0${sessionId}`;
    const known = this.#sessionKeys.get(name);
    if (known !== undefined) return known;
    const key = agentSessionKey(tenant, sessionId);
    if (this.#sessionKeys.size >= SESSION_KEYS_MAX) this.#sessionKeys.clear();
    this.#sessionKeys.set(name, key);
    return key;
  }
}

/** Whether somebody may wait for the answer to an event that was not read: whatever its text says, this is how its type would be written. */
function mayWait(body: Buffer): boolean {
  return BLOCKING_TYPES.some((type) => body.includes(`"${type}"`));
}

const BLOCKING_TYPES = EVENT_TYPES.filter(isBlocking);

function blockBody(reason: string | undefined): string {
  return JSON.stringify({ apiVersion: '1', response: { action: 'block', reason: reason ?? 'Blocked by policy.' } });
}
