import type { AgentEvent } from '../src/domain/event.ts';

/**
 * Faults that an event may ask for by `tool.input.gatehouse_test`, to prove deadlines and isolation with. Only where
 * `GATEHOUSE_TEST_TRIGGERS=on`, which production refuses.
 */
export function causeFault(event: AgentEvent): void {
  const fault =
    event.event_type === 'tool_invocation' || event.event_type === 'tool_result'
      ? event.tool.input['gatehouse_test']
      : undefined;
  if (fault === 'stick') for (;;);
  if (fault === 'throw') throw new TypeError('asked for by the event');
  if (fault === 'exit') process.exit(1);
  if (typeof fault === 'number') busyFor(fault);
}

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
