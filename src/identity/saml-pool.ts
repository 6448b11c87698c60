import Piscina from 'piscina';
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
const TASKS_MAX = 16;
const HEAP_MB = 128;
const IDLE_MS = 60_000;

/**
 * The small side pool for SAML, apart from the lanes of the inspection: node-saml's parser takes quadratic time before it
 * looks at a signature. One thread, made when it is needed and ended when a task takes too long.
 */
export class SamlPool {
  readonly #timeoutMs: number;
  readonly #tasksMax: number;
  readonly #pool: Piscina<SamlTask, ResponseOutcome | LogoutOutcome | MetadataOutcome>;
  #tasks = 0;

  constructor({ file, timeoutMs = TIMEOUT_MS, tasksMax = TASKS_MAX }: SamlPoolOptions) {
    this.#timeoutMs = timeoutMs;
    this.#tasksMax = tasksMax;
    this.#pool = new Piscina({
      filename: file,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
  }

  /** Never rejects for what came: a response that takes too long is a refused one. */
  async checkResponse(check: ResponseCheck): Promise<ResponseOutcome> {
    const fault = screenXml(check.xml, { comments: 'refuse' });
    if (fault !== undefined) return { ok: false, fault };
    return (await this.#run({ kind: 'response', check })) as ResponseOutcome;
  }

  /** As `checkResponse`. */
  async checkLogout(check: LogoutCheck): Promise<LogoutOutcome> {
    const fault = screenXml(check.xml, { comments: 'refuse' });
    if (fault !== undefined) return { ok: false, fault };
    return (await this.#run({ kind: 'logout', check })) as LogoutOutcome;
  }

  async readMetadata(xml: string): Promise<MetadataOutcome> {
    const fault = screenXml(xml, { comments: 'allow' });
    if (fault !== undefined) return { ok: false, fault };
    return (await this.#run({ kind: 'metadata', xml })) as MetadataOutcome;
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
  }

  async #run(task: SamlTask): Promise<ResponseOutcome | LogoutOutcome | MetadataOutcome> {
    if (this.#tasks >= this.#tasksMax) return { ok: false, fault: 'too many are being checked; try again' };
    this.#tasks++;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#timeoutMs);
    try {
      return await this.#pool.run(task, { signal: limit.signal });
    } catch (error) {
      if (limit.signal.aborted) return { ok: false, fault: `it could not be read within ${this.#timeoutMs} ms` };
      throw error;
    } finally {
      clearTimeout(timer);
      this.#tasks--;
    }
  }
}
