/**
 * SQL read leniently: what a text would be to a database if it were put into a statement. Each token is one letter, so
 * that shapes of attacks are short patterns over a short text, whatever names, numbers and layout they come with.
 *
 * `1` number, variable, null, true · `s` string · `n` name · `f` function · `t` function that waits · `x` function that
 * fails on purpose · `m` what only an attacker asks for · `&` and, or, xor · `|` two bars · `o` comparison ·
 * `a` arithmetic · `U` union · `E` verb of a statement · `B` order by, group by, having, limit · `k` other keyword ·
 * `c` comment to the end of the line · `X` comment that MySQL runs · `(` `)` `,` `;` themselves
 */
export type TokenClass = string;

export interface Token {
  type: TokenClass;
  /** Lower case. */
  text: string;
  start: number;
  end: number;
}

export interface Tokens {
  tokens: readonly Token[];
  /** One letter for each. */
  classes: string;
  /** A comment in the middle of the text stood where others have a space. */
  commentsInside: number;
}

/** Tokens that are read of a text in one context. */
const TOKENS_MAX = 160;

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const LOGIC = set('and or xor');
const COMPARISONS = set('like rlike regexp between is in sounds similar glob ilike match contains overlaps');
/** Behind what they ask about; `isnull(` is a function. */
const POSTFIX = set('isnull notnull');
const ARITHMETIC = set('div mod collate');
const SIGNS = set('not binary');
const VALUES = set(
  'null true false unknown current_user session_user system_user current_date current_timestamp user_name localtime',
);
const UNIONS = set('union intersect');
const VERBS = set(
  'select insert update delete drop create alter truncate exec execute declare merge grant revoke shutdown',
);
const CLAUSES = set('having limit offset procedure rownum');
const KEYWORDS = set(
  'from where by as join on into values table case when then else end all distinct top if exists set using begin database schema cast convert delay print go with any some distinctrow unique escape interval for to into asc desc inner outer left right natural cross while return open fetch cursor',
);
const FUNCTIONS = set(
  'abs ascii asc avg connection_id bin ceil char chr char_length character_length coalesce compress concat concat_ws conv count crc32 curdate current_database current_schema database date db_name decode elt encode exists field floor format_mysql from_base64 greatest group_concat hex host_name id if ifnull iif instr isnull json_extract last_insert_id lcase least left len length locate lower lpad ltrim make_set max md5 mid min nchar now nullif nvl object_id object_name ord position quote quotename rand randomblob regexp_replace replace replicate reverse right round row row_count rpad rtrim schema sha sha1 sign sin sqlite_version str strcmp string_agg substr substring sum suser_name suser_sname tan to_base64 to_char trim typeof ucase unhex unicode unistr upper user user_id user_name uuid version xmlagg zeroblob query_to_xml col_name is_srvrolemember has_dbaccess pow power sqrt ln log cos tan pi mod least exp',
);
const WAITS = set(
  'sleep benchmark pg_sleep pg_sleep_for pg_sleep_until dbms_lock.sleep dbms_session.sleep dbms_pipe.receive_message randomblob get_lock generate_series sys.dbms_lock.sleep',
);
const FAILURES = set(
  'extractvalue updatexml gtid_subset gtid_subtract name_const geometrycollection multipolygon multilinestring linestring multipoint polygon utl_inaddr.get_host_name utl_inaddr.get_host_address ctxsys.drithsx.sn xmltype dbms_xmlgen.getxml dbms_utility.sqlid_to_sqlhash ordsys.ord_dicom.getmappingxpath json_keys st_latfromgeohash st_longfromgeohash st_pointfromgeohash dbms_xdb_version.checkin analyse',
);
const REACHES =
  /^(?:@@(?:version\w*|datadir|basedir|hostname|servername|tmpdir|global\.\w+|secure_file_priv|language|spid)|xp_\w+|(?:master|msdb)?\.*\.?(?:dbo\.)?(?:xp|sp)_\w+|\[?(?:master|msdb|model)\]?\.\.?\[?\w+\]?(?:\.\.?\w+)?|information_schema(?:\.\w+)*|(?:\w+\.\.?)?(?:sysobjects|syscolumns|sysdatabases|sysusers|syslogins|sysxlogins|sysprocesses|sysservers)|sys\.\w+(?:\.\w+)?|pg_catalog(?:\.\w+)*|pg_(?:shadow|user|database|tables|class|authid|read_file|ls_dir|stat_file|roles|proc|namespace|attribute)|sqlite_(?:master|schema|temp_master)|(?:all|user|dba)_(?:tables|users|tab_columns|objects|catalog|source|views|cons_columns|role_privs|sys_privs|data_files)|mysql\.(?:user|db|host|innodb_\w+)|msysobjects|msysaccessobjects|load_file|outfile|dumpfile|openrowset|opendatasource|utl_http\.request|utl_file\.\w+|utl_smtp\.\w+|dbms_\w+\.\w+|sys_eval|sys_exec|lo_import|lo_export|load_extension|v\$\w+|sysibm\.\w+|syscat\.\w+|rdb\$\w+|domain\.\w+|hversion|hash_password)$/;

