import Type, { type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Set as setFormat } from 'typebox/format';
import { EVENT_TYPES, type EventType } from './event-types.ts';
import { isEmailAddress, isRfc3339DateTime } from './formats.ts';

/**
 * The six lifecycle events of the wire contract (version 1): the one source of the types, the validation and the
 * OpenAPI document. Fields that the contract does not name are accepted and kept.
 */

/** Longest identifier or name a sensor may send, in characters (Unicode code points), as JSON Schema counts them. */
export const IDENTIFIER_CHARS_MAX = 1024;

setFormat('date-time', isRfc3339DateTime);
setFormat('email', isEmailAddress);

const Identifier = (description: string) => Type.String({ maxLength: IDENTIFIER_CHARS_MAX, description });
/** Any object. Not a Record, which would look at each name of it: 100 ms for the 100,000 that fit in a body. */
const FreeForm = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description });

const AgentInfo = Type.Object(
  { id: Identifier('Agent identifier.'), name: Identifier('Human-readable agent name.') },
  { title: 'AgentInfo', additionalProperties: true },
);

const UserInfo = Type.Object(
  { email: Type.String({ format: 'email', maxLength: 320, description: 'User e-mail address.' }) },
  { title: 'UserInfo', additionalProperties: true },
);

const ToolInfo = Type.Object(
  { name: Identifier('Tool name.'), input: FreeForm('Tool input parameters.') },
  { title: 'ToolInfo', additionalProperties: true },
);

const ToolResultInfo = Type.Object(
  {
    name: Identifier('Tool name.'),
    input: FreeForm('Tool input parameters.'),
    output: FreeForm('Tool execution output.'),
  },
  { title: 'ToolResultInfo', additionalProperties: true },
);

const MessageInfo = Type.Object(
  { content: Type.String({ description: 'Message text.' }) },
  { title: 'MessageInfo', additionalProperties: true },
);

const PARENT_SESSION_ID =
  'Of a sub-agent: the session_id of the agent that started it. Read from the first event of the session that has it. Not a part of the contract: what is no identifier is ignored.';

const envelope = <const T extends string>(eventType: T) => ({
  event_type: Type.Literal(eventType),
  session_id: Identifier('Unique session identifier.'),
  timestamp: Type.String({ format: 'date-time', description: 'RFC 3339 date-time, with its offset.' }),
  agent: AgentInfo,
  user: UserInfo,
  parent_session_id: Type.Optional(Type.Unsafe<unknown>({ description: PARENT_SESSION_ID })),
});

const shape = { additionalProperties: true } as const;

export const EVENT_SCHEMAS = {
  tool_invocation: Type.Object({ ...envelope('tool_invocation'), tool: ToolInfo }, shape),
  user_message: Type.Object({ ...envelope('user_message'), message: MessageInfo }, shape),
  tool_result: Type.Object({ ...envelope('tool_result'), tool: ToolResultInfo }, shape),
  agent_message: Type.Object({ ...envelope('agent_message'), message: MessageInfo }, shape),
  session_start: Type.Object(envelope('session_start'), shape),
  session_end: Type.Object(envelope('session_end'), shape),
} as const satisfies Record<EventType, TSchema>;

export type ToolInvocation = Type.Static<typeof EVENT_SCHEMAS.tool_invocation>;
export type UserMessage = Type.Static<typeof EVENT_SCHEMAS.user_message>;
export type ToolResult = Type.Static<typeof EVENT_SCHEMAS.tool_result>;
export type AgentMessage = Type.Static<typeof EVENT_SCHEMAS.agent_message>;
export type SessionStart = Type.Static<typeof EVENT_SCHEMAS.session_start>;
export type SessionEnd = Type.Static<typeof EVENT_SCHEMAS.session_end>;
export type BlockingEvent = ToolInvocation | UserMessage;
export type ObservationalEvent = ToolResult | AgentMessage | SessionStart | SessionEnd;
export type AgentEvent = BlockingEvent | ObservationalEvent;

/** The tool of a call or its result. Events of other types may have a field of that name, which may be anything. */
export function toolOf(event: AgentEvent): ToolInvocation['tool'] | ToolResult['tool'] | undefined {
  return event.event_type === 'tool_invocation' || event.event_type === 'tool_result' ? event.tool : undefined;
}

/** The `parent_session_id` of `event`, where it has one that is fit to be one and is not its own session. */
export function parentSessionIdOf({ parent_session_id: id, session_id: own }: AgentEvent): string | undefined {
  const fit = typeof id === 'string' && id !== '' && id.length <= 2 * IDENTIFIER_CHARS_MAX && id !== own;
  return fit && (id.length <= IDENTIFIER_CHARS_MAX || [...id].length <= IDENTIFIER_CHARS_MAX) ? id : undefined;
}

/** One reason why a value is not an event: where (a JSON pointer) and what was expected there. Never holds content. */
export interface Fault {
  pointer: string;
  expected: string;
}

/** `faults` in a few words. */
export function faultsText(faults: readonly Fault[]): string {
  return faults.map(({ pointer, expected }) => `${pointer || 'the body'} must ${expected}`).join('; ');
}

export type ParsedEvent = { ok: true; event: AgentEvent } | { ok: false; faults: Fault[] };

const validators = new Map<string, Validator>(
  EVENT_TYPES.map((eventType) => [eventType, Compile<TSchema>(EVENT_SCHEMAS[eventType])]),
);

/** How many faults a refusal names. Finding every one costs far more than it tells (34 µs against 0.5 µs for a check). */
const FAULTS_MAX = 4;

/** Checks a parsed JSON value against the event that its `event_type` names. */
export function parseEvent(value: unknown): ParsedEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused('', 'be a JSON object');
  const eventType = (value as { event_type?: unknown }).event_type;
  const validator = typeof eventType === 'string' ? validators.get(eventType) : undefined;
  if (validator === undefined) return refused('/event_type', `be one of ${EVENT_TYPES.join(', ')}`);
  if (validator.Check(value)) return { ok: true, event: value as AgentEvent };
  return { ok: false, faults: faultsOf(validator, value) };
}

function refused(pointer: string, expected: string): ParsedEvent {
  return { ok: false, faults: [{ pointer, expected }] };
}

const FORMATS: Record<string, string> = { 'date-time': 'be an RFC 3339 date-time', email: 'be an e-mail address' };

function expectation(error: { keyword: string; params: object; message: string }): string {
  const format =
    error.keyword === 'format' && 'format' in error.params ? FORMATS[String(error.params.format)] : undefined;
  // What a closed object says of a property that it does not have.
  if (error.keyword === 'boolean') return 'not be there: it is no field of this';
  return format ?? error.message.replace(/^must /, '');
}

/** Why `value` does not fit, the first few reasons. */
export function faultsOf(validator: Pick<Validator, 'Errors'>, value: unknown): Fault[] {
  const faults: Fault[] = [];
  for (const error of validator.Errors(value)) {
    if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) {
        faults.push({ pointer: `${error.instancePath}/${name}`, expected: 'be present' });
      }
    } else {
      faults.push({ pointer: error.instancePath, expected: expectation(error) });
    }
    if (faults.length >= FAULTS_MAX) break;
  }
  return faults.slice(0, FAULTS_MAX);
}
