import { EVENT_TYPES, type EventType } from '../../domain/event-types.ts';
import { dateTimeMs, isRfc3339DateTime } from '../../domain/formats.ts';
import { compileAllowOnly } from './allow-only.ts';
import { BOOL, INT, STRING, STRINGS } from './cel/types.ts';
import type {
  CompiledEffects,
  CompiledException,
  CompiledPolicy,
  CompiledRate,
  CompiledSequence,
  Selector,
} from './compiled-policy.ts';
import type {
  ExceptionDocument,
  MatchDocument,
  PolicyDocument,
  RateDocument,
  SequenceDocument,
  StepDocument,
} from './document.ts';
import { POLICY_LIMITS } from './limits.ts';
import { asList, compileMatch, glob } from './match.ts';
import { haveTool } from './narrowed-facts.ts';
import { PAST_FACTS, type PastFact } from './past-facts.ts';
import type { Place } from './place.ts';
import { closest } from './spelling.ts';
import type { Template } from './template.ts';

/** Compiles one policy; undefined where it is off, or faulty, which then is reported. */
export function compilePolicy(document: PolicyDocument, place: Place): CompiledPolicy | undefined {
  const before = place.faultsCount;
  const on = typesOf(document);
  checkShape(document, place);
  const policy: CompiledPolicy = {
    id: document.id,
    severity: document.severity,
    mode: document.mode === 'shadow' ? 'shadow' : 'enforce',
    effect: document.effect ?? 'log',
    onFailure: document.onFailure ?? 'allow',
    tags: document.tags ?? [],
    ...selectorOf(document, on, place),
    exceptions: (document.exceptions ?? []).map((exception, index) =>
      exceptionOf(exception, on, place.in('exceptions', index)),
    ),
    notGranted: document.allowOnly === undefined ? undefined : compileAllowOnly(document.allowOnly),
    rate: rateOf(document.rate, place.in('rate')),
    sequence: sequenceOf(document.sequence, asList<EventType>(document.on), place.in('sequence')),
    effects: effectsOf(document, place),
    reason: reasonOf(document, place),
    agentHint: document.agentHint === undefined ? undefined : place.in('agentHint').template(document.agentHint),
    past: [],
    order: 0,
  };
  policy.past = pastOf(policy, place.mentions);
  return place.faultsCount > before || document.mode === 'off' ? undefined : policy;
}

/** What `policy`, whose expressions mention the facts of `mentions`, asks about the session's past. */
function pastOf({ match, exceptions, sequence }: CompiledPolicy, mentions: ReadonlySet<string>): PastFact[] {
  const selections = [{ match }, ...exceptions, ...(sequence?.steps ?? [])];
  const matchesTaint = selections.some((each) => each.match.document.taint !== undefined);
  return PAST_FACTS.filter(
    (fact) => mentions.has(fact) || isMentionedWhole(fact, mentions) || (fact === 'session.labels' && matchesTaint),
  );
}

/** `macros.s.held` with the macro `s: session`: which of its fields are asked for is not known. */
function isMentionedWhole(fact: PastFact, mentions: ReadonlySet<string>): boolean {
  const [group] = fact.split('.') as [string];
  return mentions.has(group) && ![...mentions].some((name) => name.startsWith(`${group}.`));
}

/** The events that the policy decides about: of a sequence, where it says none, those of its last step or of any. */
export function typesOf({ on, sequence }: PolicyDocument): readonly EventType[] {
  if (on !== undefined || sequence === undefined) return asList<EventType>(on);
  const { steps, ordered = true } = sequence;
  const deciding = ordered ? steps.slice(-1) : steps;
  return [...new Set(deciding.flatMap((step) => asList<EventType>(step.on)))];
}

function checkShape(document: PolicyDocument, place: Place): void {
  const { effect, rate, sequence, taint, fingerprint, hold, allowOnly } = document;
  if (document.on === undefined && sequence === undefined) {
    place.report(`"on" is missing: say which events it is about, of ${EVENT_TYPES.join(', ')}`);
  }
  const changes = taint !== undefined || fingerprint !== undefined || hold !== undefined;
  if (effect === undefined && !changes) place.report('"effect" is missing: say block, alert or log');
  if (rate !== undefined && sequence !== undefined) {
    place.in('sequence').report('a policy has a rate or a sequence, not both: make two, joined by a taint');
  }
  if (allowOnly !== undefined && !haveTool(typesOf(document))) {
    place.in('allowOnly').report('only tool_invocation and tool_result have a tool: change "on"');
  }
  for (const [index, grant] of (allowOnly ?? []).entries()) {
    if (grant.tools === undefined && grant.toolKinds === undefined) {
      place.in('allowOnly', index).report('"tools" or "toolKinds" is missing: this allows nothing');
    }
  }
}

