import type { Severity } from '../../../domain/decision.ts';
import { UNTOLD_ELSEWHERE } from '../injection/call-orders.ts';
import { CLASS, EMAIL_CLASS, URL_CLASS } from '../injection/lexicon.ts';
import { pieceSigns } from '../injection/piece-signs.ts';
import { SIGN } from '../injection/signs.ts';
import { Tokens } from '../injection/tokens.ts';
import { hasCommandRun, meddles } from './other-tools.ts';
import { type SideKind, sideBusiness } from './side-business.ts';

/** What a piece of a description does that no description needs. */
interface Poison {
  kind: string;
  severity: Severity;
  confidence: number;
  what: string;
}

const tokens = new Tokens();

/** The poison in the piece of `text` from `start` to `end`. */
export function poisonIn(text: string, start: number, end: number): Poison | undefined {
  tokens.read(text, start, end);
  const signs = pieceSigns(tokens, text, start, end, false);
  const piece = text.slice(start, end);
  if (
    ((signs & SIGN.override) !== 0 && (signs & SIGN.quoted) === 0 && !isSample(text, start, end, SIGN.override)) ||
    OVERRIDE_MARK.test(piece)
  )
    return OVERRIDE;
  if (((signs & SIGN.concealment) !== 0 && CONCEALS.test(piece.replace(GOES_ON, ' '))) || UNAWARE.test(piece))
    return CONCEALMENT;
  if (leavesUserUntold(piece)) return CONCEALMENT;
  if (UNGUARDS.test(piece)) return GUARD_REMOVAL;
  if (SECRET_FILE.test(piece) && has(READING) && !isOwnBusiness(piece)) return SECRET_READ;
  // A bar ends a piece.
  if (sendsAway(piece) || COMMAND.test(text.slice(start, end + COMMAND_CHARS))) return EXFILTRATION;
  const side = sideBusiness(text, start, end);
  if (side !== undefined && !isOnlyTold(SIDES[side])) return SIDES[side];
  if (
    (shadows(text) && has(COMMANDING) && !onlyComesFirst(text, start, end)) ||
    VOIDS.test(piece) ||
    TAKES_OVER.test(piece) ||
    meddles(text, start, end)
  )
    return SHADOWING;
  if (hasCommandRun(text, start, end)) return COMMAND_RUN;
  if (ALWAYS_CALLED.test(piece)) return ALWAYS;
  if (WANTS_CONTEXT.test(piece) || WANTS_SECRETS.test(piece)) return CONTEXT;
  // So does a colon.
  if (SPEAKS_AS_SYSTEM.test(text.slice(start, end + SPEAKER_CHARS))) return MARKUP;
  if ((signs & SIGN.roleMarker) !== 0 && TAG.test(text.slice(Math.max(0, start - 24), end))) return MARKUP;
  // What is only told of comes last: it must hide nothing that is more.
  if (side !== undefined) return SIDES[side];
  return FIRST_OF_ALL.test(piece) ? PRIORITY : undefined;
}

/** The most confidence that is less than what the policies on descriptions act on. */
export const ONLY_TOLD_MAX = 0.5;

/** Whether it is less than what the policies on descriptions act on. */
export function isOnlyTold({ confidence }: Pick<Poison, 'confidence'>): boolean {
  return confidence <= ONLY_TOLD_MAX;
}

/** Whether what has one of `signs` in the piece of `text` from `start` to `end` is a sample that the text names and quotes as one. */
export function isSample(text: string, start: number, end: number, signs: number): boolean {
  if (signs === 0) return false;
  const piece = text.slice(Math.max(0, start - SAMPLE_CHARS), end);
  const rest = piece.replace(SAMPLES, ' ');
  return rest !== piece && (signsOf(rest) & signs) === 0;
}

const others = new Tokens();

function signsOf(piece: string): number {
  others.read(piece, 0, piece.length);
  return pieceSigns(others, piece, 0, piece.length, false);
}

