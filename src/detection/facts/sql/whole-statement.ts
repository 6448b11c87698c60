/** Code units of a text that are looked at: of a longer one nobody can tell. */
const CHARS_MAX = 32_768;

/** What is no part of how a statement is made: comments that end in it, literals and quoted names. */
const SET_APART = /--[^\n]*\n|\/\*[^*]{0,400}\*\/|'[^']*'|"[^"]*"|`[^`]*`|(?<![\w\])])\[[^\][]{0,128}\]/g;
/** Stands for a literal or a quoted name. */
const QUOTED = '\uFFFC';
/** A quote that nothing closes, that ends in the middle of a word, or a comment that goes on to the end: a value may have put it there. */
const CUT = /['"`]|--|\/\*|\*\/|\uFFFC\w|(?:^|[^\W\d_]{2}|[\d_)])\uFFFC/;
/** What a statement waits with or reaches beside its rows is looked at as a value's too. */
const REACHES =
  /\b(?:waitfor|sleep|pg_sleep|benchmark|dbms_\w{1,32}|utl_\w{1,32}|xp_\w{1,32}|load_file|(?:out|dump)file)\b/i;

const NAME = String.raw`(?:[\w#@$.\uFFFC]{1,128})`;
const NAMES = String.raw`${NAME}(?:\s{0,8},\s{0,8}${NAME}){0,32}`;
const END = String.raw`\s{0,8}(?:;|$)`;
const OBJECT =
  '(?:(?:materialized|external|temporary|temp|unique|clustered|or replace|server)\\s{1,8}){0,3}(?:table|view|index|schema|database|trigger|function|procedure|sequence|type|user|role|login|column|extension|policy|stage|audit|warehouse|system|task|event|package|synonym)';

/** Forms of whole statements, beyond their verb: a verb alone may begin any sentence. */
const FORMS = [
  String.raw`with\s{1,8}(?:recursive\s{1,8})?${NAME}\s{0,8}(?:\([^()]{0,400}\)\s{0,8})?as\s{0,8}\(`,
  String.raw`select\b[\s\S]*?(?:\bfrom\s{1,8}[\w#@$.\uFFFC(]|\w\s{0,4}\(|@@|\bcurrent_)`,
  String.raw`insert\s{1,8}(?:into|overwrite)\s{1,8}${NAME}[\s\S]{0,4096}?\b(?:values|select|default)\b`,
  String.raw`update\s{1,8}${NAME}(?:\s{1,8}(?:as\s{1,8})?${NAME})?\s{1,8}set\s{1,8}${NAME}\s{0,8}=`,
  String.raw`delete\s{1,8}from\s{1,8}${NAME}(?:\s{1,8}(?:as\s{1,8})?\w{1,64})?(?:\s{1,8}(?:where|using)\b|${END})`,
  String.raw`drop\s{1,8}${OBJECT}\s{1,8}(?:if\s{1,8}exists\s{1,8})?${NAMES}(?:\s{0,8}\([^()]{0,128}\))?(?:\s{1,8}on\s{1,8}${NAME})?(?:\s{1,8}(?:cascade|restrict|purge|force)){0,2}${END}`,
  String.raw`truncate\s{1,8}(?:table\s{1,8})?(?:if\s{1,8}exists\s{1,8})?${NAMES}(?:\s{1,8}(?:cascade|restrict|(?:restart|continue)\s{1,8}identity)){0,2}${END}`,
  String.raw`(?:create|alter)\s{1,8}${OBJECT}\s{1,8}(?:if\s{1,8}(?:not\s{1,8})?exists\s{1,8})?${NAME}[\s(]`,
  String.raw`(?:grant|revoke)\s{1,8}[\w\s,.*\uFFFC]{1,400}?\s(?:on|to|from)\s{1,8}${NAME}`,
  String.raw`merge\s{1,8}into\s{1,8}${NAME}[\s\S]{1,2048}?\busing\b`,
  String.raw`copy\s{1,8}(?:into\s{1,8})?(?:\(|(?!program\b)${NAME}\s)[\s\S]{0,2048}?\b(?:from|to)\s{1,8}(?:program\s{1,8})?[\uFFFC@(]`,
  String.raw`(?:exec|execute)\s{1,8}(?:@\w{1,64}\s{0,4}=\s{0,4})?(?:\w{1,64}\.){0,2}\w{1,128}(?:\s{1,8}[\uFFFC@\d]|${END})`,
  String.raw`call\s{1,8}${NAME}\s{0,8}\(`,
  String.raw`if\s{1,8}(?:not\s{1,8})?(?:object_id\s{0,4}\(|exists\s{0,4}\()`,
  String.raw`declare\s{1,8}@\w`,
  String.raw`explain\s{1,8}(?:analy[sz]e\s{1,8})?(?:select|with|update|delete|insert)\s`,
  String.raw`begin\s{0,8}(?:;|tran\w{0,8}\s{0,8};)`,
];
const WHOLE = new RegExp(String.raw`^[\s(;]{0,64}(?:${FORMS.join('|')})`, 'i');

/** Whether `text` is a whole statement, or several, by more than its first word. A value that breaks out of one of somebody else's is none. */
export function isWholeStatement(text: string): boolean {
  if (text.length > CHARS_MAX) return false;
  const bare = text.replace(SET_APART, (part) => (/^(?:--|\/\*)/.test(part) ? ' ' : QUOTED));
  return !CUT.test(bare.replaceAll(PREFIXED, QUOTED)) && !REACHES.test(bare) && WHOLE.test(bare.trim());
}

/** How a literal is written stands in front of it: `N'…'`. */
const PREFIXED = /(?<!\w)(?:[nebx]|u&)\uFFFC/gi;
