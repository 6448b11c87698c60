import type { Action } from './action.ts';
import { hint } from './hint.ts';

/**
 * What inline code does that no single call of it says: several things must be there together, each of which is
 * ordinary by itself.
 */
export interface CodeSign {
  /** All of these must occur. */
  all: readonly RegExp[];
  kind: string;
  severity: NonNullable<Action['severity']>;
  confidence: number;
  what: string;
}

/** UTF-16 code units of one piece of code that are read for signs. */
export const SIGN_CHARS_MAX = 16_384;

/** All variables of the environment as one text or object, in the languages of agents: source of a pattern. */
export const ENVIRONMENT = String.raw`(?:os\.environ\b(?!\s{0,4}(?:\[|\.(?:get|pop|setdefault|copy|update)\b))|process\.env\b(?!\s{0,4}[.[?])|\bENV\.(?:to_h|to_json|inspect|to_a|map)\b|\$_(?:ENV|SERVER)\b(?!\s{0,4}\[)|getenv\(\s?\)|%ENV\b)`;
const WHOLE_ENVIRONMENT = new RegExp(ENVIRONMENT);
const SENDING = String.raw`(?:\b(?:post|put|urlopen|request|Request|fetch|send(?:all|to)?|sendBeacon|axios|curl_setopt|file_get_contents)\s?\(|\b(?:post|urlopen|URI\.open)\s)`;
/** It is given to what sends, by itself or under a name. */
const SENDS_ENVIRONMENT = new RegExp(
  `${SENDING}[^;\\n]{0,256}${ENVIRONMENT}|\\b([A-Za-z_]\\w{0,31})\\s{0,4}=[^;\\n]{0,96}${ENVIRONMENT}[^]{0,1024}?${SENDING}[^;\\n]{0,256}\\b\\1\\b`,
);

