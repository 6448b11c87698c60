import { isRandom, lookOf } from './randomness.ts';
import type { Probe, Scan } from './seen.ts';
import { judgeValue } from './value-judgement.ts';

/** A notation that hands a password over: the first group is the password. Sticky, bounded. */
interface Notation {
  marks: readonly string[];
  pattern: RegExp;
  /** What must stand before on the same line, within `BEFORE_CHARS_MAX`. */
  before?: RegExp;
  quoted?: boolean;
  /** Only what looks generated: a name may stand there as well. */
  random?: boolean;
}

const BEFORE_CHARS_MAX = 160;

const NOTATIONS: readonly Notation[] = [
  // `curl -u name:password`
  {
    marks: ['-u ', '-u"', "-u'", '--user ', '--user=', '--proxy-user '],
    pattern: /(?<=\s)(?:-u|--(?:proxy-)?user)[ =]{0,3}\\?["']?[^\s:"']{0,96}["']?:["']?([^\s"']{3,128})/y,
  },
  {
    marks: [' -p'],
    pattern: / -p[ =]{0,3}["']?([^\s"'$%-][^\s"']{3,64})/y,
    before:
      /\b(?:sshpass|(?:docker|podman|buildah|helm|oras|skopeo)[^\n]{0,20} login|psexec(?:\.exe)?|mysql\w*|mariadb|mongo\w*|az|smbclient|7z|unzip|htpasswd|ldap\w+|xfreerdp)\b/i,
  },
  { marks: ['sshpass -p'], pattern: /sshpass -p[ ]{0,3}["']?([^\s"'$]{3,64})/y },
  { marks: ['redis-cli'], pattern: /redis-cli [^\n|;]{0,80}?-a {0,2}["']?([^\s"'$]{4,64})/y },
  { marks: [' -w'], pattern: / -w[ ]{1,2}["']?([^\s"'$%-][^\s"']{3,64})/y, before: /\bldap\w+\b/ },
  { marks: ['net user'], pattern: /net user {1,3}["']?[\w.$-]{1,40}["']? {1,3}["']?([^\s"'/*%$][^\s"']{3,64})/y },
  { marks: ['pass:'], pattern: /pass:([^\s"'$]{4,64})/y, before: /\bopenssl\b|-pass(?:in|out)?\b/ },
  {
    marks: ['identified '],
    pattern: /identified (?:with ["'`]?\w{1,40}["'`]? )?(?:by|using) (?:password )?["']([^"'\n]{3,64})["']/iy,
    quoted: true,
  },
  // As Oracle takes it.
  {
    marks: ['identified by '],
    pattern: /identified by ([A-Za-z][A-Za-z_]{0,32}\d\w{0,32})(?![\w.])/iy,
    before: /\b(?:create|alter) {1,4}user\b|\bgrant\b/i,
  },
  {
    marks: ['encrypted password', 'with password', 'login password'],
    pattern: /(?:encrypted|with|login) password ["']([^"'\n]{3,64})["']/iy,
    quoted: true,
  },
  // Options of libcurl, in any language.
  {
    marks: ['curlopt_'],
    pattern:
      /curlopt_\w{0,24}(?:userpwd|passwd|password|bearer)["']?(?:,|\s=>)\s{0,4}["'](?:[^"':\n]{1,64}:)?([^"'\n]{3,128})["']/iy,
    quoted: true,
  },
  {
    marks: ['networkcredential('],
    pattern: /networkcredential\( ?["'][^"'\n]{1,96}["'], ?["']([^"'\n]{3,96})["']/iy,
    quoted: true,
  },
  {
    marks: ['pscredential'],
    pattern:
      /pscredential["']?\]?(?:::new| -arg\w{0,12})? {0,2}@?\(?\s{0,4}["'][^"'\n]{1,96}["']\s{0,2},\s{0,4}["']([^"'\n]{3,96})["']/iy,
    quoted: true,
  },
  {
    marks: ['directoryentry('],
    pattern: /directoryentry\( ?["'][^"'\n]{1,96}["'],\s{0,12}["'][^"'\n]{1,96}["'],\s{0,12}["']([^"'\n]{3,96})["']/iy,
    quoted: true,
  },
  // `server.login('me@acme.example', '…')`: of mail, of file servers, of services.
  {
    marks: ['.login('],
    pattern: /\.login\(\s{0,12}["'][^"'\n]{1,96}["'],\s{0,12}["']([^"'\n]{4,96})["']\s{0,12}[,)]/y,
    quoted: true,
  },
  // A database by its address or host, a user, and their password.
  {
    marks: ['getconnection(', 'mysqli(', 'mysqli_connect(', 'mysql_connect(', 'new pdo('],
    pattern:
      /(?:getconnection|mysqli(?:_connect)?|mysql_connect|new pdo)\(\s{0,16}["']?[^"'\n,]{1,160}["']?,\s{0,16}["'][^"'\n]{1,64}["'],\s{0,16}["']([^"'\n]{4,96})["']/iy,
    quoted: true,
  },
  { marks: ['basicauth('], pattern: /basicauth\( ?["'][^"'\n]{1,96}["'], ?["']([^"'\n]{3,96})["']/iy, quoted: true },
  { marks: ['auth=('], pattern: /auth=\( ?["'][^"'\n]{1,96}["'], ?["']([^"'\n]{3,96})["']/iy, quoted: true },
  { marks: ['securestring'], pattern: /securestring (?:-string )?["']([^"'\n]{3,96})["']/iy, quoted: true },
  {
    marks: ['machine ', 'default login'],
    pattern: /(?:machine [\w.-]{1,96}|default)\s{1,8}login [^\s]{1,96}\s{1,8}password ([^\s]{3,96})/y,
  },
  // `host:port:database:user:password`, the lines of a `.pgpass`.
  {
    marks: [':5432:', ':5433:', ':6432:', ':*:'],
    pattern: /:(?:5432|5433|6432|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:([^\s:"']{4,96})(?=\s|$)/y,
    before: /^[ \t]*[\w.*-]{1,96}$/,
  },
  {
    marks: ['algoliasearch('],
    pattern: /algoliasearch\(\s{0,8}["']\w{6,16}["'],\s{0,8}["']([0-9a-f]{32})["']/iy,
    quoted: true,
  },
  {
    marks: ['splunk '],
    pattern: /splunk ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])/iy,
    before: /authorization/i,
  },
  {
    marks: ['keyname'],
    pattern: /keyname["']?\s{0,2}:[^{}]{0,160}?["']value["']\s{0,2}:\s{0,2}["']([A-Za-z0-9+/]{86}==)["']/iy,
    quoted: true,
  },
  // What network devices write behind the number of a scheme that can be turned back.
  { marks: ['password 7 ', 'key 7 ', 'secret 7 '], pattern: /(?:password|key|secret) 7 ([0-9A-F]{8,64})(?=\s|$)/y },
  // As Oracle's client takes them.
  {
    marks: ['sqlplus '],
    pattern: /sqlplus(?: {1,2}-\w{1,8}){0,4} {1,2}["']?[\w.$-]{1,64}\/["']?([^\s@"'$/]{4,64})["']?@/y,
  },
  {
    marks: ['jdbc:oracle:'],
    pattern: /jdbc:oracle:(?:thin|oci8?):[\w$.-]{1,64}\/["']?([^\s@"'$/{]{4,64})["']?@/iy,
  },
  // `<Password><Value>…</Value>` of answer files.
  {
    marks: ['password><value>', 'password> <value>'],
    pattern: /password>\s{0,2}<value>([^<\s]{4,128})<\/value>/iy,
    quoted: true,
  },
  // `user=name:password` of properties.
  {
    marks: ['user=', 'user: ', 'userinfo='],
    pattern: /user(?:info)?(?:=|: )["']?[\w.-]{2,40}:([\w!@#$%^&*+~-]{10,64})(?=["'\s]|$)/iy,
    random: true,
  },
  {
    marks: ['usernamepasswordcredentials'],
    pattern:
      /usernamepasswordcredentials\w{0,8}\((?:[\w.]{1,64},\s{0,4}|["'][^"'\n]{0,96}["'],\s{0,4}){1,5}["']([^"'\n]{4,96})["']\s{0,4}\)/iy,
    quoted: true,
  },
  // A function that logs in with the address of somebody's mail.
  {
    marks: ['login("', "login('"],
    pattern: /login\(["'][^"'@\n]{1,64}@[^"'@\n]{3,64}["'],\s{0,4}["']([^"'\n]{4,96})["']/iy,
    quoted: true,
  },
  {
    marks: [
      'private-key 0x',
      'private_key 0x',
      'private key 0x',
      'private-key=0x',
      'privatekey: 0x',
      'private key: 0x',
    ],
    pattern: /private[-_ ]?key(?:=|:? )(0x[0-9a-f]{64})(?!\w)/iy,
    random: true,
  },
  {
    marks: ['accounts: [', 'accounts:[', 'accounts": ['],
    pattern: /accounts"?: ?\[\s{0,8}["'](0x[0-9a-f]{64})["']/iy,
    random: true,
  },
  // What Laravel encrypts with, as its commands print it.
  { marks: ['base64:'], pattern: /base64:([A-Za-z0-9+/]{43}=)(?!=)/y, before: /\bkey\b|APP_KEY/i, random: true },
  // `[host]:587 user:password`, the lines of Postfix's map.
  {
    marks: [':25 ', ':465 ', ':587 ', ':2525 '],
    pattern: /:\d{2,4}\s{1,8}[\w.+-]{1,64}(?:@[\w.-]{1,96})?:([^\s:]{4,96})(?=\s|$)/y,
    before: /^[ \t]*\[?[\w.-]{3,96}\]?$/,
  },
  {
    marks: ['snmp-server community ', 'rocommunity ', 'rwcommunity '],
    pattern: /(?:snmp-server |r[ow])community (?!(?:public|private)\b)([^\s"']{5,64})(?=\s|$)/iy,
  },
  // Tokens of Consul's access lists, and the key of its gossip.
  {
    marks: ['tokens {', 'tokens = {', 'tokens": {'],
    pattern:
      /tokens"?\s{0,2}[:=]?\s{0,2}\{\s{1,16}[^{}]{0,120}?"?\w{4,32}"?\s{0,12}[:=]\s{0,4}"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/iy,
    quoted: true,
  },
  {
    marks: ['encrypt =', 'encrypt" =', 'encrypt":', 'encrypt='],
    pattern: /encrypt"?\s{0,2}[:=]\s{0,2}"((?:[A-Za-z0-9+/]{43}|[A-Za-z0-9+/]{22}=)=)"/y,
    random: true,
  },
  { marks: ['appid='], pattern: /appid=([0-9a-f]{32})(?!\w)/y, before: /openweather/i, random: true },
  // With a remark on the name: `Server API token (also in the web app): …`.
  {
    marks: ['api token (', 'api key (', 'access token (', 'server token (', 'secret key ('],
    pattern: /(?:api|access|server|secret) (?:token|key) \([^()\n]{1,64}\):? {0,2}["'`]?([\w-]{24,128})(?![\w-])/iy,
    random: true,
  },
  // A key as the name, and no password behind it.
  {
    marks: ['-u ', '--user '],
    pattern: /(?<=\s)(?:-u|--user) {1,3}["']?([\w!.~+/=-]{12,128}):["']?(?=\s|$)/y,
    random: true,
  },
];

/** Passwords in command lines, calls and statements whose place says what they are. */
export function credentialsInUse(): Probe[] {
  return [urlLogin(), basicHeader(), chpasswd(), ...NOTATIONS.map(probeOf)];
}

function probeOf({ marks, pattern, before, quoted, random }: Notation): Probe {
  return {
    marks,
    look(scan, start) {
      pattern.lastIndex = start;
      const match = pattern.exec(scan.text);
      const value = match?.[1];
      if (match === null || value === undefined) return;
      if (before?.test(lineBefore(scan.text, start)) === false) return;
      if (random === true && !isRandom(lookOf(value), 12)) return;
      addPassword(scan, value, start + match[0].lastIndexOf(value), quoted === true ? 0.8 : 0.75);
    },
  };
}

function lineBefore(text: string, at: number): string {
  const piece = text.slice(Math.max(0, at - BEFORE_CHARS_MAX), at);
  return piece.slice(piece.lastIndexOf('\n') + 1);
}

function addPassword(scan: Scan, value: string, start: number, confidence: number): void {
  const judged = judgeValue(value, 'password', 'quoted');
  if (judged === 0) return;
  const what = { what: 'password', title: 'a password', severity: 'high' as const };
  scan.add({ confidence: Math.max(judged, confidence), start, value, ...what });
}

/** Passwords that programs come with, and that are left as they are: `admin:admin`. */
const DEFAULT_PASSWORD =
  /^(?:admin|root|password|passw0rd|pass|secret|changeme|guest|postgres|mysql|administrator|toor)\d{0,4}$/i;
/** Users and hosts that stand for others in a manual. */
const ANY_USER = /^(?:|(?:my|your|some|db|the)?[-_]?(?:user|usr|username|name|login|id|me|u|foo|bar)[-_]?\d?)$/i;
const ANY_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|\[|%|(?:my|your|some)[-_.]?|[\w.-]*\b(?:host|hostname|server|example|domain|proxy|test|invalid)\b)/i;
const HOST_CHARS_MAX = 96;

/** A login that everybody knows, at a machine that somebody has: `admin:admin@10.1.2.3`. */
function isDefaultLogin(user: string, value: string, host: string): boolean {
  return DEFAULT_PASSWORD.test(value) && !ANY_USER.test(user) && /^[\w-]+\.[\w.-]+/.test(host) && !ANY_HOST.test(host);
}

const LOGIN = /([^\s:@/"'`<>?#\\]{0,128}):([^\s/"'`<>?#\\]{1,254})@[\w[%-]/y;

/** `scheme://name:password@host` */
function urlLogin(): Probe {
  return {
    marks: ['://'],
    look(scan, _start, end) {
      LOGIN.lastIndex = end;
      const match = LOGIN.exec(scan.text);
      const [, user = '', value = ''] = match ?? [];
      if (match === null || isFormula(value) || user.toLowerCase() === 'mailto') return;
      const sure =
        value.toLowerCase() !== user.toLowerCase() && judgeValue(value.replace(/[/]/g, '_'), 'password', 'quoted') > 0;
      if (!sure && !isDefaultLogin(user, value, scan.text.slice(LOGIN.lastIndex - 1, LOGIN.lastIndex + HOST_CHARS_MAX)))
        return;
      scan.add({
        what: 'url_password',
        title: 'an address with a password',
        severity: 'high',
        confidence: sure ? 0.85 : 0.6,
        start: end + user.length + 1,
        value,
      });
    },
  };
}

function isFormula(value: string): boolean {
  return /^\W+$/.test(value) || /\/\//.test(value);
}

const BASIC = /basic {1,3}([A-Za-z0-9+/_-]{8,400}={0,2})/iy;

/** `Authorization: Basic …`, which is name and password in base64. */
function basicHeader(): Probe {
  return {
    marks: ['basic '],
    look(scan, start) {
      BASIC.lastIndex = start;
      const value = BASIC.exec(scan.text)?.[1];
      if (value === undefined) return;
      const login = Buffer.from(value, 'base64').toString('latin1');
      const colon = login.indexOf(':');
      if (colon < 0 || !/^[\x20-\x7e]+$/.test(login) || judgeValue(login.slice(colon + 1), 'password', 'quoted') === 0)
        return;
      const at = scan.text.indexOf(value, start);
      const what = {
        what: 'basic_auth',
        title: 'a name and password for basic authentication',
        severity: 'high' as const,
      };
      scan.add({ confidence: 0.9, start: at, value, ...what });
    },
  };
}

const PIPED = /["']?([\w.-]{1,40}):([^\s"':|]{3,96})["']?[ ]{0,4}\|[ ]{0,4}(?:sudo )?$/;

/** `echo "name:password" | chpasswd` */
function chpasswd(): Probe {
  return {
    marks: ['chpasswd'],
    look(scan, start) {
      const line = lineBefore(scan.text, start);
      const match = PIPED.exec(line);
      const value = match?.[2];
      if (match === null || value === undefined) return;
      const at = start - line.length + match.index + match[0].indexOf(`:${value}`) + 1;
      addPassword(scan, value, at, 0.8);
    },
  };
}
