import type { CodeSign } from './code-signs.ts';
import { codeSign } from './sign-makers.ts';

/** Files that hold nothing but logins and keys, as code names them. */
const KEY_FILES = String.raw`\.aws[/\\]{1,2}credentials|\.netrc\b|\.npmrc\b|\.pypirc\b|\.docker[/\\]{1,2}config\.json|\.kube[/\\]{1,2}config\b|\.git-credentials|\bid_(?:rsa|ed25519|ecdsa)\b(?!\.pub)|\.config[/\\]{1,2}gcloud|\.azure[/\\]`;
const SENDS =
  /\burlopen\(|\b(?:requests|httpx|session|axios)\.(?:post|put)\(|\bfetch\(\s?["'`]https?:|\bhttps?\.request\(|\bNet::HTTP\.post|\bhttp\.Post\(|\bUploadString\(|\bInvoke-(?:RestMethod|WebRequest)\b/;

/** What code takes of logins, keys and money that are not its own, and how it hands them on. */
export const THEFT_SIGNS: readonly CodeSign[] = [
  codeSign(
    'exfiltration.command',
    'gathers files with credentials and sends them',
    0.85,
    new RegExp(`(?:${KEY_FILES})[^]{0,400}?(?:${KEY_FILES})`),
    SENDS,
  ),
  codeSign(
    'credential.browser',
    "takes the logins of a person's chat program",
    0.82,
    /\b(?:discord\w{0,8}|lightcord|slack|telegram(?: desktop)?|signal|element)\b/i,
    /Local Storage\b|\bleveldb\b|\btdata\b/i,
    /readFile|readdir|\bopen\(|glob|\.copy|\bcp\s|\btar\s|\bzip\b|Get-Content|Copy-Item|Compress-Archive/,
  ),
  codeSign(
    'credential.browser',
    'takes the cookies of a browser that it runs on the profile of a person',
    0.85,
    /remote-debugging-(?:port|pipe)/,
    /getAllCookies|(?:Network|Storage)\.getCookies/,
    /user-data-dir|Default\b|Profile\b/,
  ),
  codeSign(
    'credential.process_memory',
    'reads the memory of another process',
    0.85,
    /\/proc\/[^\s"']{0,24}\/mem\b(?!info)/,
    /\/proc\/[^\s"']{0,24}\/maps\b/,
    /\.seek\(|\bpread\b|\blseek\b|\bdd\s|\bskip=/,
  ),
  codeSign(
    'exfiltration.environment',
    'has a workflow tell the secrets of a repository',
    0.85,
    /\$\{\{\s{0,4}toJSON\(\s{0,4}secrets\s{0,4}\)/i,
    /\b(?:curl|wget|nc|base64|fetch)\b/,
  ),
  codeSign(
    'exfiltration.environment',
    'hands the whole environment to a client of the network',
    0.85,
    /\b(?:env|printenv|export -p)\b\s{0,4}(?:;[^|\n]{0,80})?\)?\s{0,4}\|[^\n]{0,120}\b(?:n(?:c|cat)(?!\s{1,4}-\w{0,4}z)|curl|wget|openssl s_client)\b[^\n|]{0,120}(?:@-|@\/dev\/stdin|-T\s{0,2}-|--post-file=-|\s\d{2,5}\b)/,
    /\b(?:nc|ncat|curl|wget|openssl)\b/,
  ),
  codeSign(
    'exfiltration.command',
    'tells another machine what it encodes into the names that it asks for',
    0.8,
    /\bdns\.(?:promises\.)?(?:resolve\w{0,8}|lookup)\(|\bgethostbyname\(|\bresolver\.(?:resolve|query)\(|\bgetaddrinfo\(/,
    /toString\(\s?["'](?:hex|base64\w{0,4})["']\)|\bhexlify\(|\.hex\(\)|\bb(?:32|64)encode\(/,
    /\$\{[^`\n]{0,120}\}\.[a-z][\w-]{0,60}\.[a-z]|["']\.[a-z][\w-]{0,60}\.[\w.-]{2,40}["']|\}\.[a-z][\w-]{0,60}\.[a-z]{2,}|%s\.[a-z][\w-]{0,60}\./,
  ),
  codeSign(
    'collection.clipboard',
    'puts another address of a wallet in the place of what is copied',
    0.85,
    /\bpbpaste\b|\bxclip\b|\bxsel\b|\bwl-paste\b|Get-Clipboard|pyperclip\.paste|readText\(/,
    /\bpbcopy\b|\bxclip\b|\bxsel\b|\bwl-copy\b|Set-Clipboard|pyperclip\.copy|writeText\(/,
    /\bbc1|\b0x\[?[A-Fa-f0-9]|\[13\]|\[LM\]|\bT\[A-Z|1-9A-HJ-NP-Z/,
    /\bwhile\b|\bsetInterval\(|\bfor\s{0,4}\(\(?;|\bloop\b|\bwatch\b/,
  ),
  codeSign(
    'persistence.authorized_keys',
    'has a store of data write a file by which somebody gets in',
    0.88,
    /\bconfig\s{1,4}set\s{1,4}["']?dir\b/i,
    /\bdbfilename\b/i,
    /authorized_keys|\.ssh\b|\/cron|\/spool\/|\/www\b|\.php\b|\.so\b|\/etc\//,
  ),
  codeSign(
    'privilege.remote_execution',
    'tries logins that everybody knows on many machines',
    0.82,
    /\bparamiko\b|\bftplib\b|\btelnetlib\b|\bimpacket\b|\bwinrm\b|\bssh2\b/,
    /\bip_network\(|\bipaddress\b|\brange\(\s{0,2}\d{1,3}\s{0,2},\s{0,2}25[456]\s{0,2}\)/,
    /["'](?:root|admin|administrator|pi|ubuntu|user)["']\s{0,2},\s{0,2}["'](?:root|admin|toor|password|raspberry|123\d{0,5}|ubuntu)["']/,
  ),
  codeSign(
    'recon.network_scan',
    'asks every machine of an internal network for its services',
    0.78,
    /\brange\(\s{0,2}[012]\s{0,2},\s{0,2}25[456]\s{0,2}\)|<=?\s{0,2}25[456]\b|\{[012]\.\.25[456]\}|\bseq\s{1,4}[012]\s{1,4}25[456]\b/,
    /\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.(?:\{|\$|%|["']\s{0,2}[+.])/,
    /\b(?:22|23|80|443|445|2375|2379|3306|3389|5432|5984|6379|6443|8080|8500|9200|27017)\b(?:\s{0,2},\s{0,2}\d{2,5}){2}/,
    /\bconnect(?:_ex)?\(|\brequests\.(?:get|head|post)\(|\burlopen\(|\bfetch\(|\bsocket\.|\bhttpx?\.get\(/,
  ),
  codeSign(
    'credential.cluster',
    'reads the secrets of a cluster out of the store behind it',
    0.85,
    /\/v3(?:alpha|beta)?\/kv\/range\b/,
    // `/registry/secrets` in Base64.
    /L3JlZ2lzdHJ5L3NlY3JldH/,
  ),
  codeSign(
    'privilege.container_escape',
    'starts a container that has the whole machine',
    0.88,
    /\bcontainers\.(?:run|create)\(/,
    /["']\/["']\s{0,2}:\s{0,2}\{\s{0,2}["']bind["']/,
    /\bprivileged\s{0,2}=\s{0,2}True\b|\/root\/|\.ssh\b|\/etc\/(?:shadow|kubernetes|sudoers)/,
  ),
  codeSign(
    'shell.obfuscated',
    'hides that it starts programs',
    0.85,
    /Y2hpbGRfcHJvY2Vzc|NoaWxkX3Byb2Nlc3|jaGlsZF9wcm9jZXNz/,
    /\brequire\(|\bimport\(/,
  ),
  codeSign(
    'destructive.files',
    'asks for money for what it locks up',
    0.85,
    /\b(?:files?|data|documents?|databases?|buckets?|backups?|tables?|servers?)\b[^\n]{0,40}\b(?:encrypted|locked|stolen|downloaded|held)\b[^\n]{0,160}\b(?:BTC|bitcoins?|monero|XMR|USDT)\b/i,
    /\b(?:aws|az|gcloud|gsutil|openssl|gpg|mysql|psql|mongo\w{0,2}|redis-cli|find|for|rm|cp|tee|cat|Set-Content|Out-File|os\.walk|rglob|drop|write)\b|>/i,
  ),
];