/** What else no program of an agent does: takes, destroys, listens, digs for coins. */
export const CODE_SIGNS: readonly CodeSign[] = [
  {
    all: [
      /\bexec\s{1,4}-a\s{1,4}["']?\[?(?:kworker|ksoftirqd|kswapd|kthreadd|migration|watchdog|rcu_|scsi_|jbd2|khugepaged|kdevtmpfs|systemd-|sshd\b|crond?\b)/,
    ],
    kind: 'evasion.masquerade',
    severity: 'high',
    confidence: 0.85,
    what: 'lets a program look like one of the system',
  },
  {
    // Hidden, and where anybody can write: no installer puts a program there.
    all: [
      /(?:^|[;&|(\n]\s{0,4}|\b(?:nohup|setsid|exec|sudo|nice)\s{1,4})\/(?:tmp|var\/tmp|dev\/shm)\/(?:[\w.-]{1,64}\/){0,4}\.(?!mount_|(?:venv|local|cache|config|cargo|bun|npm|nvm|deno|pyenv|rbenv|asdf)\/)[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,6}(?=[\s;&|]|$)/,
    ],
    kind: 'evasion.masquerade',
    severity: 'high',
    confidence: 0.8,
    what: 'runs a program that is hidden where anybody can write',
  },
  {
    all: [/\/proc\/(?:\*|\[0-9\][*+]?)(?:\/environ\b|[^\w/][\s\S]{0,256}?\$\{?\w{1,32}\}?\/environ\b)/],
    kind: 'credential.process_memory',
    severity: 'high',
    confidence: 0.8,
    what: 'reads the environment of every process',
  },
  {
    all: [
      /\bwevtutil(?:\.exe)?\s{1,4}cl\b/i,
      /\bfor\s{1,4}\/f\b[^\n]{0,200}\bwevtutil[^\n]{0,64}\bel\b[^\n]{0,64}\bdo\b[^\n]{0,64}\bwevtutil(?:\.exe)?\s{1,4}cl\b/i,
    ],
    kind: 'evasion.logs',
    severity: 'high',
    confidence: 0.9,
    what: 'clears every event log',
  },
  {
    all: [
      /["'`]\/dev\/(?:sd|vd|hd|xvd)[a-z?*[]|["'`]\/dev\/nvme\w{0,4}[?*[\d]|["'`]\/dev\/(?:r?disk\d|mmcblk)/,
      /\bO_(?:WRONLY|RDWR)\b|["'](?:wb|r\+b|ab|w)\+?["']|createWriteStream\(|\.WriteFile\(/,
      /rand|zero|\\0|\\x00|Buffer\.alloc\(|\bbytes\(/i,
    ],
    kind: 'destructive.files',
    severity: 'critical',
    confidence: 0.88,
    what: 'writes over disks',
  },
  {
    all: [
      /\bdocker\.sock\b/,
      /\/containers\/create\b/,
      /["']?Privileged["']?\s{0,4}[:=]\s{0,4}[Tt]rue|["']?Binds["']?\s{0,4}[:=]\s{0,4}\[\s{0,4}["']\/:|["']?PidMode["']?\s{0,4}[:=]\s{0,4}["']host/,
    ],
    kind: 'privilege.container_escape',
    severity: 'high',
    confidence: 0.88,
    what: 'starts a container that has the whole machine',
  },
  {
    all: [/\bcluster-admin\b/, /\bsystem:(?:anonymous|unauthenticated)\b/],
    kind: 'privilege.cluster',
    severity: 'critical',
    confidence: 0.9,
    what: 'gives everybody all rights in a cluster',
  },
  {
    // A node's agent asked by its port, whatever the address: it runs the command in a container.
    all: [/:10250\/(?:run|exec)\/[\w$-]/],
    kind: 'privilege.cluster',
    severity: 'high',
    confidence: 0.85,
    what: 'has the agent of a node run a command',
  },
  {
    all: [/\bgit clone\b[^\n;|&]{0,200}\bcve-\d{4}-\d{4,7}/i, /\b(?:gcc|cc|clang)\b/, /(?:^|[;&|\s])\.\/\w/],
    kind: 'recon.attack_tool',
    severity: 'high',
    confidence: 0.85,
    what: 'builds and runs an exploit of a known hole',
  },
  {
    all: [
      /(?:new Image\(\)\.src\s{0,4}=|\bsendBeacon\(|\bfetch\(\s{0,4}["'`]https?:)[^\n;]{0,300}\b(?:document\.cookie|localStorage|sessionStorage)\b/,
    ],
    kind: 'exfiltration.command',
    severity: 'high',
    confidence: 0.85,
    what: 'sends what a page keeps of a login to another machine',
  },
  {
    all: [
      /\bos\.walk\(|\.rglob\(/,
      /\bopen\([^)\n]{1,80}["'](?:r\+b|wb)/,
      /\bos\.urandom\(|\bsecrets\.token_bytes\(|\brandbytes\(/,
    ],
    kind: 'destructive.files',
    severity: 'critical',
    confidence: 0.85,
    what: 'overwrites the files of many directories with noise',
  },
  {
    all: [/CryptUnprotectData|os_crypt\b/, /Local State|Login Data|\bCookies\b/],
    kind: 'credential.browser',
    severity: 'high',
    confidence: 0.85,
    what: 'opens what a browser keeps of logins',
  },
  {
    // All of a store of secrets, one after the other, or a whole tree of parameters.
    all: [
      /\bget-secret-value\b|--with-decryption\b/,
      /\blist-secrets\b[\s\S]{0,256}\b(?:while\s{1,4}(?:IFS=\S{0,4}\s{1,4})?read|xargs|for\s{1,4}\w{1,32}\s{1,4}in)\b[\s\S]{0,256}\bget-secret-value\b|\bfor\s{1,4}\w{1,32}\s{1,4}in\b[\s\S]{0,256}\blist-secrets\b[\s\S]{0,256}\bget-secret-value\b|\bget-parameters-by-path\b(?=[^;|\n]{0,256}--with-decryption)[^;|\n]{0,256}--path[= ]["']?\/["']?(?:\s|$)/,
    ],
    kind: 'credential.cloud',
    severity: 'high',
    confidence: 0.85,
    what: 'takes every secret that a cloud keeps',
  },
  {
    all: [
      /\bgit\s{1,4}remote\s{1,4}(?:add|set-url)\s[^;|&\n]{0,128}https?:\/\/[^\s/@:$]{1,64}:[^\s/@$]{8,256}@/,
      /\bgit\s{1,4}push\s[^;|&\n]{0,128}--(?:all|mirror)\b/,
    ],
    kind: 'exfiltration.command',
    severity: 'high',
    confidence: 0.8,
    what: 'sends a whole repository to where its own line holds the login',
  },
  {
    all: [
      /\b(?:glob|rglob|walk|globSync)\b[^\n]{0,160}(?:\.env\b|id_rsa|\.pem\b|credentials)/,
      /\b(?:requests|httpx|session)\.(?:post|put)\(|\burlopen\(|\bfetch\(\s?["'`]https?:|\baxios\.post\(/,
      /\b(?:expanduser|homedir|Path\.home)\s?\(|["'](?:\/home|\/Users|\/root|~)\b/,
    ],
    kind: 'exfiltration.command',
    severity: 'high',
    confidence: 0.82,
    what: 'gathers files with credentials and sends them',
  },
  {
    all: [
      /\b(?:pre|post)?install["']?\s{0,4}[=:]\s{0,4}\\?["']?(?:curl|wget|node -e|python\d? -c|sh -c|bash -c)\b/,
      /\$\((?:whoami|hostname|id|pwd|uname|env|cat )|`(?:whoami|hostname|id|env)`|process\.env|os\.(?:hostname|userInfo|homedir)\(|require\(\\{0,2}["'](?:node:)?(?:os|https?|dns)\\{0,2}["']\)/,
    ],
    kind: 'persistence.hook',
    severity: 'high',
    confidence: 0.82,
    what: 'has a package tell of the machine that it is installed on',
  },
  {
    all: [
      /\bxclip\b[^|;&\n]{0,40}\s-o\b|\bxsel\b[^|;&\n]{0,40}\s(?:-\w?o|--output)\b|\b(?:pbpaste|wl-paste|Get-Clipboard)\b/,
      /\b(?:curl|wget|nc|ncat|Invoke-RestMethod|Invoke-WebRequest)\b/,
      /\bwhile\b|\bfor\s{0,4}\(\(;|\bwatch\b/,
    ],
    kind: 'collection.clipboard',
    severity: 'high',
    confidence: 0.82,
    what: 'sends away again and again what is copied',
  },
  {
    all: [/\.instances(?:\.all\(\))?\.terminate\(\s{0,4}\)/],
    kind: 'destructive.cloud',
    severity: 'high',
    confidence: 0.85,
    what: 'ends every machine of an account',
  },
  {
    all: [
      /\b(?:gpg2?\b[^|;\n]{0,160}\s(?:-[a-z]{0,4}[ec]\b|--encrypt|--symmetric)|openssl\s{1,4}(?:enc|aes[-\w]{0,16}|smime)\b(?![^|;\n]{0,160}\s-d\b)|ccrypt\s|age\s{1,4}-r\b)/,
      /\bfind\s{1,4}["']?(?:~|\$\{?HOME\b|\/(?:home|var\/www|srv|mnt|media|Users|root|data|Volumes)?(?=[/\s"']))|\bfor\s{1,4}\w{1,32}\s{1,4}in\s{1,4}["']?(?:~|\$\{?HOME\b|\/(?:home|var\/www|srv|mnt|Users|root)\/)/,
      /\b(?:rm|shred|unlink|srm)\s/,
    ],
    kind: 'destructive.files',
    severity: 'critical',
    confidence: 0.85,
    what: 'encrypts the files of many directories and deletes the originals',
  },
  {
    all: [
      /\bFernet\b|\bAES\.new\(|\bChaCha20\w{0,16}\(|createCipheriv\(|CreateEncryptor\(|AesCryptoServiceProvider|RijndaelManaged/,
      /os\.walk\(|\.rglob\(|glob\.glob\(|readdirSync\(|(?:Get-ChildItem|\bgci|\bdir)\b[^|\n]{0,256}-Rec|EnumerateFiles\(|GetFiles\(/i,
      /\.encrypt\(|cipher\.update\(|TransformFinalBlock\(|CryptoStream/,
      /expanduser\(|["'](?:\/home|\/Users|\/(?:srv|mnt|media|data|Volumes|var\/www)|\/|~|[A-Z]:\\{1,2}(?:Users)?)["'/\\]|\bC:\\Users|\$HOME|homedir\(\)|\$env:USERPROFILE/i,
      /os\.(?:remove|unlink|rename|replace)\(|\.unlink\(|unlinkSync|renameSync|WriteAllBytes|Remove-Item|open\([^)\n]{1,80}["']wb|\.(?:crypt|encrypted|enc|locked|lock)\b["']/,
    ],
    kind: 'destructive.files',
    severity: 'critical',
    confidence: 0.85,
    what: 'encrypts the files of many directories in their place',
  },
  {
    all: [
      /AmsiUtils|amsiInitFailed|AmsiScanBuffer|EtwEventWrite|DisableRealtimeMonitoring|Set-MpPreference|ScriptBlockLogging|cachedGroupPolicySettings/i,
    ],
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.9,
    what: 'blinds the virus scanner',
  },
  {
    all: [
      /Invoke-(?:Mimikatz|Kerberoast|BloodHound|PowerDump|DCSync|TokenManipulation|ReflectivePEInjection|Shellcode|WMIExec|SMBExec|PSInject|NinjaCopy|CredentialInjection|PortScan|UserHunter|AllChecks)|Out-Minidump|Get-(?:GPPPassword|Keystrokes|TimedScreenshot|VaultCredential|PassHashes)|sekurlsa::|lsadump::|kerberos::(?:golden|ptt|list)|privilege::debug|token::elevate|SharpHound|PowerSploit|Nishang|Empire\b.*launcher/i,
    ],
    kind: 'recon.attack_tool',
    severity: 'high',
    confidence: 0.92,
    what: 'runs a tool for breaking in',
  },
  {
    all: [
      /pynput|keyboard\.on_press|GetAsyncKeyState|SetWindowsHookEx|CGEventTapCreate|\/dev\/input\/event\d/i,
      /listener|on_press|open|read|while|log|write|tap/i,
    ],
    kind: 'collection.keyboard',
    severity: 'high',
    confidence: 0.8,
    what: 'records the keyboard',
  },
  {
    all: [
      /stratum\+(?:tcp|ssl|tls):\/\/|--donate-level|\b(?:xmrig|lolminer|t-rex|nbminer|gminer|phoenixminer|ethminer|teamredminer|srbminer|cpuminer)\b[^\n]{0,200}(?:-{1,2}(?:pool|url|server|algo|user|wallet|coin|o|a|u|s)\b|:\d{4,5}\b)|cryptonight|coinhive|\b(?:2miners|nanopool|minexmr|supportxmr|hashvault|f2pool|unmineable|moneroocean|ethermine)\.(?:com|org|pro|stream)\b/i,
    ],
    kind: 'shell.crypto_miner',
    severity: 'high',
    confidence: 0.88,
    what: 'mines a currency',
  },
  {
    all: [WHOLE_ENVIRONMENT, SENDS_ENVIRONMENT],
    kind: 'exfiltration.environment',
    severity: 'high',
    confidence: 0.85,
    what: 'sends the whole environment, and the secrets in it, to another machine',
  },
  {
    all: [/display dialog/i, /password|passcode/i, /hidden answer|default answer/i],
    kind: 'collection.password_prompt',
    severity: 'high',
    confidence: 0.88,
    what: 'asks a person for a password',
  },
  {
    all: [/\bshadowcopy\b|Win32_ShadowCopy/i, /delete/i],
    kind: 'evasion.recovery',
    severity: 'high',
    confidence: 0.9,
    what: 'deletes shadow copies',
  },
];

/** A part of every text that some sign can match, here, in code about shells or about theft: most texts end here. */
export const mayHoldSign = hint(
  `ztcp checkpoint-action proxycommand unzip-command compress-program to-command pty.spawn setuid $@|sh pager= editor= visual=
  unixexec pre-invoke :terminal requests.session socket tcpclient udpclient fsockopen /dev/tcp /dev/udp /dev/input /inet/
  mkfifo mknod .then( eval( tcpstream base64 b64 atob fromhex marshal.loads pickle dill. environ process.env getenv _env
  gzinflate rot13 hex2bin codecs.decode __import__ fromcharcode decompress [char] urlopen requests.get download invoke-
  file_get_contents open-uri net::http lwp:: xmlhttp winhttp virtualalloc writeprocess createremote rtlmove memfd_create
  shellcode ptrace_ amsi etwevent mppreference scriptblocklogging cachedgroup minidump get-gpp get-key get-vault sekurlsa
  lsadump kerberos:: privilege:: sharphound powersploit nishang pynput getasynckey setwindowshook on_press stratum miner
  xmrig t-rex 2miners nanopool minexmr supportxmr hashvault f2pool unmineable moneroocean ethermine wevtutil .recv( :10250
  cve- document.cookie localstorage urandom token_bytes randbytes \\x runin cryptunprotect os_crypt list-secrets
  get-parameters-by-path globsync xclip xsel pbpaste wl-paste get-clipboard donate-level cryptonight shadowcopy %c%c
  .aws/credentials .git-credentials .netrc .npmrc .pypirc .kube/config .docker/config.json id_rsa id_ed25519 leveldb tdata
  remote-debugging /maps tojson(secrets env| printenv dns.resolve dns.lookup gethostbyname getaddrinfo resolver.
  pyperclip set-clipboard readtext( dbfilename bitcoin monero xmr btc usdt __reduce cfunctype /dev/sd /dev/vd /dev/hd /dev/xvd
  /dev/nvme /dev/disk /dev/rdisk /dev/mmcblk docker.sock system:anonymous system:unauthenticated tls.dial tls.connect
  paramiko telnetlib impacket winrm containers.run( containers.create( y2hpbgrfchjvy2vzc noawxkx3byb2nlc3 jaglszf9wcm9jzxnz l3jlz2lzdhj5l3nly3jld
  popen check_output getoutput execsync evaluate(
  openssl ccrypt fernet aes.new .terminate( chacha20 createcipheriv createencryptor rijndael aescrypto`,
  /-tt |sh -c|![\w/ ]{0,24}sh\b|\/(?:ba|da|z)?sh(?: ?[-&a-z]{0,4})?["'`]|sh\s+(?:-\w+\s+)?[01]?[<>]&|net(?:["']\s?\))?\.(?:connect|dial|create)|\bENV\b|pack1?\s?\(?\s?["']|\bchr\b|\biwr\b|\birm\b|\/v:?o?n?\b|remote\s{1,4}(?:add|set-url)|\bglob|install["']?\s{0,4}[=:]|display dialog|local storage|\benv\b[^|\n]{0,40}\||exec\s+-a\s|bytes(?:array)?\(\s?\[|xxd\s+-[a-z]{0,4}r|\/(?:tmp|shm)\/(?:[\w.-]{1,64}\/){0,4}\.\w|\bgpg|\bage -r|https?(?:["']\s?\))?\.get|(?:^|[;&|(]\s{0,4})(?:\$\(|`)|eval\s?\(?\s?(?:`|%x|qx)/i,
);
