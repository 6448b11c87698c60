import type { ToolInvocation } from '../../domain/event.ts';
import type { Allowance } from '../cuts.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import { normalizeKey } from '../facts/input.ts';
import { type ToolKind, verbOf } from '../facts/tools.ts';
import { type Argument, argumentsOf, CONTENT_KEYS, isOneWord, type NamedArgument } from './arguments.ts';
import { keyedHash, wordHash } from './keyed-hash.ts';
import type { FlowMemory } from './memory.ts';
import { FILE_KINDS, orderedArgument } from './ordered-argument.ts';
import { outboundOf } from './outbound.ts';
import { calledBy, splitAtKeys } from './prose.ts';
import { isAddress, isOfSomebody, openAddress, openPath, tellingTokens } from './tokens.ts';
import { actionsOfTool, answers, givesRights, isUnclear, keepsForLater, subscribes } from './tool-actions.ts';
import type { Action } from './wanted-action.ts';
import { NO_WORDS, wordSet } from './word-hashes.ts';

/** Who could have wanted a call: what it does and names, against what the user and what untrusted results said. */
export interface ArgumentOrigins {
  /** What the call does beyond reading, in this machine or out of it. Empty: nothing worth a gate. */
  actions: readonly Action[];
  /** A user's message asks for an action of this kind. */
  asked: boolean;
  /** A user's message hands the choice of action to what is to be read. */
  delegated: boolean;
  /** Prose in a tool's result speaks of an action of this kind. */
  proposed: boolean;
  /** Arguments that prose in a tool's result names, and neither the user nor a field of a result. */
  named: readonly NamedArgument[];
  /**
   * How much speaks for the call being somebody else's wish. `high`: not asked for, and an argument comes from prose, or one comes from an order;
   * `medium`: not asked for, but proposed; `low`: asked for, but an address in it comes from prose, or what stays on this
   * machine and was proposed, or a tool whose name tells nothing and that prose names; `slight`: asked for, but prose named an address in
   * what it says, a file that goes along or a password, or what is read has an address that prose left to be filled in; `faint`: nobody
   * spoke of it, as far as that can be read. The last three by themselves are ordinary work.
   */
  suspicion: 'none' | 'faint' | 'slight' | 'low' | 'medium' | 'high';
}

const NOTHING: ArgumentOrigins = {
  actions: [],
  asked: false,
  delegated: false,
  proposed: false,
  named: [],
  suspicion: 'none',
};

/** Telling words of one input, and arguments that are pointed at. */
const TOKENS_MAX = 256;
const NAMED_MAX = 16;

/** Keys under which a call has files go along, or what lets somebody in. */
const CARRIED_KEYS = new Set(
  'attachment attachments file files filename filenames filepath path paths document documents password newpassword passwd pin role roles permission permissions scope scopes'.split(
    ' ',
  ),
);

/** Who could have wanted `call`. Only a call that does more than read is compared. */
export function argumentOrigins(
  call: ToolInvocation,
  facts: EventFacts,
  memory: FlowMemory,
  key: Uint8Array,
  allowance: Allowance,
): ArgumentOrigins {
  const isForeign = memory.untrusted !== undefined || isFeltOutside(facts, memory);
  if (!isForeign && memory.orderWords === undefined) return NOTHING;
  const actions = actionsOf(call, facts);
  let read: readonly Argument[] | undefined;
  const argumentsGiven = () => {
    read ??= argumentsOf(call, facts, allowance);
    return read;
  };
  const ordered = orderedArgument(facts, actions, memory, key, argumentsGiven);
  if (ordered !== undefined) return { ...NOTHING, actions, named: [ordered], suspicion: 'high' };
  if (!isForeign) return NOTHING;
  if (actions.length === 0) return { ...NOTHING, suspicion: suspicionOfReading(facts, memory, key, argumentsGiven) };
  const proposed = actions.some((action) => memory.proposed.includes(action));
  // What an attack came with is what is kept out, where it did not ask for that itself.
  const defends = !proposed && actions.includes('defend') && memory.asked.includes('defend');
  if (defends) return { ...NOTHING, actions, asked: true, suspicion: 'low' };
  const asked = actions.some((action) => action !== 'defend' && memory.asked.includes(action));
  const delegated = memory.delegated === true;
  const kind = facts.tool === undefined || givesRights(facts.tool.name) ? 'other' : facts.tool.kind;
  const given = argumentsGiven();
  const named = namedArguments(given, memory, key);
  const found = suspicionOf({ actions, asked: asked || delegated, proposed, named, kind });
  const passesOn = named.some(({ address }) => address);
  const suspicion = found === 'medium' && !passesOn && answersUser(facts, given, memory, key) ? 'faint' : found;
  return { actions, asked, delegated, proposed, named, suspicion };
}

