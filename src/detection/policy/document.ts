import Type, { type TSchema } from 'typebox';
import { ON_FAILURE, SEVERITIES } from '../../domain/decision.ts';
import { EVENT_TYPES } from '../../domain/event-types.ts';
import { TOOL_EFFECTS, TOOL_KINDS } from '../facts/tools.ts';
import { TEXT_SOURCES } from '../texts/text.ts';
import { DURATION_PATTERN } from './duration.ts';
import { POLICY_LIMITS } from './limits.ts';

/**
 * A PolicySet document: the one source of its types, its validation and its published JSON Schema. The meaning of each
 * field is in docs/POLICIES.md.
 */

const MODES = ['enforce', 'shadow', 'off'] as const;
const EFFECTS = ['block', 'alert', 'log'] as const;

const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description });
const closed = { additionalProperties: false } as const;
/** One, or a list of them. */
const some = <T extends TSchema>(item: T, description: string) =>
  Type.Union([item, Type.Array(item, { minItems: 1, maxItems: 256 })], { description });

const Line = (description: string, maxLength: number) => Type.String({ minLength: 1, maxLength, description });
const Expression = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: POLICY_LIMITS.expressionCharsMax,
    description: `${description} A CEL expression.`,
  });
const Duration = (description: string) =>
  Type.String({ pattern: DURATION_PATTERN, description: `${description} As in 500ms, 90s, 10m, 24h, 7d.` });
const Glob = Type.String({ minLength: 1, maxLength: 256 });
const LABEL_PATTERN = '^[a-z][a-z0-9_.-]{0,63}$';
const Label = Type.String({ pattern: LABEL_PATTERN, description: 'A label: lower case, digits, ., _ and -.' });
export const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';
export const POLICY_ID_PATTERN = '^[a-z0-9][a-z0-9_.-]{0,127}$';

const On = some(oneOf(EVENT_TYPES, 'Event type.'), 'The events that the policy decides about.');

const Match = Type.Object(
  {
    toolKind: Type.Optional(some(oneOf(TOOL_KINDS, 'Tool kind.'), 'Kind of the tool.')),
    toolEffect: Type.Optional(some(oneOf(TOOL_EFFECTS, 'Tool effect.'), 'Effect of the tool.')),
    toolName: Type.Optional(some(Glob, 'Name of the tool; * stands for any characters.')),
    agent: Type.Optional(some(Glob, 'Agent identifier; * stands for any characters.')),
    agentRole: Type.Optional(some(Glob, 'Role of the agent, as its sensor sends it.')),
    user: Type.Optional(some(Glob, 'E-mail address of the user; * stands for any characters.')),
    userRole: Type.Optional(some(Glob, 'One of the roles of the user, as the sensor sends them.')),
    findings: Type.Optional(some(Glob, 'Kinds of findings, of which at least one is there: secret.*')),
    minConfidence: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Least confidence of such a finding.' }),
    ),
    minSeverity: Type.Optional(oneOf(SEVERITIES, 'Least severity of such a finding.')),
    source: Type.Optional(some(oneOf(TEXT_SOURCES, 'Source.'), 'Who wrote the text of such a finding.')),
    taint: Type.Optional(some(Label, 'Taint labels, of which the session has at least one.')),
  },
  {
    ...closed,
    minProperties: 1,
    description: 'What is cheap to tell, and what policies are indexed by. All must apply.',
  },
);

const Exception = Type.Object(
  {
    owner: Line('Who answers for it.', 256),
    until: Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2}))?$',
      description: 'When it ends: a date (its start in UTC) or a date-time. As in 2026-12-31, 2026-12-31T18:00:00Z.',
    }),
    reason: Type.Optional(Line('Why it is there.', 1_024)),
    match: Type.Optional(Match),
    when: Type.Optional(Expression('Where it applies.')),
  },
  { ...closed, description: 'Where the policy does not apply, for how long, and who answers for that.' },
);

const Rate = Type.Object(
  {
    type: Type.Optional(oneOf(['event_count', 'value_count'], 'Counts events, or distinct values of `value`.')),
    key: Type.Optional(Expression('What is counted apart: each value of it has its own counter.')),
    value: Type.Optional(Expression('For value_count: the value, or list of values, of an event.')),
    window: Duration('How far back it counts.'),
    gt: Type.Integer({ minimum: 0, maximum: 100_000, description: 'The policy matches when the count is greater.' }),
  },
  { ...closed, description: 'The policy matches when more than so many events of the session do.' },
);

