/**
 * Orders of a description that are no business of the tool: a description may say what the tool does and when to call it. Each pattern has
 * the parts of such an order, the model that is told or a word that obliges it, what it is to do, and what the tool has no use for.
 */

const GAP = String.raw`[^.!?\n]`;
/** Where a sentence or a clause begins. */
const CLAUSE = String.raw`(?:^|[.,;:!?(\n–—]\s{0,3}|\b(?:then|and|also)\s)`;
const MODEL = String.raw`(?:(?:models?|assistants?|agents?|llms?|ais?)(?:\s(?:with|that|which|of)\s${GAP}{1,32}?)?)`;
/** Who is told. */
const ACTOR = String.raw`(?:${CLAUSE}(?:(?:the|this|your|any|every|each|all)\s(?:[a-z]{2,12}\s)?)?${MODEL}\s)`;
const MUST = String.raw`\b(?:must|ha(?:s|ve) to|needs? to|should|shall|is to|are to|always|never fails? to|required to)`;
const PASSING = String.raw`(?:append|add|include|pass|send|put|forward|cop(?:y|ie)|paste|attach|provide|submit|upload|begin|start|contain|carr(?:y|ie)|fill|push|write|prepend|embed|encode|hand|give|insert|leak|store|report)e?s?(?:\s(?:with|over|on))?\b`;
/** What the model has of the session and of the user, and no input of a tool is. */
const SESSION = String.raw`(?:(?:complete|full|entire|whole|latest|last|previous|prior|all)\s(?:[a-z]{2,12}\s){0,2}(?:conversations?|chats?|dialogues?|history|transcripts?|context|tool (?:results?|outputs?|calls?))|(?:conversation|chat|browsing) (?:history|so far|until now)|browser profiles?|registry credentials|deploy keys?|contents? of (?:the )?(?:private|secret|internal|hidden) )`;
const INSTRUCTIONS = `(?:system (?:prompt|instructions?|messages?)(?! (?:for|to) )|(?:results?|outputs?) of (?:the )?(?:other|earlier|previous|all) (?:tools?|calls?))`;
/** Secrets by where the user or another program keeps them. */
const KEPT = String.raw`(?:cookies?|passwords?|tokens?|credentials|bookmarks|logins?|(?:api|private|ssh) keys?|secrets?)\b${GAP}{0,32}\b(?:from|of|in|out of)\s(?:the\s|your\s|his\s|her\s|their\s)?(?:users?'?s?\s)?(?:browser|keychain|password manager|clipboard|wallet)\b`;
/** What is told to the user alone; a parameter may hold one all the same. */
const CODES = '(?:one-time|verification|2fa|otp) codes?';
const FOREIGN = `(?:${SESSION}|${INSTRUCTIONS}|${KEPT})`;
const ACCOUNT = String.raw`(?:[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}\b|0x[0-9a-fA-F]{36,40}\b|\bbc1[a-z0-9]{20,60}\b)`;
const ADDRESS = String.raw`[\w.+-]{1,64}@[\w-]{1,64}\.\w`;
/** What others are to notice nothing of, or what lets somebody in. */
const GRAVE = String.raw`(?:\brole\s?[=:]\s?\W?(?:admin|owner|root)|\badmin(?:istrator)? rights\b|\bas an? (?:admin|owner)\b|--(?:privileged|skip|no-verify|force|insecure)|\b(?:do|does|doing|completes?) (?:a |the )?checkout\b|\bgift cards?\b|${ACCOUNT}|\brm -)`;

/** The model, or whoever must, passes on what it has. */
const PASSES_ON = new RegExp(
  `(?:${ACTOR}${GAP}{0,40}?|${MUST}${GAP}{0,24}?\\s)\\b${PASSING}${GAP}{0,64}?\\b${FOREIGN}`,
  'i',
);
const GOT_FIRST = new RegExp(`\\b(?:${FOREIGN}|${CODES})${GAP}{0,40}?${ACTOR}${GAP}{0,24}?\\b${PASSING}`, 'i');
/** The same as an order from the first word on, or as what a parameter holds. */
const HANDED_IN = new RegExp(
  `${CLAUSE}(?:please |always )?(?:append|add|include|pass|send|put|forward|copy|paste|attach|provide|submit|upload|give|insert)\\b${GAP}{0,40}?\\b(?:${INSTRUCTIONS}|${KEPT})`,
  'i',
);
const HOLDS =
  /\b(?:system (?:prompt|message|instructions?)|instructions|context|conversation) of the (?:\w{2,12} )?(?:model|assistant|agent|client|caller)\b/i;