/** Of a call that is felt outside of this machine, what a file of this machine says counts as well: somebody may have sent it. */
function isFeltOutside({ tool }: EventFacts, { proseWords }: FlowMemory): boolean {
  return proseWords !== NO_WORDS && tool !== undefined && REMOTE_KINDS.has(tool.kind);
}

/** Whether the call answers where the user pointed to (`reply { ticket: 4471 }`), and has nothing go along. */
function answersUser(
  { tool }: EventFacts,
  given: readonly Argument[],
  { userWords }: FlowMemory,
  key: Uint8Array,
): boolean {
  if (tool === undefined || !answers(tool.name)) return false;
  const led = given.filter(({ content }) => !content);
  if (led.some(({ key: name }) => CARRIED_KEYS.has(name) || BEHIND_KEYS.has(name))) return false;
  const [user, hash] = [wordSet(userWords), keyedHash(key)];
  return led.some(({ text }) => [...tellingTokens(text, TOKENS_MAX)].some((token) => user.has(wordHash(token, hash))));
}

interface Evidence {
  actions: readonly Action[];
  asked: boolean;
  proposed: boolean;
  named: readonly NamedArgument[];
  kind: ToolKind;
}

function suspicionOf({ actions, asked, proposed, named: all, kind }: Evidence): ArgumentOrigins['suspicion'] {
  const named = all.filter(({ part }) => part !== 'said');
  const address = named.some((argument) => argument.address);
  if (asked) {
    if (all.some(({ part }) => part === 'behind')) return 'medium';
    return address ? 'low' : all.some(({ part }) => part !== 'meant') ? 'slight' : 'none';
  }
  // Names of branches, files and issues go from an issue into the work on it.
  const telling = kind === 'vcs' || kind === 'shell' || kind === 'code_exec' ? address : named.length > 0;
  if (telling) return 'high';
  if (!proposed) return REMOTE_KINDS.has(kind) ? 'faint' : 'none';
  // Work on an issue ends in a branch or a pull request, whoever wrote it.
  if (kind === 'vcs') return actions.some((action) => GRAVE_ON_CODE.has(action)) ? 'medium' : 'none';
  const remote = REMOTE_KINDS.has(kind) || (FILE_KINDS.has(kind) && !actions.includes('delete'));
  return remote ? 'medium' : 'low';
}

/** Of a call that does nothing but read, or stays on this machine. */
function suspicionOfReading(
  facts: EventFacts,
  memory: FlowMemory,
  key: Uint8Array,
  argumentsGiven: () => readonly Argument[],
): ArgumentOrigins['suspicion'] {
  if (isToolOfProse(facts, memory, key)) return 'low';
  if (memory.proseWords === NO_WORDS || facts.tool === undefined) return 'none';
  const given = argumentsGiven();
  if (fillsAddress(given, memory, key)) return 'slight';
  const isMemory = keepsForLater(facts.tool.name);
  if (facts.tool.kind !== 'file_write' && !isMemory) return 'none';
  const counts = writesSource(facts) ? isOfSomebody : isAddress;
  if (!namedArguments(given, memory, key, counts).some(({ address }) => address)) return 'none';
  // Nobody wanted anything kept.
  return isMemory && !memory.asked.some((action) => action === 'create' || action === 'change') ? 'medium' : 'slight';
}

