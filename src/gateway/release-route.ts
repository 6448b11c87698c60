import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { agentSessionKey, type EventId, newEventId, type TenantSlug } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';
import { parseRelease, type ReleaseRequest } from '../domain/release.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Clock } from '../lib/clock.ts';
import type { ReleaseOrder } from '../session/actor.ts';
import { describeCause } from '../session/failure.ts';
import type { AgentSessions } from '../session/registry.ts';
import { Exchange } from './answers.ts';
import { parseBody } from './body.ts';
import type { Authentication, Site } from './events-route.ts';
import { correlationIdOf, readHead } from './head.ts';

export const RELEASE_PATH = '/v1/sessions/release';

const BODY_BYTES_MAX = 65_536;
/** Requests under way at once: each keeps a body, and people order releases one by one. */
const UNDER_WAY_MAX = 64;

export interface ReleaseRouteOptions {
  site: Site;
  clock: Clock;
  authenticate(authorization: string): Authentication | Promise<Authentication>;
  findTenant(slug: TenantSlug): Tenant | undefined;
  release: AgentSessions['release'];
}

/** `POST /v1/sessions/release`: a person takes back a hold or taints. For tokens of the scope `sessions:release` only. */
export class ReleaseRoute {
  readonly #options: ReleaseRouteOptions;
  #underWay = 0;
  #stopping = false;

  constructor(options: ReleaseRouteOptions) {
    this.#options = options;
  }

  /** Requests that have not been answered yet. */
  get underWay(): number {
    return this.#underWay;
  }

  stop(): void {
    this.#stopping = true;
  }

  readonly handle = (res: HttpResponse, req: HttpRequest): void => {
    const head = readHead(req);
    const id = newEventId(this.#options.clock.now());
    const body = new BoundedBody(res);
    const exchange = new Exchange(res, correlationIdOf(head.correlationId, id), { onGone: () => body.giveUp() });
    const { baseUrl } = this.#options.site;
    const refusal = head.framingFault ?? (head.contentLength > BODY_BYTES_MAX ? TOO_LARGE : undefined);
    if (refusal !== undefined) return this.#refuse(exchange, refusal);
    if (this.#stopping || this.#underWay >= UNDER_WAY_MAX)
      return exchange.sendProblem(baseUrl, 'internal-error', 'try again later', { closes: true });
    this.#underWay++;
    // Asked at once: what the token says must not depend on how long the body takes.
    const authenticated = this.#authenticate(head.authorization);
    void body.read
      .then((bytes) => this.#take({ exchange, id, bytes, authenticated }))
      .catch(() => exchange.sendProblem(baseUrl, 'internal-error', 'the release failed'))
      .finally(() => {
        this.#underWay--;
      });
  };

  async #authenticate(authorization: string): Promise<Authentication> {
    return this.#options.authenticate(authorization);
  }

  async #take(request: {
    exchange: Exchange;
    id: EventId;
    bytes: Buffer | undefined;
    authenticated: Promise<Authentication>;
  }): Promise<void> {
    const { exchange, id, bytes, authenticated } = request;
    const { baseUrl } = this.#options.site;
    if (exchange.over) return;
    if (bytes === undefined) return this.#refuse(exchange, TOO_LARGE);
    const result = await authenticated;
    if (!result.ok)
      return exchange.sendProblem(baseUrl, result.cause === 'busy' ? 'internal-error' : 'unauthorized', result.detail);
    if (!result.principal.scopes.includes('sessions:release'))
      return exchange.sendProblem(baseUrl, 'unauthorized', 'the token lacks the scope sessions:release');
    if (this.#options.findTenant(result.principal.tenant) === undefined)
      return exchange.sendProblem(baseUrl, 'unauthorized', "the token's tenant does not exist here");
    const parsed = parseBody(bytes);
    if (!parsed.ok) return this.#refuse(exchange, parsed.detail);
    const wanted = parseRelease(parsed.value);
    if (!wanted.ok) {
      const faults = wanted.faults.map(({ pointer, expected }) => `${pointer || 'the body'} must ${expected}`);
      return this.#refuse(exchange, faults.join('; '));
    }
    await this.#release(exchange, id, result.principal, wanted.release);
  }

  async #release(
    exchange: Exchange,
    id: EventId,
    { tenant, subject }: Principal,
    wanted: ReleaseRequest,
  ): Promise<void> {
    const { session_id, taints = [], hold = taints.length === 0, reason } = wanted;
    const order: ReleaseOrder = { id, subject, reason, hold, taints };
    const outcome = await this.#options.release(tenant, agentSessionKey(tenant, session_id), order);
    const { baseUrl } = this.#options.site;
    switch (outcome.kind) {
      case 'released': {
        const body = JSON.stringify({ released: { hold: outcome.hold, taints: outcome.taints } });
        return exchange.send(200, 'application/json', body);
      }
      case 'unknown_session':
        return exchange.sendProblem(baseUrl, 'unknown-session', 'nothing is remembered of this session');
      case 'failed':
        return exchange.sendProblem(baseUrl, 'internal-error', `nothing was released: ${describeCause(outcome.cause)}`);
    }
  }

  #refuse(exchange: Exchange, detail: string): void {
    exchange.sendProblem(this.#options.site.baseUrl, 'invalid-request', detail, { closes: true });
  }
}

const TOO_LARGE = `the body is larger than ${BODY_BYTES_MAX} bytes`;

/** A request body. Reads undefined where it is too large, or the sender went away. */
class BoundedBody {
  readonly read: Promise<Buffer | undefined>;
  #settle: (bytes: Buffer | undefined) => void = () => {};

  constructor(res: HttpResponse) {
    this.read = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    res.onData((chunk, isLast) => {
      bytes += chunk.byteLength;
      if (bytes > BODY_BYTES_MAX) return this.#settle(undefined);
      // The chunk is only valid inside this callback: it is copied.
      chunks.push(Buffer.from(Buffer.from(chunk)));
      if (isLast) this.#settle(Buffer.concat(chunks));
    });
  }

  giveUp(): void {
    this.#settle(undefined);
  }
}
