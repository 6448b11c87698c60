import type { AgentEvent, ToolInvocation, ToolResult } from '../domain/event.ts';
import type { Allowance } from './cuts.ts';
import type { Detection } from './detectors/detector.ts';
import type { EventFacts } from './facts/event-facts.ts';
import { INPUT_PLACE, normalizeKey, type Place } from './facts/input.ts';
import { argumentOrigins } from './flow/argument-origins.ts';
import { fileNames } from './flow/file-names.ts';
import { flowTexts } from './flow/flow-texts.ts';
import { type HeldFiles, heldFiles, matchOfFile } from './flow/held-files.ts';
import { fileRead, homeNames, hostsFor, isIssuer } from './flow/home-hosts.ts';
import { keyedHash, wordHash } from './flow/keyed-hash.ts';
import { COVERAGE_MIN, type FlowMatch, matchFlow } from './flow/match.ts';
import type { FlowEffect, FlowOrigin, FlowSource, WrittenScript } from './flow/memory.ts';
import { type Outbound, outboundOf } from './flow/outbound.ts';
import {
  noteAgentMessage,
  noteOrders,
  noteSent,
  noteToolResult,
  noteUserMessage,
  remember,
  type SensitiveValue,
  VALUES_MAX,
} from './flow/remember.ts';
import { sourcesOf } from './flow/sources.ts';
import { NO_WORDS, type WordHashes, wordSet } from './flow/word-hashes.ts';
import { scriptsRun, WRITTEN_SCRIPT } from './flow/written-scripts.ts';
import type { PolicyEffect } from './policy/effects.ts';
import type { FlowView } from './policy/input.ts';
import { named } from './reason.ts';
import type { SessionFacts } from './session-facts.ts';
import type { ReadText } from './texts/text.ts';

/** What data flow is told of an event. */
export interface FlowInput {
  event: AgentEvent;
  facts: EventFacts;
  texts: readonly ReadText[];
  session: SessionFacts;
  key: Uint8Array;
  allowance: Allowance;
}

/** What data flow says of an event before policies are asked. */
export interface FlowOutcome {
  view: FlowView;
  detections: readonly Detection[];
  matches: readonly FlowMatch[];
  /** What a call with ways out does beside, which its effects are made of. */
  call?: CallFlow;
}

interface CallFlow {
  /** Remembered values in what it says, wherever they may go. */
  said: readonly FlowMatch[];
  files: HeldFiles;
}

/** What each suspicion comes to. Below 0.5 it is not told of, and only counts once a result gave orders. */
const SUSPICIONS = {
  faint: { severity: 'low', confidence: 0.4 },
  slight: { severity: 'low', confidence: 0.45 },
  low: { severity: 'medium', confidence: 0.5 },
  medium: { severity: 'medium', confidence: 0.75 },
  high: { severity: 'high', confidence: 0.9 },
} as const;

/** Whether something that the session has seen would leave with `event`, and who could have wanted that. */
export function inspectFlow(input: FlowInput): FlowOutcome {
  const { event, session } = input;
  const { flow } = session.memory;
  const seen = { private: flow.privateData !== undefined, untrusted: flow.untrusted !== undefined };
  if (event.event_type !== 'tool_invocation') {
    return { view: { matches: [], ...seen, outbound: false }, detections: [], matches: [] };
  }
  const ways = outboundOf(event, input.facts);
  const call = ways.length === 0 ? undefined : callFlow(input, ways);
  const matches = call === undefined ? [] : leavingMatches(input, ways, call);
  // An address, a header or a field that carries something remembered sends it, by whatever method.
  const outbound = ways.some(({ sends }) => sends) || matches.some(({ coverage }) => coverage >= COVERAGE_MIN);
  const view: FlowView = { matches: matches.map(matchView), ...seen, outbound };
  const outcome = { view, detections: [...suspicionsOf(event, input), ...runsOfWritten(input)], matches };
  return call === undefined ? outcome : { ...outcome, call };
}

