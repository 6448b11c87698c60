/**
 * `text`, a user's message, without wishes that sound like a takeover and are none: how code and answers are to look, that
 * somebody's own consent need not be asked for again, a reviewer who does not spare them. Blanks stand in their place.
 */
export function withoutWishes(text: string): string {
  if (text.length > WISHES_CHARS_MAX) return text;
  let bare = text;
  for (const wish of WISHES) bare = bare.replace(wish, (part) => ' '.repeat(part.length));
  return bare;
}

/** Wishes are said in a few sentences. */
const WISHES_CHARS_MAX = 1_024;

const OWN = "(?:(?:the|my|our|its|this|any|all|user's|default|global|project|browser)\\s){0,3}";

/** What tools and programs are set up by; rules, instructions, policies and safety are none. */
const SETUP =
  '(?:prettier|eslint|biome|ruff|black|linters?|lint(?:ing)?|formatters?|editorconfig|locale|language|theme|time ?zone|' +
  'settings?|config(?:uration)?|defaults?|cache|caches|gitignore|warnings?|deprecations?|type ?checks?|type errors?|line ?length|indentation)';

/** What code and answers look like. */
const LOOK =
  '(?:tabs?|spaces?|semicolons?|(?:single|double) quotes|camel ?case|snake ?case|type ?script|javascript|python|rust|english|german|french|' +
  'spanish|chinese|japanese|markdown|json|bullet points?|plain text|metric units?|(?:british|american) spelling|comments?|emojis?|' +
  'const|let|async|arrow functions?|type hints?|imports?|trailing commas?|pnpm|npm|yarn|bun)';

const WISHES: readonly RegExp[] = [
  // "override the user's locale setting", "ignore prettier"
  new RegExp(`\\b(?:ignore|override|skip|disregard|disable)\\s${OWN}${SETUP}(?:\\s${SETUP})?\\b`, 'gi'),
  // "you must always use tabs", "never use spaces", "always answer in English"
  new RegExp(
    `\\b(?:you (?:must|should)\\s)?(?:always|never|only|do not|don't)\\s(?:use|write|answer|reply|respond|format|indent|prefer|add)(?:\\s(?:in|with|to me in|using))?\\s${LOOK}\\b`,
    'gi',
  ),
  // "skip confirmation from now on, … in this repo": consent that the user gives for work of their own
  /\b(?:skip|without|no need for|don't (?:ask|wait) for)\s(?:(?:the|my|asking for|further|more|any)\s){0,2}(?:confirmations?|approvals?|permission)(?: prompts?| dialogs?)?(?=[^\n]{0,120}\b(?:in|for|on|to|of|with) (?:this|my|our) (?:repo|repository|branch|project|folder|directory|workspace|file|files|tests?|code|docs?)\b)/gi,
  // "an unfiltered critic of my essay": frankness about something of one's own
  /\b(?:unfiltered|ruthless|unhinged|evil|uncensored|unlimited)(?=\s(?:\w{1,16}\s)?(?:critic|reviewer|editor|proofreader|mentor|coach|judge|examiner|interviewer|feedback|review|critique|opinion)\b[^.!?\n]{0,24}\b(?:of|for|on|about) (?:my|our|this)\b)/gi,
  // "no restrictions on topics": how far a task goes
  /\b(?:you have\s)?(?:no|without(?: any)?)\s(?:restrictions?|limitations?|constraints?|rules)\s(?:on|as to|regarding|for)\s(?:the\s)?(?:topics?|length|format|formatting|style|word count|budget|time|colou?rs?|order|genre)\b/gi,
];