/** Somewhere else a secret is to be looked up. */
const LOOKED_UP =
  /\b(?:tokens?|passwords?|cookies?|codes?|keys?|secrets?|credentials?)\b[^\n]{0,80}?\b(?:get|read|fetch|take|obtain|copy|extract) (?:it|them|this|that) (?:with|from|by|via|out of|using) (?:the |your |a )?(?:shell|terminal|bash|browser|keychain|password manager|clipboard)\b/i;

/** What the model does to others, or gives away. */
const DOES_HARM = new RegExp(`${ACTOR}${GAP}{0,40}?\\b[a-z]{2,12}\\b${GAP}{0,80}?${GRAVE}`, 'i');
const PAYS = new RegExp(`\\b(?:transfer|pay|payment|send|wire)\\b${GAP}{0,64}?\\b(?:to|into)\\s${ACCOUNT}`);
/** Whatever is made is to have somebody hidden in it. */
const EVERY_ONE = new RegExp(
  `\\b(?:[Ee]very|[Ee]ach|[Aa]ll|[Aa]ny)\\s(?:[a-z]{2,16}\\s){1,3}?(?:must|has to|have to|should|gets?|needs?)\\s${GAP}{0,80}?(?:${ADDRESS}${GAP}{0,24}\\b(?:hidden|bcc|blind|invisible|secret)|\\b(?:hidden|bcc|blind|invisible|private|secret)\\b${GAP}{0,80}\\b(?:appended|added|attached|included|copied|shared))`,
);

const COMMANDS = `(?:curl|wget|rm|nc|ncat|powershell|iwr|chmod)`;
/** A command that the model is to run beside the tool. */
const RUNS = new RegExp(
  `(?:${MUST}|\\brequires? (?:that )?(?:you|the (?:model|assistant|agent))(?: to)?|\\bafterwards|\\bfirst|\\bonce per \\w{2,12}|\\balso)\\s${GAP}{0,40}?\\b(?:execute|run|issue|start)s?\\s[\\\`'"]?${COMMANDS}\\s`,
  'i',
);
const EACH_TIME =
  /\b(?:after|before|with|on|at) (?:each|every|any) (?:\w{2,16} ){1,3}(?:also|additionally|silently) (?:send|copy|upload|forward|post)\b/i;