function callFlow(input: FlowInput, ways: readonly Outbound[]): CallFlow {
  const { facts, session, key } = input;
  return { said: matchesOf(input), files: heldFiles(facts, ways, session.memory.flow, key) };
}

/** What leaves by `ways` and should not: values in what the call says, and files that hold them. */
function leavingMatches({ event, session, key }: FlowInput, ways: readonly Outbound[], call: CallFlow): FlowMatch[] {
  const { flow } = session.memory;
  const said = call.said.filter(
    (match) => !goesHome(match, ways, key) && !(signsIn(match, event) && keepsToService(ways)),
  );
  const { leaving } = call.files;
  if (leaving.length === 0) return said;
  const inFiles = leaving.flatMap((file) => {
    const match = matchOfFile(file, flow);
    const wanted =
      match === undefined || goesHome(match, file.ways, key) || isLoggedInTo(file.ways, flow.userWords, key);
    return wanted ? [] : [match];
  });
  return [...said, ...inFiles].sort((a, b) => b.coverage - a.coverage);
}

/** A machine that the user named, and that one logs in to: a file that is brought there by name is brought where it should be. */
function isLoggedInTo(ways: readonly Outbound[], userWords: WordHashes, key: Uint8Array): boolean {
  if (!ways.every(({ by }) => LOGINS.has(by))) return false;
  const words = wordSet(userWords);
  return ways.every(({ destination }) => words.has(wordHash(destination, keyedHash(key))));
}

const LOGINS: ReadonlySet<string> = new Set(['scp', 'rsync', 'sftp', 'ssh']);

/** More ways than this out of one call, each of which would have to be looked at, are no way home. */
const WAYS_HOME_MAX = 64;

/** A token that goes to whoever issued it or what it is for, and to nobody else, is used and not leaked. */
function goesHome({ kind, homes, place }: FlowMatch, ways: readonly Outbound[], key: Uint8Array): boolean {
  if (!kind.startsWith('secret.') || ways.length > WAYS_HOME_MAX) return false;
  const hosts = wordSet(homes);
  const isHome = (host: string): boolean => homeNames(host).some((name) => hosts.has(wordHash(name, keyedHash(key))));
  return ways.every(({ channel, destination }) => {
    if (channel === 'service') return isCredentialField(place);
    return isIssuer(kind, destination) || (hosts.size > 0 && isHome(destination));
  });
}

/** Whether a tool signs in by what stands at `place`, and does not pass it on. */
function isCredentialField({ name }: Place): boolean {
  return typeof name === 'string' && CREDENTIAL_FIELD.test(normalizeKey(name));
}

/** Whether a tool signs in by all that stands in a property of its input, which says so by its whole name. */
function signsIn({ kind, place }: FlowMatch, event: AgentEvent): boolean {
  const { name, parent } = place;
  if (event.event_type !== 'tool_invocation' || !kind.startsWith('secret.') || typeof name !== 'string') return false;
  if (parent !== INPUT_PLACE) return false;
  const value = Object.hasOwn(event.tool.input, name) ? event.tool.input[name] : undefined;
  return SIGN_IN_FIELD.test(normalizeKey(name)) && typeof value === 'string' && /^(?:Bearer )?\S{1,512}$/.test(value);
}

const SIGN_IN_FIELD =
  /^(?:(?:access|auth|user|session|login|api|bearer)?token|apikey|password|passwd|authorization|sessionid)$/;

/** Whether nothing but a service gets what is added to it: no message, no payment, and nobody who is named. */
function keepsToService(ways: readonly Outbound[]): boolean {
  return ways.every(
    ({ channel, destination, command }) => channel === 'share' && destination === '' && command === undefined,
  );
}

const CREDENTIAL_FIELD = /(?:token|apikey|password|passwd|authorization|sessionid)$/;

function matchesOf({ facts, texts, session, key, allowance }: FlowInput): FlowMatch[] {
  const { memory, eventsCount } = session;
  if (memory.flow.prints.length === 0) return [];
  const sent = texts.filter(({ source }) => source.source === 'tool_input');
  return matchFlow(memory.flow, flowTexts(sent, facts, allowance), key, allowance, eventsCount);
}

