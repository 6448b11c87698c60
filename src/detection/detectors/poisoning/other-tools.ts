/** Names of tools as programs write them: no word of a sentence looks like that. */
const NAME = String.raw`[\`'"]?(?:[a-z][a-z0-9]{0,31}(?:[_.-][a-z0-9]{1,31}){1,8}|[a-z]{1,31}(?:[A-Z][a-z0-9]{1,31}){1,8})[\`'"]?`;
/** The same, or any word that is called a tool. */
const TOOL = String.raw`(?:the |any )?(?:${NAME}(?: (?:tool|function|api|method))?|[\`'"]?(?!this\b|the\b|other\b|an?\b)[a-z]{2,31}[\`'"]? (?:tool|function))`;
const GAP = String.raw`[^.!?\n]`;
/** What no tool needs to have been done first, other than a call that gives it an id. */
const DEED = 'read|open|execute|run|cat|display|show|print|say|tell|send|forward|visit|download|install';

const FIRST = new RegExp(
  `\\b(?:[Bb]efore|[Pp]rior to|[Ww]hen(?:ever)?|[Aa]fter|[Ee]ach time|[Ee]very time)\\b${GAP}{0,24}\\b(?:calling|using|invoking|running|executing|accessing|you (?:call|use|invoke|run))\\s${TOOL}${GAP}{0,64}\\b(?:must|always|need to|have to|required to|should|please)(?: \\w{1,12}){0,2} (?:${DEED})\\b`,
);
const EVERY_CALL = new RegExp(
  `\\b(?:[Ee]very|[Ee]ach|[Aa]ll|[Aa]ny)\\s(?:calls? (?:to|of) )?${NAME} ?(?:calls?|requests?|invocations?)?${GAP}{0,64}\\b(?:must|MUST|has to|have to|should)\\b`,
);
const CHANGED = new RegExp(
  `\\b[Tt]he (?:${NAME}(?: (?:tool|function))?|(?!this\\b|other\\b)[a-z]{2,31} tool) (?:has been|have been|was|is now) (?:\\w{2,16} )?(?:upgraded|enhanced|optimi[sz]ed|modified|patched|reconfigured|compromised|redirected|rerouted)\\b`,
);
const IN_PLACE =
  /\buse this (?:tool|function) (?:rather than|instead of|in place of) (?:any |all |the )?others?\b|\b(?:modify|replace|overwrite|falsify|alter) the (?:\w{1,16} )?(?:results?|outputs?|answers?) of (?:the )?[`'"]?[\w.]{2,48}[`'"]? (?:tool|function)\b/i;
const WHATEVER_USERS_SAY =
  /\bregardless of (?:what )?(?:the )?users?(?:'s?)? (?:input|requests?|choices?|preferences?|instructions?|says?|asks?|wants?|specif\w{2,5})\b|\bwhen(?:ever)? users? (?:search|ask|request|quer|look)\w{0,4}\b[^.!?\n]{0,64}\bautomatically (?:redirect|replace|change|substitute|overrid)/i;
/** Code units behind the start of a piece that are read for it: a sentence, whatever parts it. */
const SENTENCE_CHARS = 320;

/** Whether the sentence of `text` that begins at `start` says what is to be done at calls of other tools, or whatever users say. */
export function meddles(text: string, start: number): boolean {
  const said = text.slice(start, start + SENTENCE_CHARS);
  return (
    (/tool|function|[a-z][_.-][a-z]|[a-z][A-Z]/.test(said) &&
      (FIRST.test(said) || EVERY_CALL.test(said) || CHANGED.test(said) || IN_PLACE.test(said))) ||
    WHATEVER_USERS_SAY.test(said)
  );
}

const COMMAND =
  /\b(?:must|have to|need to|required to|first|always)\b[^.!?\n]{0,24}\b(?:execute|run)\b[^.!?\n]{0,16}\bfollowing (?:\w{2,12} )?commands?\b/i;

/** Whether the sentence has a command run that stands in the description: what a tool needs it runs by itself. */
export function hasCommandRun(text: string, start: number): boolean {
  return COMMAND.test(text.slice(start, start + SENTENCE_CHARS));
}
