/** Names of tools as programs write them: no word of a sentence looks like that. */
const NAME = String.raw`[\`'"]?(?:[a-z][a-z0-9]{0,31}(?:[_.-][a-z0-9]{1,31}){1,8}|[a-z]{1,31}(?:[A-Z][a-z0-9]{1,31}){1,8})[\`'"]?`;
/** The same, or any word that is called a tool. */
const TOOL = String.raw`(?:the |any )?(?:${NAME}(?: (?:tool|function|api|method))?|[\`'"]?(?!this\b|the\b|other\b|an?\b)[a-z]{2,31}[\`'"]? (?:tool|function))`;
const GAP = String.raw`[^.!?\n]`;
/** What no tool needs to have been done first: to read a file by its place, to run, fetch or say something of the author's. */
const DEED = String.raw`(?:(?:read|open|cat|print|display|show|send|forward|include)\b${GAP}{0,32}(?:[~\s]\/[\w.-]|\.(?:bash|zsh|profile|env|ssh|aws|netrc|npmrc|git)|https?:|\b(?:message|text) ['"])|(?:execute|run)\b${GAP}{0,24}\b(?:command|script)\b|(?:visit|download|install)\b)`;

const FIRST = new RegExp(
  `\\b(?:[Bb]efore|[Pp]rior to|[Ww]hen(?:ever)?|[Aa]fter|[Ee]ach time|[Ee]very time)\\b${GAP}{0,24}\\b(?:calling|using|invoking|running|executing|accessing|you (?:call|use|invoke|run))\\s${TOOL}${GAP}{0,64}\\b(?:must|always|need to|have to|required to|should|please)(?: \\w{1,12}){0,2} ${DEED}`,
);
const EVERY_CALL = new RegExp(
  `\\b(?:[Ee]very|[Ee]ach|[Aa]ll|[Aa]ny)\\s(?:calls? (?:to|of) ${NAME}|${NAME} (?:calls?|requests?|invocations?))${GAP}{0,64}\\b(?:must|MUST|has to|have to|should)\\b[^.!?]{0,64}\\b(?:bcc|cc|recipient|forward\\w{0,3}|proxy|copy|copies|also send)\\b`,
);
const CHANGED = new RegExp(
  `\\b[Tt]he ${NAME} (?:tool|function) (?:has been|have been|was|is now) (?:\\w{2,16} )?(?:upgraded|enhanced|optimi[sz]ed|updated|modified|patched|reconfigured|compromised|redirected|rerouted)\\b[^]{0,240}\\b(?:must|automatically|regardless|instead of)\\b`,
);
const IN_PLACE =
  /\buse this (?:tool|function) (?:rather than|instead of|in place of) (?:any |all |the )?others\b|\b(?:modify|replace|overwrite|falsify|alter) the (?:\w{1,16} )?(?:results?|outputs?|answers?) of (?:the )?[`'"]?[\w.]{2,48}[`'"]? (?:tool|function)\b/i;
const WHATEVER_USERS_SAY =
  /\bregardless of (?:what )?(?:the )?users?(?:'s?)? (?:input|requests?|choices?|preferences?|instructions?|says?|asks?|wants?|specif\w{2,5})\b|\bwhen(?:ever)? users? (?:search|ask|request|quer|look)\w{0,4}\b[^.!?\n]{0,64}\bautomatically (?:redirect|replace|change|substitute|overrid)/i;
/** Who asks first does not act behind anybody's back. */
const ASKS = /\b(?:ask|confirm|approv|consent|permission)/i;
/** Code units behind the start of a piece that are read for what begins in it. */
const SENTENCE_CHARS = 400;

/** Whether the piece of `text` from `start` to `end` begins to say what is to be done at calls of other tools, or whatever users say. */
export function meddles(text: string, start: number, end: number): boolean {
  const said = text.slice(start, start + SENTENCE_CHARS);
  const begins = (pattern: RegExp): boolean => {
    const found = begun(pattern, said, end - start);
    return found !== undefined && !ASKS.test(found);
  };
  return (
    (/tool|function|[a-z][_.-][a-z]|[a-z][A-Z]/.test(said) &&
      (begins(FIRST) || begins(EVERY_CALL) || begins(CHANGED) || begins(IN_PLACE))) ||
    begins(WHATEVER_USERS_SAY)
  );
}

const COMMAND =
  /\b(?:must|have to|need to|required to)\b[^.!?\n]{0,24}\b(?:execute|run)\b[^.!?\n]{0,16}(?<!one of the )\bfollowing (?:\w{2,12} )?commands? to (?:verify|validate|authenticate|confirm|ensure|check|complete|unlock|enable)\b/i;

/** Whether the piece has a command run that stands in the description: what a tool needs it runs by itself. */
export function hasCommandRun(text: string, start: number, end: number): boolean {
  return begun(COMMAND, text.slice(start, start + SENTENCE_CHARS), end - start) !== undefined;
}

/** What `pattern` finds in `said`, where that begins within its first `chars`. */
function begun(pattern: RegExp, said: string, chars: number): string | undefined {
  const match = pattern.exec(said);
  return match === null || match.index >= chars ? undefined : match[0];
}