const Step = Type.Object(
  {
    on: Type.Optional(On),
    match: Type.Optional(Match),
    when: Type.Optional(Expression('Condition.')),
    unless: Type.Optional(Expression('Condition that must not hold.')),
  },
  { ...closed, minProperties: 1, description: 'One event of the sequence.' },
);

const Sequence = Type.Object(
  {
    ordered: Type.Optional(Type.Boolean({ description: 'The steps must come in this order. Default true.' })),
    within: Duration('Longest time from the first step to the last.'),
    key: Type.Optional(Expression('Steps belong together where this is the same.')),
    steps: Type.Array(Step, { minItems: 2, maxItems: 8 }),
  },
  { ...closed, description: 'The policy matches on the event that completes the sequence.' },
);

const Grant = Type.Object(
  {
    agent: Type.Optional(some(Glob, 'Agents that it is for; all where left out.')),
    role: Type.Optional(some(Glob, 'Agent or user roles that it is for.')),
    user: Type.Optional(some(Glob, 'Users that it is for.')),
    tools: Type.Optional(some(Glob, 'Names of tools that they may use.')),
    toolKinds: Type.Optional(some(oneOf(TOOL_KINDS, 'Tool kind.'), 'Kinds of tools that they may use.')),
  },
  { ...closed, minProperties: 1 },
);

const Taint = Type.Union(
  [
    Label,
    Type.Array(Label, { minItems: 1, maxItems: 16 }),
    Type.Object(
      {
        add: Type.Optional(some(Label, 'Labels to set.')),
        clear: Type.Optional(some(Glob, 'Labels to take away; * stands for any characters.')),
        for: Type.Optional(Duration('How long they hold; as long as the session is remembered where left out.')),
      },
      { ...closed, minProperties: 1 },
    ),
  ],
  { description: 'Labels that the session gets, or loses, when the policy matches.' },
);

const Fingerprint = Type.Union(
  [
    Label,
    Type.Object(
      {
        label: Label,
        of: Type.Optional(
          oneOf(
            ['findings', 'output', 'input', 'message'],
            'What is remembered. Default: findings, if any match; else all.',
          ),
        ),
      },
      closed,
    ),
  ],
  { description: 'Remembers values of the event as fingerprints, so that later events show where they go.' },
);

const Hold = Type.Union(
  [
    Type.Literal(true),
    Type.Object(
      {
        for: Type.Optional(
          Duration('How long; until a person releases it where left out. The end of the session does not end it.'),
        ),
        reason: Type.Optional(Line('What blocked events say; a template.', 1_024)),
      },
      closed,
    ),
  ],
  { description: 'Puts the session on hold: every blocking event is blocked until it is released.' },
);

/** An event of a test: complete, or as `tool_invocation: {…}` with the envelope left out. */
const TestEvent = Type.Record(Type.String(), Type.Unknown(), {
  description: 'An event, complete or as `tool_invocation: { tool: … }`.',
});

const Test = Type.Object(
  {
    name: Line('What it shows.', 256),
    given: Type.Optional(Type.Array(TestEvent, { maxItems: 64, description: 'Events before.' })),
    event: TestEvent,
    expect: oneOf(['block', 'alert', 'log', 'allow'], 'What the policy does with the event; allow: it does not match.'),
    policy: Type.Optional(Line('The policy that is meant, if it is not the one that the test stands at.', 128)),
  },
  { ...closed, description: 'Runs through the whole pipeline, with real events.' },
);

