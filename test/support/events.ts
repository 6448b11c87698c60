import type { AgentEvent } from '../../src/domain/event.ts';

const ENVELOPE = {
  session_id: 's-1',
  timestamp: '2025-01-01T00:00:00Z',
  agent: { id: 'a-1', name: 'coder' },
  user: { email: 'dev@example.com' },
};

/** A tool call as a sensor sends it. */
export function toolInvocation(name: string, input: Record<string, unknown>): AgentEvent {
  return { ...ENVELOPE, event_type: 'tool_invocation', tool: { name, input } };
}

export function toolResult(name: string, input: Record<string, unknown>, output: Record<string, unknown>): AgentEvent {
  return { ...ENVELOPE, event_type: 'tool_result', tool: { name, input, output } };
}

export function userMessage(content: string): AgentEvent {
  return { ...ENVELOPE, event_type: 'user_message', message: { content } };
}

export function bash(command: string): AgentEvent {
  return toolInvocation('Bash', { command });
}