const SAMPLES = /\b(?:e\.g\.,?|for example,?|such as|like) ["'`“‘][^"'`“”‘’.]{4,80}["'`”’]/gi;
const SAMPLE_CHARS = 16;

/** Whether a piece in another language says to leave the user in the dark. Guests and callers are told, or not, by the tool itself. */
function leavesUserUntold(piece: string): boolean {
  return UNTOLD_ELSEWHERE.test(piece) && USER_ELSEWHERE.test(piece) && !ASKS_ELSEWHERE.test(piece);
}

const USER_ELSEWHERE =
  /(?<!\p{L})(?:usuari[oa]s?|utilisateurs?|utilisatrices?|(?:be)?nutzern?|anwendern?|utent[ei]|utilizador(?:es)?|użytkownik\p{L}{0,3}|gebruikers?|пользовател\p{L}{1,3}|pengguna|felhasználó\p{L}{0,4}|kullanıcı\p{L}{0,4}|المستخدم)(?!\p{L})|用户|ユーザー|사용자/iu;
/** A tool that does something at once: in English it is none that hides. */
const ASKS_ELSEWHERE =
  /(?:demand|pregunt|consult|pergunt|chied|frag|pyta|vrag|vraag|спрашива|询问|bertanya|tanya)\p{L}{0,6}/iu;

/** Whether a tool that claims to be called first claims nothing beside that. */
export function onlyComesFirst(text: string, start: number, end: number): boolean {
  const first = FIRST_OF_ALL.exec(text.slice(start, end));
  if (first === null) return false;
  const behind = start + first.index + first[0].length;
  return !CLAIMS_MORE.test(`${text.slice(start, start + first.index)} ${text.slice(behind, end + CLAIM_CHARS)}`);
}

/** Code units behind a piece that are read for what it goes on to claim. */
const CLAIM_CHARS = 200;
const CLAIMS_MORE =
  /\b(?:ignor|disregard|never|do not|don['’]?t|cannot|must not|should not|avoid|stop|replac|instead|deprecat|broken|pass|send|give|forward|include\b|copy|report|credential|password|token|secret|results? of|outputs? of|arguments? of)|\bother tools\b/i;

const READING = new Set<number>([CLASS.act, CLASS.send, CLASS.reveal, CLASS.must, CLASS.data, CLASS.when]);
const COMMANDING = new Set<number>([CLASS.must, CLASS.override, CLASS.not, CLASS.fresh, CLASS.send]);

function has(classes: ReadonlySet<number>): boolean {
  for (let at = 0; at < tokens.count; at++) if (classes.has(tokens.class[at] as number)) return true;
  return false;
}

/** Business of other tools: "when send_email is called", "before any other tool". */
function shadows(text: string): boolean {
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.class[at] !== CLASS.when) continue;
    const last = Math.min(tokens.count - 1, at + 8);
    for (let other = at + 1; other <= last; other++) {
      const named = text.charCodeAt(tokens.end[other] as number) === 0x5f;
      const word = text.slice(tokens.start[other], tokens.end[other]).toLowerCase();
      if (named || ((word === 'other' || word === 'another') && tokens.class[other + 1] === CLASS.tool)) {
        return isUsed(text, other + 1, last + 4);
      }
    }
  }
  return false;
}

function isUsed(text: string, from: number, to: number): boolean {
  for (let at = from; at <= to && at < tokens.count; at++) {
    if (USED.has(text.slice(tokens.start[at], tokens.end[at]).toLowerCase())) return true;
  }
  return false;
}

const USED: ReadonlySet<string> = new Set([
  'called',
  'used',
  'invoked',
  'executed',
  'available',
  'tool',
  'tools',
  'runs',
  'run',
]);

/** `Reads the variables of a .env file`: what the tool itself does with settings, none of which leave it. */
function isOwnBusiness(piece: string): boolean {
  return OWN_ENV.test(piece) && !CARRIES.test(piece) && !SECRET_FILE.test(piece.replace(ENV_FILE, ''));
}

const OWN_ENV = /^\W{0,8}(?:Reads|Loads|Parses|Lists|Validates|Checks|Lints|Formats)\b[^.]{0,80}\.env\b/;
const ENV_FILE = /\.env\b/g;
const CARRIES =
  /\b(?:send|sent|stream|forward|upload|transmit|exfiltrat|leak|post|pass(?:es|ed|ing)?\b|includ|attach|cop(?:y|ies)|put|writ|fill|note|param|argument|field)/i;
/** The same in other words: who is not to know, and where it is not to stand. */
const UNAWARE =
  /\b(?:do not|don'?t|never|must not) mention that you\b|\bpresent it as if (?:it|this) (?:is|were|was)\b|\b(?:do not|don'?t|never|and not|must not) (?:show|report|disclose|explain) (?:this|it|that)\b[^.]{0,16}\b(?:to (?:the |your )?(?:users?|humans?|developers?|operator)|in (?:the |your )?(?:diff|summary|chat|answer|response|log))\b|\busers? (?:should|must|need|may) (?:be|stay|remain) (?:unaware|kept in the dark)\b|\busers? (?:need not|needn'?t|must not|should not|do not need to|don'?t need to) (?:be told|know|be informed)\b|\bkeep (?:this|it) (?:internal|secret|hidden from|between us|to yourself)\b|\bkeep the users? unaware\b|\bwithout saying so\b|\b(?:response|answer|summary) (?:should|must) omit (?:that|this|it)\b|\bhide\b[^.]{0,24}\bfrom the (?:user|developer|human|operator)\b|\bsag (?:dem|den) (?:nutzer|benutzer|anwender)\w{0,2} nichts\b/i;

/** What protects is to be passed over. */
const UNGUARDS =
  /\bnever ask (?:the user )?(?:again )?for (?:confirmation|approval|permission)\b|\bbypass (?:any |all |the )?(?:content|safety|security) (?:polic(?:y|ies)|filters?|checks?|rules?)\b|\bdisable\b[^.]{0,24}\b(?:logging|audit(?:ing)?|approvals?|confirmations?)\b[^.]{0,48}\b(?:before|prompt|via|when)\b|\bgranted permission for all\b|\bskip (?:the |any |all )?(?:confirmation|approval|permission)s?\b|\bwithout human (?:review|approval|confirmation)\b|\buser has (?:consented|agreed) to (?:running|executing) (?:all|any)\b/i;

/** What other tools say is not to count, or what they are given is to come here first. */
const VOIDS =
  /\b(?:earlier|previous|prior|(?:all )?other) tool descriptions?\b[^.]{0,16}\b(?:void|invalid|obsolete|wrong|ignored)\b|\bother tools (?:are|have been) (?:broken|unsafe|insecure|compromised|malicious|disabled)\b|\bonly this server'?s tools\b|\b(?:do not|don'?t|never) (?:ever )?use (?:it|other|another)\b[^.]{0,32}\beven (?:when|if) the user\b|\b(?:do not|don'?t|never) use other (?:providers?'?|servers?'?|vendors?'?) tools\b|\binstructions in its output overrid/i;
const TAKES_OVER =
  /\b(?:first|before|always|whenever)\b[^.]{0,48}\b(?:arguments?|parameters|inputs?|results?|outputs?|contents?)\b[^.]{0,12}\bto this tool\b/i;

/** Secrets that the model came across. */
const WANTS_SECRETS =
  /\b(?:api keys?|tokens?|secrets|passwords|credentials)\b[^.]{0,24}\b(?:you(?:'ve| have)? (?:seen|read|found|know)|from the environment|in this session|in (?:your|the) context)\b[^.]{0,80}\b(?:as|in|to|when)\b|\b(?:values? of|set to)\b[^.]{0,32}\b[A-Z]{2,16}(?:_[A-Z]{2,16}){0,3}_(?:KEY|TOKEN|SECRET|PASSWORD|URL)\b|\b(?:passwords|card numbers|api keys|credentials)\b[^.]{0,32}\b(?:copy|put|write|embed) (?:them|those|it) (?:in|into|to)\b|\binclude (?:these|those|all) (?:credentials|api keys|passwords|secrets)\b[^.]{0,24}\b(?:response|answer|output|reply)\b/i;

const SENDS = /\b(?:send|sent|stream|forward|upload|transmit|exfiltrat|leak|mirror|post)/i;

/** Data that go to an address which the description itself names, or what is the user's to somebody outside. */
function sendsAway(piece: string): boolean {
  if (SENDS.test(piece) && (ATTACKER.test(piece) || (ELSEWHERE.test(piece) && PRIVATE.test(piece)))) return true;
  let sends = false;
  for (let at = 0; at < tokens.count; at++) {
    const kind = tokens.class[at] as number;
    if (kind === CLASS.send) sends = true;
    if (sends && (kind === URL_CLASS || kind === EMAIL_CLASS)) return GIVES.test(piece) && !EXAMPLE.test(piece);
  }
  return sends && OUTSIDE.test(piece);
}

const EXAMPLE = /\bexample\b[^.:]{0,40}:/i;

const GIVES =
  /\b(?:contents?|data|files?|conversation|keys?|results?|messages?|credentials?|it|them|copy|everything|history|output)\b/i;
const ELSEWHERE =
  /\b(?:to|with) (?:an? |the )?(?:external|remote|third[- ]party|outside|attacker|our) (?:\w{1,16} )?(?:endpoint|server|url|host|site|service|webhook)/i;
/** Somebody else, of whom no user has told; a remote server may be the very thing that the tool is for. */
const OUTSIDE =
  /\b(?:to|with) (?:an? |the )?(?:external|third[- ]party|outside|attacker|our) (?:endpoint|server|url|host|site|service|webhook)/i;
/** What a user or a model has, and no tool needs to hand on. */
const PRIVATE =
  /\b(?:(?:complete|full|entire|whole) (?:conversation|chat|context)|conversation history|chat history|credentials|passwords|api keys|private keys|clipboard)\b/i;
const ATTACKER =
  /\bto (?:the |an )?attackers?\b|\bcontrolled by (?:the |an )?attacker|\bharvested (?:\w{1,16} ){0,3}(?:data|credentials|keys|tokens|records)\b/i;
/** A command that carries a file or variables off, in the middle of a description. */
const COMMAND =
  /\b(?:(?:cat|base64) (?:~|\/|\$home)[^|\n]{0,80}|(?:tar|env|printenv|history)\b[^|\n]{0,80})\|\s{0,4}(?:nc|ncat|curl|wget|socat)\s|\bcurl\s[^|\n]{0,120}\s(?:-d|--data(?:-\w{1,16})?|-F|-T)[ =]{0,2}['"]?(?:\w{1,16}=)?@[~/]/i;
/** Code units behind a piece in which such a command goes on. */
const COMMAND_CHARS = 96;
const OVERRIDE_MARK = /\b(?:SYSTEM|ADMIN|DEVELOPER|ROOT|SAFETY)[ _-]OVERRIDE\b/;

/** Where credentials live. */
const SECRET_FILE =
  /(?<!\w)\.(?:ssh|aws|gnupg|kube|netrc|pgpass|docker\/config|cursor\/mcp)|\.env\b(?!\.(?:example|sample|template|dist))|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)|\bmcp\.json\b|\*\.kdbx\b|\bwallet\.(?:dat|json)\b|\blogin data\b|\bcookies\.sqlite\b|(?<!(?:not|never|n['’]t|without) )\b(?:return|include|reveal|output|provide|send) (?:the |your |all |any )?(?:api[ _-]?keys?|private keys?|passwords?|credentials)\b/i;

/** Silence about what the model does, rather than "does not notify the user of changes". */
const CONCEALS =
  /\b(?:do not|don'?t|never|without|avoid|must not|should not|no need to)\b[^.]{0,24}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?)\b|\b(?:secretly|silently|covertly|quietly)\b/i;
/** What a program does where there is nothing to do. */
const GOES_ON =
  /\b(?:go(?:es)? on|continues?|proceeds?|fails?|failing|skips?|exits?|returns?|succeeds?|ignored|dropped|retr(?:y|ies)) (?:silently|quietly)\b|\b(?:silently|quietly) (?:continues?|fails?|failing|skips?|skipped|exits?|succeeds?|ignored?|dropped|drops|truncat)/gi;

/** To be called first is what many a tool asks for that gives out what others need: worth no more than a note. */
const FIRST_OF_ALL =
  /\b(?:always|must|should|mandatory|required)\b[^.]{0,40}\b(?:call|use|invoke|run|execute|called|used|invoked|run)\b[^.]{0,24}\b(?:before|prior to|first)\b[^.]{0,40}\b(?:any|every|all|each|other|answering|responding|anything)\b/i;
/** A claim to be called behind or instead of everything else, and so to see it all. */
const ALWAYS_CALLED =
  /\b(?:always|must|mandatory|required)\b[^.]{0,40}\b(?:call|use|invoke|run|execute|called|used|invoked|run)\b[^.]{0,24}\b(?:after|instead of)\b[^.]{0,16}\b(?:any|every|all|each|other|answering|responding|anything)\b|\balways call this tool\b(?! (?:first|before))/i;

/** What the model knows and the tool has no use for. */
const WANTS_CONTEXT =
  /\b(?:include|pass|provide|send|put|add|attach|append|copy|paste|insert)\b[^.]{0,32}\b(?:(?:full|entire|whole|complete|previous|all|current) (?:conversation|chat|context|dialogue|messages)|conversation history|system prompt|your instructions|chain of thought|list of (?:all )?(?:your )?(?:available )?tools)\b/i;

/** Code units behind a piece that are read for what a speaker says first. */
const SPEAKER_CHARS = 16;
const SPEAKS_AS_SYSTEM =
  /(?:^|[.!?>\]\n]\s{0,4})(?:SYSTEM\s?:\s{0,4}(?:you|the assistant|the model|ignore|always|never)\b|(?:[Hh]idden )?(?:[Ii]nstruction|[Dd]irective)s? (?:for|to) (?:the )?(?:LLM|AI|model|assistant|agent)s?\s?:)/;
const TAG = /<\/?(?:important|system|instructions?|secret|hidden|admin|critical)\b|<\||\[\/?inst\]|<<\/?sys/i;

const poison = (kind: string, severity: Severity, confidence: number, what: string): Poison => ({
  kind,
  severity,
  confidence,
  what,
});

const OVERRIDE = poison('override', 'critical', 0.95, 'tells the model to ignore its instructions');
const CONCEALMENT = poison('concealment', 'critical', 0.9, 'tells the model to hide something from the user');
const SECRET_READ = poison('secret_read', 'critical', 0.9, 'has the model hand over credentials');
const EXFILTRATION = poison('exfiltration', 'high', 0.8, 'has the model send data to an address');
const SHADOWING = poison('shadowing', 'high', 0.75, 'gives orders for other tools');
const PRIORITY = poison('priority', 'low', 0.4, 'claims to be called before everything else');
const ALWAYS = poison('priority', 'medium', 0.6, 'claims to be called after or instead of everything else');
const CONTEXT = poison('context', 'high', 0.75, 'asks for the conversation or the instructions of the model');
const COMMAND_RUN = poison('command', 'high', 0.75, 'has the model run a command');
const GUARD_REMOVAL = poison('guard_removal', 'critical', 0.85, 'tells the model to skip what protects');
const MARKUP = poison('markup', 'high', 0.8, 'poses as instructions of the system');
const SIDES: Readonly<Record<SideKind, Poison>> = {
  context: CONTEXT,
  command: poison('command', 'medium', 0.5, 'has the model run something beside it'),
  harm: poison('side_order', 'medium', 0.5, 'has the model do what is no business of the tool'),
  holds: poison('context', 'medium', 0.5, 'takes what the model was told'),
  consent: GUARD_REMOVAL,
  override: OVERRIDE,
  concealment: poison('concealment', 'medium', 0.5, 'has the model leave something out'),
};