const WORD = /[A-Za-z_\u0080-\uffff@$][\w$@.\u0080-\uffff]*|\[[^\]\n]{1,64}\](?:\.+[\w[\]]+)*/y;
/** A keyword that a variable follows without a space: `or@a`. */
const GLUED_KEYWORD = /^(?:and|or|xor|not|union|select|having|where|like|between)(?=@)/i;
const NUMBER = /0x[0-9a-fA-F]+|0b[01]+(?![\w])|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![A-Za-z_])/y;

const JSON_OPERATOR = /<@(?=[\s'])|#>>?|->>?|\?[|&]|\?(?=\s{0,4}')/y;
/** `::jsonb`: what a value is read as changes nothing of what is done with it. */
const CAST = /::\s{0,4}[a-z_]\w{0,31}(?:\[\])?/iy;

/** Reads `text` from `at` on. `quote`: the text comes behind a string that this quote has just ended. */
export function readTokens(text: string, at: number, quote: string): Tokens {
  return new Reader(text, at, quote).read();
}

class Reader {
  readonly #text: string;
  #at: number;
  readonly #tokens: Token[] = [];
  #classes = '';
  #commentsInside = 0;

  constructor(text: string, at: number, quote: string) {
    this.#text = text;
    this.#at = at;
    if (quote !== '') this.#push('s', Math.max(0, at - 1), at);
  }

  read(): Tokens {
    while (this.#at < this.#text.length && this.#tokens.length < TOKENS_MAX) this.#step();
    return { tokens: this.#tokens, classes: this.#classes, commentsInside: this.#commentsInside };
  }

  #push(type: TokenClass, start: number, end: number, text = ''): void {
    // A sign or `not` in front of a value changes nothing.
    const last = this.#classes.at(-1);
    if (type === 's' && last === 's' && this.#tokens.length > 1) return;
    this.#tokens.push({ type, text, start, end });
    this.#classes += type;
    this.#at = end;
  }

  #step(): void {
    const text = this.#text;
    const at = this.#at;
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 0xa0 || code === 0x5c) {
      this.#at++;
      return;
    }
    const char = text[at] as string;
    if (char === "'" || char === '"' || char === '\u2019' || char === '\u2018') return this.#string(char);
    if (char === '/' && text[at + 1] === '*') return this.#comment();
    if (char === '*' && text[at + 1] === '/') {
      this.#at += 2;
      return;
    }
    if (char === '-' && text[at + 1] === '-' && this.#endsLine(at + 2)) return this.#toLineEnd();
    if (char === '#' && this.#isHashComment(at)) return this.#toLineEnd();
    if (char === '`') return this.#quotedName();
    if (char === '@' && /[>?]/.test(text[at + 1] ?? '')) return this.#push('o', at, at + 2);
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text);
    if (number !== null) return this.#push('1', at, at + number[0].length, number[0].toLowerCase());
    WORD.lastIndex = at;
    const word = WORD.exec(text);
    if (word !== null) return this.#word((GLUED_KEYWORD.exec(word[0]) ?? word)[0].toLowerCase(), at);
    this.#symbol(char, at);
  }

  /** `--` begins a comment where no name follows: `a--b` and `-->` are none. */
  #endsLine(at: number): boolean {
    const next = this.#text[at];
    if (next === undefined || /[\s+!;'"#%/*\0]/.test(next)) return true;
    return /[s1)]/.test(this.#classes.at(-1) ?? '') && !/[\w>-]/.test(next);
  }

  /** `#` begins a comment for MySQL: behind a value, with nothing to read behind it, or with another line to come. */
  #isHashComment(at: number): boolean {
    const text = this.#text;
    if (!/[s1)fckUEBon&;]$|^$/.test(this.#classes) || text[at + 1] === '>') return false;
    return !/[\w'"]/.test(text[at + 1] ?? '') || text.indexOf('\n', at) > 0;
  }

  #toLineEnd(): void {
    const newline = this.#text.indexOf('\n', this.#at);
    this.#push('c', this.#at, newline < 0 ? this.#text.length : newline);
  }

  #string(quote: string): void {
    const text = this.#text;
    let end = this.#at + 1;
    for (; end < text.length; end++) {
      if (text[end] === '\\') end++;
      else if (text[end] === quote) {
        if (text[end + 1] !== quote) break;
        end++;
      }
    }
    const from = this.#at;
    const stop = Math.min(text.length, end + 1);
    this.#push('s', from, stop, text.slice(from + 1, Math.min(end, from + 64)).toLowerCase());
    this.#at = stop;
  }

  #quotedName(): void {
    const end = this.#text.indexOf('`', this.#at + 1);
    this.#push('n', this.#at, end < 0 ? this.#text.length : end + 1);
  }

  #comment(): void {
    const text = this.#text;
    const from = this.#at;
    const conditional = /^\/\*!\d{0,6}/.exec(text.slice(from, from + 10));
    if (conditional !== null) return this.#push('X', from, from + conditional[0].length);
    const end = text.indexOf('*/', from + 2);
    if (end < 0) return this.#push('c', from, text.length);
    this.#commentsInside++;
    this.#at = end + 2;
  }

  #word(word: string, at: number): void {
    const end = at + word.length;
    const call = this.#isCall(end);
    this.#push(this.#classOf(word, call), at, end, word);
  }

  #isCall(end: number): boolean {
    const text = this.#text;
    let at = end;
    while (at < text.length && at < end + 8 && text.charCodeAt(at) <= 32) at++;
    return text[at] === '(' || (text[at] === '/' && text[at + 1] === '*');
  }

  #classOf(word: string, call: boolean): TokenClass {
    if (LOGIC.has(word)) return '&';
    if (COMPARISONS.has(word) || (!call && POSTFIX.has(word))) return 'o';
    if (SIGNS.has(word)) return '!';
    if (call) {
      if (WAITS.has(word)) return 't';
      if (FAILURES.has(word)) return 'x';
      if (FUNCTIONS.has(word)) return 'f';
    }
    if (UNIONS.has(word)) return 'U';
    if (VERBS.has(word)) return 'E';
    if (word === 'order' || word === 'group')
      return /^[\s/*+]{1,16}by\b/i.test(this.#text.slice(this.#at + 5, this.#at + 24)) ? 'B' : 'n';
    if (CLAUSES.has(word)) return 'B';
    if (VALUES.has(word)) return '1';
    if (REACHES.test(word.startsWith('[') ? word.replaceAll(/[[\]]/g, '') : word)) return 'm';
    if (ARITHMETIC.has(word)) return 'a';
    if (KEYWORDS.has(word)) return 'k';
    return word.startsWith('@') ? '1' : 'n';
  }

  /** The length of what PostgreSQL compares JSON and lists by: `@>`, `<@`, `#>>`, `->`; `?` between two strings. */
  #jsonOperator(at: number): number {
    JSON_OPERATOR.lastIndex = at;
    const operator = JSON_OPERATOR.exec(this.#text)?.[0] ?? '';
    return operator !== '?' || this.#classes.endsWith('s') ? operator.length : 0;
  }

  #symbol(char: string, at: number): void {
    const two = this.#text.slice(at, at + 2);
    const json = this.#jsonOperator(at);
    if (json > 0) return this.#push('o', at, at + json);
    CAST.lastIndex = at;
    const cast = CAST.exec(this.#text);
    if (cast !== null) {
      this.#at = at + cast[0].length;
      return;
    }
    if (two === '&&') return this.#push('&', at, at + 2);
    if (two === '||') return this.#push('|', at, at + 2);
    if (two === '<>' || two === '<=' || two === '>=' || two === '!=' || two === ':=')
      return this.#push('o', at, at + 2);
    if ('=<>'.includes(char)) return this.#push('o', at, at + 1);
    if ('(),;'.includes(char)) return this.#push(char, at, at + 1);
    if ('+-*/%^&|'.includes(char)) return this.#push('a', at, at + 1);
    if (char === '!' || char === '~') return this.#push('!', at, at + 1);
    if (char === '{' || char === '}') {
      this.#at++;
      return;
    }
    this.#push('?', at, at + 1);
  }
}

/** The same letters with what does not change their meaning taken out: signs, conditional comments, sums, lists in brackets. */
export function folded(classes: string): string {
  return classes
    .replace(/[!X]/g, '')
    .replace(/(^|[&|oEUBk(,;a])a+/g, '$1')
    .replace(/1(?:a1)+/g, '1')
    .replace(/^ss+/, 's')
    .replace(/^;+(?=[&|])/, '');
}
