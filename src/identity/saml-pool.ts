import { Shares } from '../lib/shares.ts';
import { SidePool } from '../threads/side-pool.ts';
import type {
  LogoutCheck,
  LogoutOutcome,
  MetadataOutcome,
  ResponseCheck,
  ResponseOutcome,
  SamlTask,
} from './saml-messages.ts';
import { screenXml } from './saml-screen.ts';

export interface SamlPoolOptions {
  /** The bundled worker: `workers/saml.ts`, as one CommonJS file. */
  file: string;
  timeoutMs?: number;
  tasksMax?: number;
}

/** A good response of the largest accepted size takes a third of it on a slow machine. */
const TIMEOUT_MS = 3_000;
/** Waiting and running. More are refused at once. */
const TASKS_MAX = 64;
/** Of these, one connection may have so many; one of them is read at a time. */
const SHARE = 1 / 4;
const HEAP_MB = 128;

/**
 * The small side pool for SAML, with one thread: node-saml's parser takes quadratic time before it looks at a signature.
 */
export class SamlPool {
  readonly #timeoutMs: number;
  readonly #shares: Shares;
  readonly #pool: SidePool<SamlTask, ResponseOutcome | LogoutOutcome | MetadataOutcome>;

  constructor({ file, timeoutMs = TIMEOUT_MS, tasksMax = TASKS_MAX }: SamlPoolOptions) {
    this.#timeoutMs = timeoutMs;
    this.#shares = new Shares({ allMax: tasksMax, ofOneMax: tasksMax * SHARE });
    this.#pool = new SidePool({ file, threadsMax: 1, heapMb: HEAP_MB, timeoutMs });
  }

  /** Never rejects for what came: a response that takes too long is a refused one. */
  async checkResponse(check: ResponseCheck): Promise<ResponseOutcome> {
    const fault = screenXml(check.xml, { comments: 'refuse' });
    if (fault !== undefined) return { ok: false, fault };
    return (await this.#run(check.audience, { kind: 'response', check })) as ResponseOutcome;
  }

  /** As `checkResponse`. */
  async checkLogout(check: LogoutCheck): Promise<LogoutOutcome> {
    const fault = screenXml(check.xml, { comments: 'refuse' });
    if (fault !== undefined) return { ok: false, fault };
    return (await this.#run(check.audience, { kind: 'logout', check })) as LogoutOutcome;
  }

  async readMetadata(xml: string): Promise<MetadataOutcome> {
    const fault = screenXml(xml, { comments: 'allow' });
    if (fault !== undefined) return { ok: false, fault };
    return (await this.#run('metadata', { kind: 'metadata', xml })) as MetadataOutcome;
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }

  /** @param owner our name to the provider, which each connection has of its own. */
  async #run(owner: string, task: SamlTask): Promise<ResponseOutcome | LogoutOutcome | MetadataOutcome> {
    const done = await this.#shares.run(owner, () => this.#pool.run(task));
    if ('full' in done) return { ok: false, fault: 'too many are being checked; try again', isUnread: true };
    const outcome = done.result;
    if (outcome.kind === 'done') return outcome.result;
    if (outcome.kind === 'too_much_memory')
      return { ok: false, fault: 'it could not be read within the memory that there is for it' };
    return { ok: false, fault: `it could not be read within ${this.#timeoutMs} ms`, isUnread: true };
  }
}