function matchView({ label, coverage, encoding, originEvent, originTool }: FlowMatch): FlowView['matches'][number] {
  return { label, coverage, encoding, originEvent, originTool };
}

function suspicionsOf(call: ToolInvocation, { facts, session, key, allowance }: FlowInput): Detection[] {
  const { suspicion, named } = argumentOrigins(call, facts, session.memory.flow, key, allowance);
  if (suspicion === 'none') return [];
  const [first] = named;
  return [
    {
      kind: 'flow.unasked',
      ...SUSPICIONS[suspicion],
      what:
        suspicion === 'faint'
          ? 'does something that the user did not ask for'
          : first === undefined
            ? 'does what a result spoke of and the user did not ask for'
            : 'acts on something that only a result named',
      place: first?.place ?? INPUT_PLACE,
      start: first?.start ?? 0,
      end: first?.end ?? 0,
    },
  ];
}

/** What the call runs that an earlier one wrote, where the same would have been stopped as a command. */
function runsOfWritten({ facts, session, key }: FlowInput): Detection[] {
  return scriptsRun(facts, session.memory.flow.scripts ?? [], key).map(({ script, name, origin }) => ({
    kind: WRITTEN_SCRIPT,
    severity: 'high',
    confidence: 0.85,
    what: `runs ${named(name)}, which this session wrote and whose content ${script.policy} would stop`,
    ...origin,
  }));
}

/** What to remember of an event once it is decided. Of a blocked event only what came in: it did not happen. */
export function flowEffects(
  input: FlowInput,
  decided: {
    outcome: FlowOutcome;
    detections: readonly Detection[];
    policyEffects: readonly PolicyEffect[];
    blocked: boolean;
    /** What it leaves in files that may be run. */
    scripts: readonly WrittenScript[];
  },
): FlowEffect[] {
  const { event, session, key } = input;
  // What a person or the agent writes, no tool gave out, and a result that repeats it later changes nothing of that.
  const tool = event.event_type === 'tool_result' ? event.tool.name : '';
  const origin: FlowOrigin = { event: session.event, tool, turn: session.eventsCount };
  const values = [...detectedValues(decided.detections), ...labelledValues(input, decided)];
  const remembered = values.length === 0 ? [] : remember(withHomes(values, input), origin, key);
  if (values.length > VALUES_MAX) input.allowance.cut('flow', `values ${VALUES_MAX}`);
  switch (event.event_type) {
    case 'tool_invocation':
      if (decided.blocked) return remembered;
      return [
        ...remembered,
        ...noteSent(decided.outcome.matches, session.eventsCount),
        ...keptEffects(input, decided.outcome),
        ...decided.scripts.map((script): FlowEffect => ({ kind: 'flow.wrote', script })),
      ];
    case 'user_message':
      // Of a sub-agent's session, the parent writes the messages: what they ask for, the user did not ask for.
      if (session.memory.tree?.asked) return remembered;
      return [...remembered, ...noteUserMessage(event.message.content, [event.user.email], key)];
    case 'agent_message':
      return [...remembered, ...noteAgentMessage(event.message.content, key)];
    case 'tool_result':
      return [
        ...remembered,
        ...resultEffects(event, input, origin),
        ...noteOrders(ordersIn(input, decided.detections), key),
      ];
    default:
      return remembered;
  }
}

/** Paths of one call that are noted as holding what was remembered. */
const KEPT_MAX = 3;

/** Which files hold a remembered secret once the call is done: it wrote one into them, or copied one that does. */
function keptEffects(input: FlowInput, { call }: FlowOutcome): FlowEffect[] {
  const { facts, session, key } = input;
  const { flow } = session.memory;
  const written = facts.files.filter(isWritten);
  if (written.length === 0 || !flow.sources.some(isHeld)) return [];
  const { copies } = call?.files ?? heldFiles(facts, [], flow, key);
  const effects: FlowEffect[] = copies.slice(0, KEPT_MAX).map(({ source, path }) => ({
    kind: 'flow.kept',
    prints: flow.prints
      .filter((held) => held.source === source)
      .map(({ print }) => print)
      .slice(0, 1),
    files: fileNames([path], key),
  }));
  // What a client writes is what it was answered.
  const clients = new Set(facts.hosts.map(({ command }) => command));
  const own = written.filter(({ command }) => command === undefined || !clients.has(command)).slice(0, KEPT_MAX);
  const prints = own.length === 0 ? [] : (call?.said ?? matchesOf(input)).filter(isWhole).map(({ print }) => print);
  if (prints.length === 0) return effects;
  return [
    ...effects,
    {
      kind: 'flow.kept',
      prints,
      files: fileNames(
        own.map(({ path }) => path),
        key,
      ),
    },
  ];
}

