import { type AgentEvent, toolOf } from '../src/domain/event.ts';
import type { LaneServerOptions } from '../src/inspection/lane-server.ts';

/**
 * Faults that an event may ask for by `tool.input.gatehouse_test`, to prove deadlines and isolation with. Only where
 * `GATEHOUSE_TEST_TRIGGERS=on`, which production refuses.
 */
export const TEST_FAULTS: NonNullable<LaneServerOptions['faults']> = {
  inspecting: causeFault,
  trying: causeShadowFault,
};

function causeFault(event: AgentEvent, clock: () => number): void {
  const fault = faultOf(event);
  if (fault === 'stick') for (;;);
  if (fault === 'throw') throw new TypeError('asked for by the event');
  if (fault === 'exit') process.exit(1);
  if (fault === 'starve') haveNoProcessorFor(STARVED_MS);
  if (fault === 'look') busyFor(LOOKING_MS, clock);
  if (typeof fault === 'number') busyFor(fault);
}

function causeShadowFault(event: AgentEvent): void {
  const fault = faultOf(event);
  if (fault === 'stick_in_shadow') for (;;);
  if (fault === 'throw_in_shadow') throw new TypeError('asked for by the event');
}

function faultOf(event: AgentEvent): unknown {
  return toolOf(event)?.input['gatehouse_test'];
}

/** Longer than a lane may stand still that has one. */
const STARVED_MS = 800;

function haveNoProcessorFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Longer than a lane may work without a look at the time. */
const LOOKING_MS = 900;

function busyFor(ms: number, clock: () => number = () => performance.now()): void {
  const until = clock() + ms;
  while (clock() < until);
}
