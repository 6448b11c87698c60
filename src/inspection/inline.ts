import type { Engine } from '../detection/engine.ts';
import { inspect, inspectInShadow } from '../detection/pipeline.ts';
import type { SessionFacts } from '../detection/session-facts.ts';
import type { AgentEvent } from '../domain/event.ts';
import {
  type InspectionOutcome,
  type InspectionRequest,
  type Inspector,
  isClean,
  type PendingInspection,
} from './inspector.ts';

/** Inspects in the caller's own thread: for tests and for replaying stored sessions. */
export class InlineInspector implements Inspector {
  readonly #engine: Engine;
  readonly #sets: ReadonlyMap<string, Engine>;
  #stopping = false;

  /** @param sets engines of the policy sets that requests name, by hash. */
  constructor(engine: Engine, sets: ReadonlyMap<string, Engine> = new Map()) {
    this.#engine = engine;
    this.#sets = sets;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#stopping = true;
    return Promise.resolve();
  }

  inspect(request: InspectionRequest): PendingInspection {
    return { outcome: Promise.resolve(this.#run(request)), promote: () => {} };
  }

  #run(request: InspectionRequest): InspectionOutcome {
    if (this.#stopping) return { kind: 'failed', cause: 'stopping' };
    if (request.deadlineAtMs <= performance.now()) return { kind: 'failed', cause: 'deadline' };
    const { policySet, shadowSet } = request;
    const engine = policySet === undefined ? this.#engine : this.#sets.get(policySet);
    if (engine === undefined) return { kind: 'failed', cause: 'lane_error' };
    const tried = shadowSet === undefined || request.priority !== 'blocking' ? undefined : this.#sets.get(shadowSet);
    try {
      const event = JSON.parse(request.event) as AgentEvent;
      const facts = JSON.parse(request.facts) as SessionFacts;
      const budget = { exhausted: () => performance.now() >= request.deadlineAtMs };
      const inspection = inspect(event, facts, engine, budget);
      const shadow = tried && inspectInShadow(event, facts, tried, budget);
      if (shadow !== undefined) inspection.explanation.shadow = shadow;
      const explanation = JSON.stringify(inspection.explanation);
      return { kind: 'inspected', report: { ...inspection, explanation, clean: isClean(inspection) } };
    } catch {
      return { kind: 'failed', cause: 'lane_error' };
    }
  }
}