/** Whether all that is written are pieces of source code, which are full of what looks like hosts and numbers. */
function writesSource({ files }: EventFacts): boolean {
  return files.length > 0 && files.every(({ path }) => SOURCE_FILE.test(path.key));
}

const SOURCE_FILE =
  /\.(?:[mc]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kts?|scala|swift|[ch](?:pp|xx)?|cs|php|dart|exs?|erl|hs|clj|lua|r|jl|sql|s?css|less|html?|graphql|proto|prisma)$/;

function changes({ verb }: EventFacts['sql'][number]): boolean {
  return !/^(?:select|with|show|explain|describe|desc|use|values|pragma)$/.test(verb);
}

/** Whether one of the addresses of `all` has something filled in where prose left that open: `https://host/compare?rev={revenue}`. */
function fillsAddress(all: readonly Argument[], { proseWords, userWords }: FlowMemory, key: Uint8Array): boolean {
  const given = all.filter(({ text }) => text.includes('?'));
  if (given.length === 0) return false;
  const hash = keyedHash(key);
  const prose = wordSet(proseWords);
  const user = wordSet(userWords);
  for (const { text } of given) {
    for (const token of tellingTokens(text, TOKENS_MAX)) {
      const open = openAddress(token);
      if (open === undefined || prose.has(wordHash(token, hash))) continue;
      for (const left of [open, openPath(`${open}=`)]) {
        const word = left === undefined ? undefined : wordHash(left, hash);
        if (word !== undefined && prose.has(word) && !user.has(word)) return true;
      }
    }
  }
  return false;
}

/** Whether a result's prose named the tool that is called, which says by its name neither what it reads nor what it does. */
function isToolOfProse({ tool }: EventFacts, { userWords, proseWords }: FlowMemory, key: Uint8Array): boolean {
  if (tool === undefined || tool.kind !== 'other' || !isUnclear(tool.name)) return false;
  const word = wordHash(calledBy(tool.name), keyedHash(key));
  return wordSet(proseWords).has(word) && !wordSet(userWords).has(word);
}

const GRAVE_ON_CODE: ReadonlySet<Action> = new Set<Action>(['delete', 'secure', 'pay']);

/** Kinds whose acts are felt outside of the machine. */
const REMOTE_KINDS: ReadonlySet<ToolKind> = new Set<ToolKind>(['other', 'message', 'net']);

function actionsOf(call: ToolInvocation, facts: EventFacts): readonly Action[] {
  const { tool } = facts;
  if (tool === undefined) return [];
  switch (tool.kind) {
    case 'agent':
      return [];
    case 'db':
      return facts.sql.some(changes) ? ['change', 'create', 'delete'] : [];
    case 'file_read':
    case 'file_write':
      // What stays in the file system is for the rules of files.
      return actionsOfTool(tool.name).filter(
        (action) => FELT_ON_FILES.has(action) && (action !== 'delete' || tool.effect === 'delete'),
      );
    case 'net':
      if (tool.effect === 'send') return ['publish', 'message', 'create', 'change'];
      return subscribes(tool.name) ? actionsOfTool(tool.name) : [];
    case 'shell':
    case 'code_exec':
      if (outboundOf(call, facts).some(({ sends }) => sends)) return ['publish', 'message', 'run'];
      return facts.hosts.some((access) => installsFrom(access, facts)) ? ['run', 'create', 'control', 'change'] : [];
    case 'message': {
      const named = actionsOfTool(tool.name);
      return named.length === 0 && tool.effect === 'send' && namesSending(facts) ? ['message'] : named;
    }
    default:
      if (isOwnTimer(tool.name, facts)) return [];
      return isUnclear(tool.name) ? actionsOfTool(operationOf(call.tool.input)) : actionsOfTool(tool.name);
  }
}

