import type { Engine } from '../detection/engine.ts';
import { inspect } from '../detection/pipeline.ts';
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
  #stopping = false;

  constructor(engine: Engine) {
    this.#engine = engine;
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
    try {
      const event = JSON.parse(request.event) as AgentEvent;
      const facts = JSON.parse(request.facts) as SessionFacts;
      const inspection = inspect(event, facts, this.#engine, {
        exhausted: () => performance.now() >= request.deadlineAtMs,
      });
      const explanation = JSON.stringify(inspection.explanation);
      return { kind: 'inspected', report: { ...inspection, explanation, clean: isClean(inspection) } };
    } catch {
      return { kind: 'failed', cause: 'lane_error' };
    }
  }
}
