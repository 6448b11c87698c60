import type { AgentEvent } from '../src/domain/event.ts';

/**
 * Faults that an event may ask for by `tool.input.gatehouse_test`, to prove deadlines and isolation with. Only where
 * `GATEHOUSE_TEST_TRIGGERS=on`, which production refuses.
 */
export function causeFault(event: AgentEvent): void {
  const fault = faultOf(event);
  if (fault === 'stick') for (;;);
  if (fault === 'throw') throw new TypeError('asked for by the event');
  if (fault === 'exit') process.exit(1);
  if (typeof fault === 'number') busyFor(fault);
}

/** The same while policies are tried that do not decide. */
export function causeShadowFault(event: AgentEvent): void {
  const fault = faultOf(event);
  if (fault === 'stick_in_shadow') for (;;);
  if (fault === 'throw_in_shadow') throw new TypeError('asked for by the event');
}

function faultOf(event: AgentEvent): unknown {
  const { event_type: type } = event;
  return type === 'tool_invocation' || type === 'tool_result' ? event.tool.input['gatehouse_test'] : undefined;
}

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