function selectorOf(step: StepDocument, defaultOn: readonly EventType[], place: Place): Selector {
  const on = step.on === undefined ? defaultOn : asList<EventType>(step.on);
  checkMatch(step.match, on, place.in('match'));
  return {
    on: new Set(on),
    match: compileMatch(step.match),
    when: place.in('when').condition(step.when, on),
    unless: place.in('unless').condition(step.unless, on),
  };
}

const TOOL_FIELDS = ['toolKind', 'toolEffect', 'toolName'] as const;

function checkMatch(match: MatchDocument | undefined, on: readonly EventType[], place: Place): void {
  for (const label of asList<string>(match?.taint))
    if (!place.labels.includes(label))
      place.in('taint').warn(`no policy here sets the taint "${label}"${closest(label, place.labels)}`);
  if (match === undefined || on.length === 0 || haveTool(on)) return;
  for (const field of TOOL_FIELDS) {
    if (match[field] === undefined) continue;
    place.in(field).report(`${on.join(' and ')} events have no tool: this never matches`);
  }
}

function exceptionOf(exception: ExceptionDocument, on: readonly EventType[], place: Place): CompiledException {
  const { owner, until, match, when } = exception;
  if (match === undefined && when === undefined) {
    place.report('"match" or "when" is missing: to switch a policy off, use mode: off');
  }
  checkMatch(match, on, place.in('match'));
  const dateTime = until.includes('T') ? until : `${until}T00:00:00Z`;
  if (!isRfc3339DateTime(dateTime)) place.in('until').report(`there is no such date: ${until}`);
  return {
    owner,
    untilMs: dateTimeMs(dateTime),
    match: compileMatch(match),
    when: place.in('when').condition(when, on),
  };
}

const KEYS = [STRING, INT, BOOL];
const VALUES = [STRING, INT, STRINGS];

function rateOf(rate: RateDocument | undefined, place: Place): CompiledRate | undefined {
  if (rate === undefined) return undefined;
  const distinct = rate.type === 'value_count';
  if (distinct && rate.value === undefined) place.report('"value" is missing: say which values value_count counts');
  if (!distinct && rate.value !== undefined)
    place.in('value').report('only value_count has a value: add type: value_count');
  const most = POLICY_LIMITS.counterValuesMax - 1;
  if (distinct && rate.gt > most) place.in('gt').report(`value_count counts up to ${most} values`);
  return {
    distinct,
    gt: rate.gt,
    windowMs: place.in('window').duration(rate.window),
    key: place.in('key').expression(rate.key, KEYS),
    value: place.in('value').expression(rate.value, VALUES),
  };
}

function sequenceOf(
  sequence: SequenceDocument | undefined,
  on: readonly EventType[],
  place: Place,
): CompiledSequence | undefined {
  if (sequence === undefined) return undefined;
  const { steps, within, ordered = true, key } = sequence;
  for (const [index, step] of steps.entries()) {
    if (step.on === undefined && on.length === 0)
      place.in('steps', index).report('"on" is missing: say which events it is about');
  }
  return {
    ordered,
    stepsCount: steps.length,
    withinMs: place.in('within').duration(within),
    key: place.in('key').expression(key, KEYS),
    steps: steps.map((step, index) => selectorOf(step, on, place.in('steps', index))),
  };
}

function effectsOf({ taint, fingerprint, hold }: PolicyDocument, place: Place): CompiledEffects | undefined {
  if (taint === undefined && fingerprint === undefined && hold === undefined) return undefined;
  return {
    taint: taintOf(taint, place.in('taint')),
    fingerprint: fingerprintOf(fingerprint),
    hold: holdOf(hold, place.in('hold')),
  };
}

function taintOf(taint: PolicyDocument['taint'], place: Place): CompiledEffects['taint'] {
  if (taint === undefined) return undefined;
  if (typeof taint === 'string' || Array.isArray(taint)) return { add: asList(taint), clear: undefined };
  const { add, clear, for: lasting } = taint;
  const forMs = lasting === undefined ? {} : { forMs: place.in('for').duration(lasting) };
  return { add: asList(add), clear: glob(clear), ...forMs };
}

function fingerprintOf(fingerprint: PolicyDocument['fingerprint']): CompiledEffects['fingerprint'] {
  if (fingerprint === undefined) return undefined;
  if (typeof fingerprint === 'string') return { label: fingerprint, of: undefined };
  return { label: fingerprint.label, of: fingerprint.of === undefined ? undefined : [fingerprint.of] };
}

function holdOf(hold: PolicyDocument['hold'], place: Place): CompiledEffects['hold'] {
  if (hold === undefined) return undefined;
  if (hold === true) return { reason: undefined };
  const forMs = hold.for === undefined ? {} : { forMs: place.in('for').duration(hold.for) };
  return { reason: hold.reason === undefined ? undefined : place.in('reason').template(hold.reason), ...forMs };
}

function reasonOf({ id, title, reason }: PolicyDocument, place: Place): Template {
  const template = reason === undefined ? undefined : place.in('reason').template(reason);
  return template ?? { mentions: new Set(), render: () => title ?? `matches the policy ${id}` };
}