const Policy = Type.Object(
  {
    id: Type.String({
      pattern: POLICY_ID_PATTERN,
      description: 'Unique among all documents; lower case, digits, ., _ and -: flow.secret_exfil',
    }),
    title: Type.Optional(Line('What it does, in one sentence.', 256)),
    description: Type.Optional(Line('Why it is there.', 4_096)),
    on: Type.Optional(On),
    severity: oneOf(SEVERITIES, 'How grave a match is.'),
    mode: Type.Optional(oneOf(MODES, 'enforce (default), shadow: only told what it would do; or off.')),
    match: Type.Optional(Match),
    when: Type.Optional(Expression('Must hold for the policy to match.')),
    unless: Type.Optional(Expression('Must not hold for the policy to match.')),
    exceptions: Type.Optional(Type.Array(Exception, { maxItems: 64 })),
    rate: Type.Optional(Rate),
    sequence: Type.Optional(Sequence),
    allowOnly: Type.Optional(
      Type.Array(Grant, {
        minItems: 1,
        maxItems: 256,
        description: 'The policy matches on every tool that none allows.',
      }),
    ),
    effect: Type.Optional(oneOf(EFFECTS, 'What a match does. Default log, for policies that only change the session.')),
    taint: Type.Optional(Taint),
    fingerprint: Type.Optional(Fingerprint),
    hold: Type.Optional(Hold),
    onFailure: Type.Optional(
      oneOf(
        ON_FAILURE,
        'What happens if it cannot be evaluated: nothing (allow, the default), an alert (degrade), or a block.',
      ),
    ),
    reason: Type.Optional(Line('For the person: what was blocked and why. {{ fact }} is replaced.', 1_024)),
    agentHint: Type.Optional(
      Line(
        'What the agent may do instead: shown to people beside the decision, not sent to the sensor. {{ fact }} is replaced.',
        1_024,
      ),
    ),
    tags: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$',
          description: 'A tag: letters, digits, ., _, :, / and -.',
        }),
        {
          maxItems: 32,
          description: 'owasp.ASI02, mitre.T1059 …',
        },
      ),
    ),
    references: Type.Optional(Type.Array(Line('URL or document.', 1_024), { maxItems: 32 })),
    falsePositives: Type.Optional(Type.Array(Line('What it is known to block by mistake.', 1_024), { maxItems: 32 })),
    tests: Type.Optional(Type.Array(Test, { maxItems: 256 })),
  },
  { ...closed, description: 'One policy.' },
);

const Metadata = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9_.-]{0,63}$',
      description: 'Name of the set: lower case, digits, ., _ and -.',
    }),
    description: Type.Optional(Line('What it is for.', 4_096)),
    version: Type.Optional(Line('Version of its author; nothing depends on it.', 64)),
    labels: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 256 }), { maxProperties: 64 })),
  },
  closed,
);

const Tool = Type.Object(
  {
    kind: oneOf(TOOL_KINDS, 'What the tool is for.'),
    effect: Type.Optional(oneOf(TOOL_EFFECTS, 'What a call does; else it follows from the kind and the call.')),
  },
  { ...closed, description: 'What a tool is, where its name and input do not tell.' },
);

const Spec = Type.Object(
  {
    tools: Type.Optional(
      Type.Record(Type.String({ pattern: '^\\S(.{0,254}\\S)?$' }), Tool, {
        ...closed,
        maxProperties: POLICY_LIMITS.toolsMax,
        description: 'Tools by name; * stands for any characters.',
      }),
    ),
    lists: Type.Optional(
      Type.Record(
        Type.String({ pattern: NAME_PATTERN }),
        Type.Array(Type.String({ maxLength: POLICY_LIMITS.listItemCharsMax }), {
          maxItems: POLICY_LIMITS.listItemsMax,
        }),
        { ...closed, maxProperties: POLICY_LIMITS.listsMax, description: 'Lists of texts, used as lists.name.' },
      ),
    ),
    macros: Type.Optional(
      Type.Record(Type.String({ pattern: NAME_PATTERN }), Expression('Part of conditions.'), {
        ...closed,
        maxProperties: POLICY_LIMITS.macrosMax,
        description: 'Expressions used as macros.name, computed once for an event.',
      }),
    ),
    policies: Type.Optional(Type.Array(Policy, { maxItems: POLICY_LIMITS.policiesMax })),
  },
  closed,
);

export const PolicySetSchema = Type.Object(
  {
    apiVersion: Type.Literal('gatehouse/v1'),
    kind: Type.Literal('PolicySet'),
    metadata: Metadata,
    spec: Spec,
  },
  { ...closed, title: 'PolicySet', description: 'Policies of Gatehouse, with the lists and macros that they use.' },
);

export type PolicySetDocument = Type.Static<typeof PolicySetSchema>;
export type PolicyDocument = Type.Static<typeof Policy>;
export type MatchDocument = Type.Static<typeof Match>;
export type StepDocument = Type.Static<typeof Step>;
export type ExceptionDocument = Type.Static<typeof Exception>;
export type RateDocument = Type.Static<typeof Rate>;
export type SequenceDocument = Type.Static<typeof Sequence>;
export type ToolDocument = Type.Static<typeof Tool>;
export type GrantDocument = Type.Static<typeof Grant>;
export type PolicyTestDocument = Type.Static<typeof Test>;
export type PolicyEffectName = (typeof EFFECTS)[number];