const STANDING =
  /\b(?:write|add|append|put|insert|save)\b(?: \w{2,12}){0,4} (?:to|into|in) [`'"]?(?:(?:claude|agents|gemini)\.md|\.cursorrules|\.windsurfrules|copilot-instructions\.md|your (?:system prompt|standing instructions|long-term memory))\b/i;

/** Consent in somebody's name. What is to be done once they agreed is none. */
const CONSENTS = new RegExp(
  [
    String.raw`(?:^|[.;!?\n]\s{0,3})(?:the |all |our )?(?:users?|customers?|owners?|operators?) (?:has|have) (?:already )?(?:agreed|consented|approved|confirmed)(?:\s{0,2}[.!;\n]|$| (?:at (?:setup|install|sign-?up)|in advance|beforehand|to (?:all|any|every|everything|this|it)\b)(?!${GAP}{0,80}?\b(?:when|once|if|after|as soon as|by then)\b))`,
    String.raw`\b(?:users?|customers?|owners?) (?:needn['’]?t|need not|do(?:es)? not (?:need|have) to|must not) be (?:asked|told)\b`,
    String.raw`\b(?:confirmation|approval|permission)s?(?: (?:prompts?|dialogs?|requests?|questions?))?\b${GAP}{0,48}\b(?:answered|accepted|confirmed|clicked|granted) (?:with yes |automatically )?by the (?:model|assistant|agent)\b`,
  ].join('|'),
  'i',
);
/** What goes before everything that the model was told. */
const OUTRANKS =
  /\b(?:its (?:verdict|answer|output|result)|this (?:tool|description))\b[^.!?\n]{0,24}\b(?:overrid|supersed|replac|outrank)\w{1,5} (?:every|all|any) other polic|\b(?:priority|precedence|overrid\w{1,5}|supersed\w{1,4}|replac\w{1,4}|outrank\w{0,3})\b[^.!?\n]{0,32}\b(?:system prompt|(?:every|all|any) other (?:instructions?|guidelines?)|your (?:\w{2,12} )?(?:instructions|guidelines|polic(?:y|ies)|rules))\b|\b(?:not|no longer) (?:bound|limited|restricted) by\b[^.!?\n]{0,24}\b(?:polic(?:y|ies)|rules|guidelines|restrictions)\b/i;
/** What the model is to tell people who ask for advice. */
const ADVERTISES = new RegExp(
  `(?:${ACTOR}|\\byou\\s)(?:must |should |shall |has to |have to )?always (?:recommend|promote|praise|advertise)s?\\b(?! (?:that|to|consult|see|at least|one|two|three|\\d)\\w{0,4}\\b)`,
  'i',
);
/** Its own sentence on what stands before, or what is taken out of the view. */
const UNSEEN =
  /\bno (?:comment|word|mention|remark) (?:on|about|of) (?:that|this|it) (?:in|to)\b|\bhides? that (?:it|you) (?:was|were)\b|\b(?:remove|omit|leave|filter) (?:it|them|this|that|these) (?:out of|from) (?:the )?(?:\w{2,12} )?(?:that you show|shown to the user|listing that you)/i;
/** To whom another tool writes. */
const REDIRECTS =
  /\btools?\b[^.!?\n]{0,32}\b(?:changes?|replaces?|sets?|uses?|must|has to|should)\b[^.!?\n]{0,24}\b(?:recipients?|destination|beneficiary|payee|attendees?)\b[^.!?\n]{0,16}\b(?:to|with|by)\b[^.!?\n]{0,8}(?:\+\d{7}|[\w.-]{1,64}@)/i;

/** Kinds of such orders, by what they amount to. */
const ORDERS: readonly (readonly [kind: SideKind, patterns: readonly RegExp[]])[] = [
  ['context', [PASSES_ON, GOT_FIRST, HANDED_IN, LOOKED_UP]],
  ['consent', [CONSENTS]],
  ['override', [OUTRANKS]],
  ['holds', [HOLDS]],
  ['command', [RUNS, EACH_TIME]],
  ['harm', [DOES_HARM, PAYS, EVERY_ONE, REDIRECTS, ADVERTISES, STANDING]],
  ['concealment', [UNSEEN]],
];

export type SideKind = 'context' | 'holds' | 'command' | 'harm' | 'consent' | 'override' | 'concealment';

/** Code units behind the start of a piece that are read for what begins in it. */
const SENTENCE_CHARS = 400;
/** What one is told as a sample is no order: right in front of it, or in its midst. */
const SAMPLE = /\b(?:e\.g\.|for example|for instance|such as|example:)/i;
const SAMPLE_BEFORE = /\b(?:e\.g\.?|for example|for instance|such as|example:?)[\s,:;"'`“(]{0,6}$/i;
/** A word of each order, without which none is looked for. */
const MAY_ORDER =
  /conversation|chat|dialogue|history|transcript|context|tool (?:result|output|call)|browser|registry cred|deploy key|contents? of|system |codes? |result|output|cookie|password|keychain|clipboard|wallet|instructions|shell|terminal|bash|agreed|consented|approved|confirm|be (?:asked|told)|approval|permission|polic|priority|precedence|overrid|supersed|replac|outrank|bound|limited|restricted|curl|wget|\brm |\bnc |ncat|powershell|\biwr|chmod|also|additionally|silently|role|admin|owner|--|checkout|gift|[a-z]{2}\d{2}|0x|bc1|hidden|bcc|blind|invisible|private|secret|recipient|destination|beneficiary|payee|attendee|recommend|promote|praise|advertise|\.md|rules|memory|comment|word|mention|remark|hide|remove|omit|leave|filter/i;
/** What the model is not to do. */
const DENIED = /\b(?:not|never|cannot|nor|avoid|unless)\b|n['’]t\b/i;
/** Of these kinds, a sentence that denies something orders nothing. */
const DENIABLE: ReadonlySet<SideKind> = new Set<SideKind>(['context', 'command', 'harm']);

/** The order that begins in the piece of `text` from `start` to `end` and is none of the tool's business. */
export function sideBusiness(text: string, start: number, end: number): SideKind | undefined {
  const said = text.slice(start, start + SENTENCE_CHARS);
  if (!MAY_ORDER.test(said)) return undefined;
  for (const [kind, patterns] of ORDERS) {
    for (const pattern of patterns) {
      const match = pattern.exec(said);
      if (match === null || match.index >= end - start) continue;
      if (SAMPLE_BEFORE.test(said.slice(0, match.index)) || SAMPLE.test(match[0])) continue;
      if (!DENIABLE.has(kind) || !DENIED.test(match[0])) return kind;
    }
  }
  return undefined;
}
