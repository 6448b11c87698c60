import { decodePercent } from '../../facts/decode.ts';
import type { Parameter } from '../../facts/event-facts.ts';
import type { ToolFacts } from '../../facts/tools.ts';
import { type Action, actionDetector } from './action.ts';
import { isOwnText } from './own-texts.ts';

/** A value that would end the command it is put into and begin another one. */
export const commandInjection = actionDetector({
  id: 'command_injection',
  version: 7,
  severity: 'high',
  title:
    'Passes a value that would break out of a command and run another, or a piece of a command that only makes sense so.',
  kinds: ['command_injection.*'],
  falsePositives: ['searching for texts about injection', 'a command that was cut off in the middle'],
  find({ facts, allowance }, found) {
    if (facts.tool === undefined) return;
    let readCount = 0;
    for (const parameter of facts.parameters) {
      if (++readCount > PARAMETERS_MAX) return allowance.cut('command_injection', `parameters ${PARAMETERS_MAX}`);
      if (parameter.role === 'command') readCommand(parameter, facts.tool, found);
      else if (isOwnText(parameter, facts.tool) || writesCommand(parameter, facts.parameters)) continue;
      else if (mayBeTemplate(parameter, facts.tool) && runsCode(parameter.text))
        push(found, parameter, 'template', 'has a template run code', 0.85);
      else if (isReckoned(parameter, facts.tool) && ESCAPES.test(parameter.text))
        push(found, parameter, 'code', 'has what reckons, typesets or opens it run a command', 0.85);
      else if (isOption(parameter))
        push(found, parameter, 'argument', 'passes an option by which a program runs another', 0.85);
      else if (isTooLong(parameter)) allowance.cut('command_injection', `chars ${VALUE_CHARS_MAX}`);
      else if (mayCarry(parameter)) readValue(parameter, facts.tool, found);
    }
  },
});

/** Whether `parameter` writes a call as JSON, whose command is read by itself. */
function writesCommand({ isWritten, place }: Parameter, parameters: readonly Parameter[]): boolean {
  return isWritten && parameters.some((each) => each.place === place && each.role === 'command');
}

const PARAMETERS_MAX = 128;
/** UTF-16 code units of a value that are read. What is longer is a text rather than a value. */
const VALUE_CHARS_MAX = 1_024;

const TEXT_KEYS =
  /^(?:content|contents|newstring|oldstring|newstr|oldstr|newtext|oldtext|filetext|body|prompt|title|subject|description|instruction|instructions|message|messages|patch|diff|edits|code|script|source|template|html|markdown|explanation|thought|reason|pattern|regex|regexp|format|expression|formula|function|equation|text|note|notes|comment|summary)$/;

/** A value that is not read. Texts and code under their own keys are no values in the first place. */
function isTooLong(parameter: Parameter): boolean {
  return parameter.text.length > VALUE_CHARS_MAX && isValue(parameter);
}

function mayCarry(parameter: Parameter): boolean {
  const { key, text } = parameter;
  return isValue(parameter) && (SEPARATOR.test(text) || (HOST_KEYS.test(key) && /\s/.test(text)));
}

function isValue({ role, key }: Parameter): boolean {
  return role !== 'code' && role !== 'sql' && role !== 'command' && !TEXT_KEYS.test(key);
}

/** Whatever a text is called, whoever renders it runs what it holds, unless it is only written down. */
function mayBeTemplate({ role, key, text }: Parameter, { kind }: ToolFacts): boolean {
  return (
    role === 'text' &&
    !CODE_KEYS.test(key) &&
    /^(?:other|message|net)$/.test(kind) &&
    text.length <= VALUE_CHARS_MAX &&
    OPENS_TEMPLATE.test(text)
  );
}

/** What is not written down, and read by a tool of which nothing says that it runs code or keeps it. */
function isReckoned({ role, key, text }: Parameter, { kind }: ToolFacts): boolean {
  return (
    role === 'text' && !CODE_KEYS.test(key) && /^(?:other|message|net)$/.test(kind) && text.length <= ESCAPE_CHARS_MAX
  );
}