/** What the input of a tool says it is to do, whose name does not: `home_call { service: "lock.unlock" }`. */
function operationOf(input: object): string {
  const { service } = input as { service?: unknown };
  const named = verbOf(input) ?? service;
  return typeof named === 'string' && OPERATION.test(named) ? named : '';
}

/** One word, or a domain's and its own. A method of HTTP is none: it says what is done to an address. */
const OPERATION = /^(?!(?:get|post|put|patch|delete)$)[a-z]\w{1,32}(?:[.:/-]\w{1,32})?$/i;

/** A tool by which the agent has itself woken up: it is told for how long, and nobody else hears of it. */
function isOwnTimer(name: string, { inputNames }: EventFacts): boolean {
  return TIMER.test(name) && inputNames.some((each) => LASTS.test(normalizeKey(each)));
}

const TIMER = /^(?:schedule|sleep|wait|timer|set_?timer|schedule_?wakeup|wait_for_timer)$/i;
const LASTS = /^(?:duration|delay|wait)?(?:seconds|secs|minutes|ms|milliseconds)$|^(?:duration|delay)$/;

/** Whether a command takes what it installs or starts from a host that is none of the registries that everybody uses. */
function installsFrom({ host, command }: EventFacts['hosts'][number], { shell }: EventFacts): boolean {
  const name = command === undefined ? undefined : shell.commands[command]?.name;
  return name !== undefined && INSTALLERS.has(name) && !REGISTRIES.test(host.host);
}

const INSTALLERS = new Set('pip pip3 uv pipx poetry npm pnpm yarn bun npx gem cargo helm kubectl oc'.split(' '));
const REGISTRIES =
  /(?:^|\.)(?:pypi\.org|pythonhosted\.org|pytorch\.org|nvidia\.com|npmjs\.org|yarnpkg\.com|rubygems\.org|crates\.io|github\.com|gitlab\.com|k8s\.io|anaconda\.org|jsr\.io)$/;

const FELT_ON_FILES: ReadonlySet<Action> = new Set<Action>(['delete', 'share', 'publish', 'message']);

/** For tools such as `gmail` or `slack` whose name has no verb: that they are given something to say. */
function namesSending({ inputNames }: EventFacts): boolean {
  return inputNames.some((name) => ['to', 'recipient', 'recipients', 'channel'].includes(normalizeKey(name)));
}

function namedArguments(
  given: readonly Argument[],
  memory: FlowMemory,
  key: Uint8Array,
  counts: (token: string) => boolean = isAddress,
): NamedArgument[] {
  const prose = wordSet(memory.proseWords);
  if (prose.size === 0) return [];
  const user = wordSet(memory.userWords);
  const fields = wordSet(memory.fieldWords);
  const hash = keyedHash(key);
  const named: NamedArgument[] = [];
  let tokensCount = 0;
  for (const { text, place, key: under, content } of given) {
    for (const part of splitAtKeys(text)) {
      for (const token of tellingTokens(part.text, TOKENS_MAX)) {
        if (++tokensCount > TOKENS_MAX || named.length >= NAMED_MAX) return named;
        const word = wordHash(token, hash);
        if (!prose.has(word) || user.has(word) || fields.has(word)) continue;
        const address = counts(token);
        const said = (content || CONTENT_KEYS.has(part.key)) && !isOneWord(text);
        if (said && !address) continue;
        const name = part.key === '' ? under : part.key;
        named.push({ place, start: 0, end: text.length, address, part: partOf(said, name) });
      }
    }
  }
  return named;
}

function partOf(said: boolean, key: string): NamedArgument['part'] {
  if (said) return 'said';
  return BEHIND_KEYS.has(key) ? 'behind' : CARRIED_KEYS.has(key) ? 'carried' : 'meant';
}

/** Keys of those who are told and whom the others do not see. */
const BEHIND_KEYS = new Set('bcc blindcopy blindcarboncopy'.split(' '));