function isWritten({ operation, path, glob }: EventFacts['files'][number]): boolean {
  return (operation === 'write' || operation === 'append') && !glob && !path.dynamic;
}

/** Whether a file that holds what `source` gave out is of interest. */
function isHeld({ label, tool }: FlowSource): boolean {
  return label === 'secret' && tool !== '';
}

function isWhole({ label, originTool, coverageHere }: FlowMatch): boolean {
  return label === 'secret' && originTool !== '' && coverageHere >= COVERAGE_MIN;
}

/** Where the result gives orders in so many words. */
function ordersIn(
  { texts }: FlowInput,
  detections: readonly Detection[],
): { text: string; start: number; end: number }[] {
  return detections.filter(isFirmOrder).flatMap(({ place, start, end }) => {
    const read = texts.find(({ source }) => source.place === place && source.source === 'tool_output');
    return read === undefined ? [] : [{ text: read.source.text, start, end }];
  });
}

/** As the policy `injection.order` has it: a sentence that only sounds like one is in many a mail. */
function isFirmOrder({ kind, severity }: Detection): boolean {
  if (!kind.startsWith('injection.')) return false;
  return severity === 'critical' || (severity === 'high' && kind !== 'injection.imperative');
}

function resultEffects(event: ToolResult, { facts, texts, key }: FlowInput, origin: FlowOrigin): FlowEffect[] {
  return noteToolResult(outputsOf(texts), sourcesOf(event, facts), origin, key);
}

function withHomes(
  values: readonly SensitiveValue[],
  { event, facts, texts, key }: FlowInput,
): readonly SensitiveValue[] {
  if (event.event_type !== 'tool_result') return values;
  const found = values.map(({ value }) => value);
  const homes = hostsFor(found, facts, outputsOf(texts));
  const read = fileRead(facts);
  const files = read === undefined ? NO_WORDS : fileNames([read], key);
  return values.map((value, index) => ({
    ...value,
    homes: homes[index] as readonly string[],
    ...(value.label === 'secret' ? { files } : {}),
  }));
}

function outputsOf(texts: readonly ReadText[]): string[] {
  return texts.filter(({ source }) => source.source === 'tool_output').map(({ source }) => source.text);
}

function detectedValues(detections: readonly Detection[]): SensitiveValue[] {
  const values: SensitiveValue[] = [];
  for (const { kind, value } of detections) {
    if (value !== undefined) values.push({ label: kind.slice(0, kind.indexOf('.')), kind, value });
  }
  return values;
}

/** Values that policies asked to remember under a label of their own. */
function labelledValues(
  { texts }: FlowInput,
  { detections, policyEffects }: { detections: readonly Detection[]; policyEffects: readonly PolicyEffect[] },
): SensitiveValue[] {
  const values: SensitiveValue[] = [];
  for (const effect of policyEffects) {
    if (effect.kind !== 'fingerprint') continue;
    for (const index of effect.findings) {
      const { kind, value } = detections[index] as Detection;
      if (value !== undefined) values.push({ label: effect.label, kind, value, byPolicy: 'finding' });
    }
    for (const { source } of texts) {
      const part = source.source === 'tool_output' ? 'output' : source.source === 'tool_input' ? 'input' : 'message';
      if (effect.of.includes(part))
        values.push({ label: effect.label, kind: `policy.${effect.policy}`, value: source.text, byPolicy: 'text' });
    }
  }
  return values;
}