const ESCAPE_CHARS_MAX = 16_384;
/** By which TeX, the formulas of a table and an expression run a command. */
const ESCAPES =
  /\\(?:immediate\s{0,4}\\)?write18\s{0,4}\{|\\input\s{0,4}\{?\s{0,4}["']?\||^[=+@-]\s{0,4}(?:cmd|powershell|mshta|rundll32|msexcel|excel)\s{0,4}\||^[^\n]{0,256}(?:\b__import__\s{0,4}\(\s{0,4}["'](?:os|subprocess|pty|socket|builtins)["']\s{0,4}\)\s{0,4}\.|(?:^|[=(,]\s{0,4})os\.(?:popen|system)\s{0,4}\(\s{0,4}["'])/;

/** Options of programs that tools are put around, by which they run what the option says (Sonar, "Argument Injection Vectors"). */
const OPTION =
  /^\s{0,4}(?:--(?:upload-pack|receive-pack)=|--checkpoint-action=exec|-oProxyCommand=|--use-compress-program[= ]|--to-command=|--open-files-in-pager|--unzip-command|--pre-?exec[= ]|-OQueueDirectory=|ext::(?:sh|bash)\b)|\s--exec(?:=|\s{1,4}["'])/;

function isOption({ role, key, text }: Parameter): boolean {
  return (
    role !== 'code' &&
    role !== 'sql' &&
    text.length <= VALUE_CHARS_MAX &&
    (key === 'format' || !TEXT_KEYS.test(key)) &&
    OPTION.test(text)
  );
}

/** What is about code as often as it is code. */
const CODE_KEYS = /^(?:body|content|contents|code|markdown|description|comment|patch|diff|newstring|oldstring)$/;
const OPENS_TEMPLATE = /\{\{|[$#]\{|<%|<#|#set\b/;

const SEPARATOR = /[;|&`\n\r]|\$[({]|%0[ad]|%3b|%7c|%26|%60|\\n|\(\)\s?\{|\{\{|#\{|<%=|<[?!]|\)\(|\w\s?\(\s?['"$)]/i;

const push = (found: Action[], { place, text }: Parameter, kind: string, what: string, confidence: number): void => {
  found.push({ kind: `command_injection.${kind}`, what, confidence, origin: { place, start: 0, end: text.length } });
};

const SHELLSHOCK = /\(\)\s{0,8}\{\s{0,8}[^}\n]{0,64};?\s{0,8}\}\s{0,8};/;
/** What cannot begin a script: the end of the command that it is to be put behind. */
const LEADING =
  /^\s{0,8}(?:["')\]]{0,3}\s{0,4}(?:;(?!;)|\|(?!\|?\s*$)|&(?![>&]?\s*$)(?!>))|\\[nr](?:\/|[a-z]{2,}|\\(?:033|x1b|e)\b|\\[nr]$|$)|%0[ad]|%27|%22|%3b|%7c|%26)/i;
/** How PowerShell runs a program whose path is quoted or in a variable. */
const CALL = /^\s{0,8}&\s{0,4}(?:["'](?:[a-z]:|[$.%\\])|\$\w|\.[\\/]|\()/i;
const POWERSHELL = /powershell|pwsh/i;
/** Where nothing but PowerShell is read, a script may begin with a call of anything, or with a text that is handed on. */
const CALL_OR_TEXT = /^\s{0,8}(?:&\s{0,4}["'\w{][^;]*$|(?:''|"")\s{0,4}\|)/;
/** The same of a text that only PowerShell can mean, whatever the tool is called. */
const CALL_PIPED = /^\s{0,8}&\s{0,4}[a-z][\w.-]{1,64}\s[^\n|;&]{1,256}\|\s{0,4}invoke-expression\s{0,4}$/i;
const QUOTED_LEADING = /^["'](?:\s{0,4}[;|&\n]|\\n)[^"'\n]{0,512}(?:["']|$)/;
/** One bare word between two separators: `a;id|`. Whatever else ends with a pipe was cut off, and runs nothing. */
const TRAILING = /^[^\s|;&]{0,128}[;|&]{1,2}[^\s|;&]{1,64}\|\s{0,4}$|^["'`]{1,2}$|^[|&;]{1,2}\s*$/;
const ONLY_SUBSTITUTION =
  /^\s{0,4}(?:\$\(`?|`)\s{0,4}(?:\/\S{1,32}\/)?(?:id|whoami|uname|hostname|ping|sleep|curl|wget|nc|nslookup|dig|cat \/|ls \/|ifconfig|netstat|rm|bash|sh|python\d?|perl|touch \/|reboot|shutdown)\b[^`()]{0,200}(?:`?\)|`)\s{0,4}$/;
/** A substitution within a substitution and nothing else, or a quote that closes what was never opened. */
const NESTED_OR_OPEN = /^\s{0,4}\$\(\s{0,4}`[^`\n]{1,200}`\s{0,4}\)\s{0,4}$|^\s{0,4}["']\s{1,4}[a-z][^"'\n]{0,200}$/i;
const CODE =
  /^[\s;:|&'")}\]]{0,8}(?:<\?php|<!--#exec|&lt;!--#exec|<%|[\s%\d]{0,4}\{?\$\{@?(?:print|system|eval|phpinfo|exec|sleep|passthru)\b|\{[%#]|@?(?:system|shell_exec|passthru|eval|exec|popen|proc_open|pcntl_exec|assert|phpinfo|phpversion|include|require)\s{0,4}\(|\{\{|__import__\(|require\('child_process'\)|process\.mainModule|<script)/i;
const CLOSES_BRACKET =
  /^[a-z0-9]{1,16}\)\s{0,4}[;|&]|^[a-z$*]\s{0,2}[;|&]{1,2}\s{0,2}(?:\/usr\/bin\/|\/bin\/)?(?:id|ls|whoami|cat|uname|pwd)\b|^\w{0,16}\*\s{0,2}[;|&]/i;
/** An address where a command begins, and a command behind it: what was to be one word of another command. */
const ADDRESS_FIRST =
  /^\s{0,4}(?:\d{1,3}(?:\.\d{1,3}){3,5}|::1|localhost|(?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|edu|gov|local|internal))(?::\d{1,5})?\s{0,4}(?:;|\|\|?|&&?)\s{0,4}[\w$`{\\/'"]/i;
/** A comment behind a blank that only a shell reads as one, in front of a quote: one value for every place it may be put in. */
const FOR_ANY_PLACE = /[;|&`)]#\$\{IFS\}['"]/;
const ODD_ENCODING = /%(?:0a|0d|3b|7c|26%26|60|24%28)/i;
const FUNCTION_HEAD = /^\s{0,4}:?\s?\(\)\s?\{/;

/** A whole command of a shell tool that is not one by itself. */
function readCommand(parameter: Parameter, { name }: ToolFacts, found: Action[]): void {
  const head = parameter.text.slice(0, VALUE_CHARS_MAX);
  const short = parameter.text.length <= VALUE_CHARS_MAX;
  if (SHELLSHOCK.test(head) && !/^\s{0,8}:?\s{0,2}\w/.test(head) && !isForkBomb(head)) {
    return push(found, parameter, 'shellshock', 'passes a function that runs a command when it is read', 0.95);
  }
  const isCall = CALL.test(head) || CALL_PIPED.test(head) || (POWERSHELL.test(name) && CALL_OR_TEXT.test(head));
  if ((LEADING.test(head) || QUOTED_LEADING.test(head)) && !isCall) {
    return push(found, parameter, 'separator', 'begins where another command was to end', 0.88);
  }
  if (CODE.test(head))
    return push(found, parameter, 'code', 'passes code of another language that runs a command', 0.8);
  if (CLOSES_BRACKET.test(head))
    return push(found, parameter, 'separator', 'closes a bracket that it never opened', 0.8);
  if (ADDRESS_FIRST.test(head) || FOR_ANY_PLACE.test(head))
    return push(
      found,
      parameter,
      'separator',
      'gives an address where a command begins, and another command behind it',
      0.85,
    );
  if (!short) return;
  if (TRAILING.test(head)) return push(found, parameter, 'separator', 'ends where another command was to go on', 0.72);
  if (NESTED_OR_OPEN.test(head))
    return push(found, parameter, 'substitution', 'breaks out of a place within another command', 0.75);
  if (ONLY_SUBSTITUTION.test(head)) return push(found, parameter, 'substitution', 'runs what a command writes', 0.72);
  if (ODD_ENCODING.test(head) && KNOWN_BEHIND.test(decodePercent(head).text)) {
    push(found, parameter, 'separator', 'hides where a command ends', 0.85);
  }
}

function isForkBomb(text: string): boolean {
  return /\|\s{0,4}\S{1,32}\s{0,4}&/.test(text) || FUNCTION_HEAD.test(text.replace(/\{[^}]{0,200}\}/, ''));
}

const COMMANDS =
  'id|whoami|uname|cat|ls|pwd|ping6?|curl|wget|nc|ncat|netcat|bash|sh|zsh|dash|ksh|python[\\d.]*|perl|ruby|php|node|sleep|echo|printf|nslookup|dig|host|touch|rm|mkdir|chmod|chown|ifconfig|ipconfig|netstat|ps|env|printenv|dir|type|net|netsh|reg|powershell|pwsh|cmd|certutil|head|tail|tac|nl|more|less|grep|find|base64|xxd|eval|exec|kill|shutdown|reboot|useradd|telnet|ftp|tftp|socat|awk|sed|systeminfo|hostname|timeout|mail|which|w|who|sudo|su|crontab|cd|iex|iwr|irm|getent|vi|vim|nmap|rsync|xargs|lsof|traceroute|dmesg|lastlog|wmic|cscript|mshta|rundll32|regsvr32|bitsadmin|schtasks|findstr|xcopy|systemctl|kubectl|ssh|scp|tee|tasklist|ver|vol|sysinfo|phpinfo|set|export|busybox|lynx|gcc|mknod|mkfifo|openssl';
/** Blanks as commands are given without them. */
const BLANK = '(?:[\\s,+<]|\\$\\{?IFS\\}?(?:\\$?\\d|\\$@)?|%20|%09|\\{)';
const ARGUMENT =
  '(?:-{1,2}[a-z]|\\/(?:[\\w*?.$-]|[\\s;|&]|$)|\\.{1,2}\\/|~|\\\\\\\\|[a-z]:[\\\\/]|\\$|\\d|https?:|"|\'|[\\w.-]{1,64}\\.(?:com|net|org|io|sh|php|txt|conf|me|site|py)\\b|etc\\b|user\\b|localgroup\\b|%\\w)';
const PREFIX = '(?:\\$?[\'"]?|\\/(?:usr\\/)?(?:local\\/)?s?bin\\/|\\{|%20){0,3}';
/** A separator, a command that is known, and something that makes it one rather than a word. */
const KNOWN_BEHIND = new RegExp(
  `(?:[;|&\`\\n\\r]|\\$\\(|\\\\n|%0[ad]|[<>]\\()[\\s;|&]{0,6}${PREFIX}(?:${COMMANDS})(?:['"\`)};|&#]|\\s{0,4}>{1,2}\\s{0,2}/(?:tmp|dev|etc|var|home|root|www|opt|usr|srv)\\b|\\s{0,4}$|\\s{0,4}[;|&\`)\\n#]|${BLANK}{1,4}${ARGUMENT})`,
  'i',
);
/** Looks a name up that somebody else answers for; changes Windows' accounts and registry; shows a file of a drive. */
const CALLS_HOME =
  /(?:[;|&]|\$\()[\s;|&]{0,6}(?:(?:nslookup|dig|ping6?|curl|wget)(?:\s{1,4}[-+]\w{1,8}(?:\s\d{1,4})?){0,3}\s{1,4}["']?(?:https?:\/\/)?[\w-]{1,63}\.[\w.-]{1,190}["']?\s{0,4}(?:[;|&#)]|$)|net1?(?:\.exe)?\s{1,4}(?:user|localgroup|group|share)\s{1,4}(?:[^\s/]{1,64}\s{1,4}){1,4}\/[a-z]{3,16}\b|reg(?:\.exe)?\s{1,4}(?:add|delete|query|save|export)\s{1,4}["']?hk|type\s{1,4}["']?[a-z]:[\\/])/i;
/** It closes a quote in front of a command, and keeps what was to follow out of it. */
const BREAKS_OUT = /^[^"'\n]{0,128}["'][^;|&\n]{0,64}[;|&\n].{0,512}(?:#|["'])\s{0,4}$/s;
/** Commands that are words of a language: they count only with something that is none. */
const ORDINARY =
  /[;|&]\s{1,4}(?:find|host|type|more|less|mail|set|head|tail|which|who|kill|touch|sleep|export|net|ping|cat|time|ver|w|exec)(?:\s{0,4}(?:[;|&]|$)|\s{1,4}(?![-/~$\\.]|\d|\S*\.(?:com|sh|txt|php)))/i;

/** Keys whose value is one name or address: no blanks, and nothing that a shell reads as its own. */
const NAME_KEYS =
  /^(?:host|hostname|domain|ip|ipaddress|address|addr|server|target|file|filename|filepath|path|dir|directory|folder|branch|ref|tag|commit|revision|repo|repository|package|pkg|module|user|username|login|account|email|id|[a-z]{2,24}id|port|interface|device|service|container|image|version|extension|tz|timezone|locale|lang|language|currency|country|region|zone|color|colour|size|width|height|quality|codec|printer|queue|encoding|charset)$/;
/** One word or none, where the command that it is put into ends, and what only makes sense as the next one. */
const NEXT_COMMAND =
  /^[^\s;|&`]{0,128}\s{0,4}(?:[;|\n]|\|\||&&)[\s;|&]{0,4}(?:["']?[\w.\\-]{1,32}["']?(?:\s{1,4}-{1,2}[a-z]|\s{1,4}\/\w|\s{0,4}<<<|\s{1,4}[\\'"]{1,2}!)|\$\{?[a-z_]\w{0,31}\}?\s{1,4}\S|`|\.{0,2}\/\S{1,64}\s{1,4}\S|\(\w{1,16}\)\s{0,4}\d?>|trap\s{1,4}['"])/i;
/** Keys of machines and their ports, of which a list has one word each. */
const MACHINE_KEYS = /^(?:host|hostname|domain|ip|ipaddress|addr|server|target|port|interface)$/;
/** A command and what it is given, where one word belongs. */
const COMMAND_ALONE = new RegExp(
  `^\\s{0,4}(?:/(?:usr/)?(?:local/)?s?bin/)?(?:${COMMANDS}|gunzip|zcat|strace|unxz)\\s{1,4}(?:-{1,2}[a-z]\\w{0,12}\\s{1,4})?(?:/(?:etc|bin|tmp|proc|var|dev|root|home|usr)\\b|~/|[a-zA-Z]:[\\\\/]|https?:|sh\\s|-c\\s)`,
);
/** Keys of one machine, and of nothing that is built, clicked or run. */
const HOST_KEYS = /^(?:host|hostname|domain|ip|ipaddress|address|addr|server|remotehost)$/;
const ANY_NEXT_COMMAND = /^[\w.:[\]-]{1,255}\s{0,4}(?:[;|\n]|&&?)\s{0,4}[\w./-]{1,64}\s{1,4}[^\s;|&]/;
/** A command whose letters are kept apart so that no filter sees it: `c$@at`, `c''at`, `/b?n/c\at`. */
const BROKEN_WORD =
  /(?:[;|\n]|&&?)[\s+]{0,4}(?:\/[\w?*./]{0,32}\/)?\w{0,16}(?:\w\$[@!*?$_-]\w|\w\\[a-z]|\w(?:''|"")\w|\/\w{0,8}[?*]\w{0,8}[\s+]{1,4}\/)|(?:[;|\n]|&&)[\s+]{0,4}(?:\/[\w?*./]{0,32}\/)?\w{0,16}'\w{1,4}'\w/i;
/** Windows' loop over what a command writes. */
const LOOP =
  /(?:^|[;|&\n])\s{0,4}for\s{1,4}(?:\/[fdrl]\s{1,4}(?:\\?"[^"]{0,64}"\s{1,4})?)?%{1,2}\S{1,16}\s{1,4}in\s{0,4}\(/i;
/** A substitution, or a variable that is cut to what is left of it. jQuery's and make's brackets are none. */
const SUBSTITUTED =
  /\$\((?!(?:[A-Z_]+|document|window|this|pwd|git rev-parse [^)]{0,64}|date[^)]{0,64}|["'.#][^)]{0,64})\))|\$\{(?:[!#]|\w{1,32}(?:[#%^]|\/[^}]))|(?:;|&&)\s{0,4}\$[A-Za-z_]\w{0,15}(?:\$\w|\s{1,4}\S)/;
/** A call of what runs code or a command, in a language that a template or a page may be of. */
const CODE_CALL =
  /^[\s;|&'")}\]]{0,8}(?:@|os\.|subprocess\.)?(?:system|shell_exec|passthru|popen|proc_open|pcntl_exec|phpinfo|eval|exec|assert|check_output|__import__)\s{0,4}\(\s{0,4}(?:["'$][^\n]{0,512}\)|\))/i;
/** Code that a page or a template runs where a value is shown, and a call of a command behind what closes a value. */
const CODE_ALONE =
  /^(?:[\w.:/-]{1,64}(?=[;|&'")}\]<{$]))?(?:[\s'")}\]]{0,8}(?:<\?php\s{1,8}[^?]{0,64}\b(?:system|shell_exec|passthru|exec|popen|eval)\s{0,4}\(|<!--#exec\s{1,8}cmd|[\s%\d]{0,4}\{?\$\{@?(?:print|system|eval|phpinfo|exec|sleep|passthru)\s{0,4}\()|['")}\]]{0,4}\s{0,4}(?:;|\|\|?|&&?)\s{0,4}@?(?:system|shell_exec|passthru|eval|exec|popen|phpinfo|phpversion)\s{0,4}\((?:["'$][^\n]{0,512})?\)\s{0,4};?\s{0,4}(?:\/\/|#|--)?\s{0,4}$)/i;
/** A template that reckons, to see whether it is run, or that reaches for what it was not given. */
const TEMPLATE =
  /(?:\{\{|[$#]\{|<%=)\s{0,4}(?:["']?\d{1,8}["']?\s{0,2}\*\s{0,2}["']?\d|[^{}\n]{0,128}(?:__(?:class|globals|subclasses|mro|builtins|import)__|getRuntime\b|T\(java\.|freemarker\.template|\bgetClass\(|child_process|_self\.env|\brequire\(|constructor\.constructor|\bcycler\b|lipsum\.))|<#assign\s[^<>\n]{0,64}freemarker\.template|<%=?\s{0,4}(?:`|system\b|exec\b|IO\.|File\.|Dir\.|Kernel\.|Runtime\b)|#set\s{0,4}\([^\n]{0,512}(?:getClass\(|\.class\b)/i;
/** The end of a predicate of an XPath, and another path behind it. */
const XPATH =
  /^[^\s[\]]{0,128}["']\s{0,4}\]\s{0,4}(?:\||\/\/|\/parent|\/ancestor)|["']\s{0,4}or\s{1,4}(?:count|string-length|substring|name)\s{0,4}\(\s{0,4}\/\/|(?:text\(\)|@\w{1,32})\s{0,4}=\s{0,4}''\s{1,4}or\s{1,4}'/i;
/** Whose password begins with what: nobody looks for that. */
const ASKS_PASSWORDS = /\(userPassword=[^()]{0,64}\*\)/i;
/** A filter of a directory as a whole, which begins as one. */
const FILTER = /^\s{0,8}\((?:[&|!]\s{0,4}\(|[\w;.-]{1,64}[<>~]?=)/;
/** The end of one condition of an LDAP filter and the begin of another. */
const LDAP =
  /^[\w.@*-]{0,64}\)\(\s{0,4}[|&!]\s{0,4}\(\s{0,4}[\w;.-]{1,64}=|\)\(&\)|\(userPassword=\*\)|\*?\)\(\s{0,4}[|&!]?\s{0,4}\(?\s{0,4}(?:uid|cn|sn|mail|objectclass|userpassword|samaccountname|memberof|user|password)\s{0,4}=/i;
/** What a logger looks up, and runs. */
const LOOKED_UP = /\{\s{0,4}jndi:|(?:\$\{[^{}\n]{0,32}[:-][a-z:]\}[a-z:]{0,6}){2}/i;

function readValue(parameter: Parameter, tool: ToolFacts, found: Action[]): void {
  const { text } = parameter;
  const decoded = plain(text);
  if (parameter.role === 'url' && isCommandBehindValue(text))
    return push(found, parameter, 'separator', 'puts a command of its own into a value of an address', 0.85);
  if (SHELLSHOCK.test(decoded))
    return push(found, parameter, 'shellshock', 'passes a function that runs a command when it is read', 0.95);
  if (/\$\{?IFS\}?/.test(decoded))
    return push(found, parameter, 'separator', 'writes blanks as only a shell reads them', 0.9);
  if (LOOKED_UP.test(decoded) && !PROSE.test(decoded))
    return push(found, parameter, 'code', 'has a logger fetch and run code', 0.9);
  if (runsCode(decoded)) return push(found, parameter, 'template', 'has a template run code', 0.85);
  if (XPATH.test(decoded) && !PROSE.test(decoded))
    return push(found, parameter, 'xpath', 'breaks out of a query for a document', 0.8);
  if (LDAP.test(decoded) && (!FILTER.test(decoded) || ASKS_PASSWORDS.test(decoded)))
    return push(found, parameter, 'ldap', 'breaks out of a filter for a directory', 0.85);
  const seen = inName(parameter, decoded);
  if (seen !== undefined) return push(found, parameter, seen[0], seen[1], 0.85);
  if (CALLS_HOME.test(decoded) && !PROSE.test(decoded) && (parameter.role !== 'url' || /[;|&] /.test(text)))
    return push(found, parameter, 'separator', 'puts a command of its own into a value', 0.85);
  // Of an address the values were read one by one.
  const match = KNOWN_BEHIND.exec(parameter.role === 'url' ? plain(text.split('?', 1)[0] as string) : decoded);
  if (match === null) return;
  if (parameter.role === 'url' && /^&(?!&? )/.test(match[0])) return;
  // `$(pwd)/plan.md` is how a shell's user names what lies here.
  if (match[0] === '$(pwd)' && decoded[match.index + match[0].length] === '/') return;
  if (match[0].startsWith('|') && ALTERNATIVES.test(decoded) && SEEKS.test(tool.name)) return;
  const before = decoded.slice(0, match.index);
  const quoted = match[0].startsWith('`') && wordsOutside(decoded) > 0;
  const breaksOut = BREAKS_OUT.test(decoded);
  const prose = !breaksOut && (quoted || ORDINARY.test(decoded) || /^(?:\S+\s+){6}/.test(before));
  push(
    found,
    parameter,
    /^[`$]/.test(match[0]) ? 'substitution' : 'separator',
    'puts a command of its own into a value',
    prose ? 0.5 : 0.85,
  );
}

/** `?host=10.0.0.7%3Bid`: of each value of an address what its encoding hides. */
function isCommandBehindValue(address: string): boolean {
  const at = address.indexOf('?');
  return (
    at >= 0 &&
    address
      .slice(at + 1)
      .split('&')
      .some(isCommandBehind)
  );
}

function isCommandBehind(part: string): boolean {
  const equals = part.indexOf('=');
  const value = part.slice(equals + 1);
  if (!ENCODED_SEPARATOR.test(value)) return false;
  const text = plain(value);
  const match = KNOWN_BEHIND.exec(text);
  if (match === null || ORDINARY.test(text)) return false;
  const before = text.slice(0, match.index);
  if (/^(?:\S+\s+){4}/.test(before)) return false;
  if (match[0].startsWith('`')) return wordsOutside(text) === 0;
  // "B&W", "sed | awk": a command that is given nothing is one behind an address or behind nothing, or by its path.
  if (match[0].startsWith('&') && !GIVEN.test(match[0])) return false;
  return (
    WITH_ARGUMENT.test(match[0]) ||
    HOST_KEYS.test(part.slice(0, Math.max(0, equals))) ||
    /^(?:[\d.:]{1,40}|[\w.-]{0,64}\.[a-z]{2,10})?\s{0,4}$/i.test(before)
  );
}

const ENCODED_SEPARATOR = /[;|`\n]|\$\(|\\n|%(?:0a|0d|3b|7c|26|60|24%28|24\()/i;
/** Something that is no word of a name, which it is given. */
const GIVEN = /\w[\s+<{]{1,4}(?:[-/~$.\\"']|https?:)/;
/** A substitution, a path in front of it, or something that it is given. */
const WITH_ARGUMENT = /^(?:\$\(|\n)|^[^\w$]{0,8}\/(?:usr|s?bin)|\w[\s+<{]{1,4}\S|\$\{?IFS/i;

function runsCode(text: string): boolean {
  return TEMPLATE.test(text) && wordsOutside(text) < 3;
}

/** What no name or address holds, whichever command it is. */
function inName({ key, role }: Parameter, text: string): [kind: string, what: string] | undefined {
  if (LOOP.test(text)) return ['separator', 'puts a loop over commands into a value'];
  if (role === 'url') return undefined;
  if (CODE_ALONE.test(text) && !PROSE.test(text)) return ['code', 'has code that runs a command for a value'];
  if (!NAME_KEYS.test(key) || PROSE.test(text)) return undefined;
  if (CODE_CALL.test(text)) return ['code', 'puts code that runs a command into a name'];
  if (NEXT_COMMAND.test(text) || (MACHINE_KEYS.test(key) && ANY_NEXT_COMMAND.test(text)))
    return ['separator', 'ends a command within a name and begins another'];
  if (HOST_KEYS.test(key) && COMMAND_ALONE.test(text)) return ['separator', 'puts a command in the place of a machine'];
  if (BROKEN_WORD.test(text)) return ['separator', 'puts a command that is broken up against filters into a name'];
  return SUBSTITUTED.test(text) || (SPAN.test(text) && wordsOutside(text) < 2)
    ? ['substitution', 'puts what a command writes into a name']
    : undefined;
}

/** What Markdown sets apart as code, and a shell runs. */
const SPAN = /`[^`\n]{0,256}`/;

/** How many words stand around what is between backticks: who writes about a command uses some. */
function wordsOutside(text: string): number {
  return text.replace(/`[^`\n]{0,256}`/g, ' ').match(/(?<![^\s(])\p{L}{2,}[,.:]?(?!\S)/gu)?.length ?? 0;
}

/** What a search looks for in texts: words, or what stands for some, apart by `|` and by nothing else. */
const ALTERNATIVES = /^[\w.*+?^()\\[\]-]{1,64}(?:\|[\w.*+?^$()\\[\]-]{1,64}){1,32}$/;
const SEEKS = /grep|search|\brg\b/i;

/** Words of a language, of which some programs take a text under any key. */
const PROSE = /^(?:[\p{L}'’-]+[,:]?\s+){3}/u;

/** Without the encodings of a URL, up to two layers of them; `+` for blanks where there are no others. */
function plain(text: string): string {
  if (!/[%+]/.test(text)) return text;
  let decoded = text;
  for (let layer = 0; layer < 2 && decoded.includes('%'); layer++) decoded = decodePercent(decoded).text;
  return /\s/.test(decoded) || !/[+][;|&]|[;|&][+]/.test(decoded) ? decoded : decoded.replaceAll('+', ' ');
}
