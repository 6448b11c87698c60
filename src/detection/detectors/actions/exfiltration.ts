import { credentialKind } from '../../facts/credential-files.ts';
import { gitWords } from '../../facts/files/git.ts';
import type { HostFact } from '../../facts/hosts.ts';
import { TOOL_NAME_PLACE } from '../../facts/input.ts';
import { canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { wordsOf } from '../../facts/tools.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { type Carried, carriedBy, UPLOADERS } from './carried.ts';
import { sendingContextOf } from './sending-context.ts';
import { OWNERS, secretVariable } from './sent-variables.ts';

/** Commands that carry what is on this machine to another one. */
export const exfiltration = actionDetector({
  id: 'exfiltration',
  version: 7,
  severity: 'medium',
  title: 'Sends local files, the environment or the output of commands to another machine.',
  kinds: ['exfiltration.*'],
  falsePositives: ['uploading the results of a build', 'copying files to a server of one’s own'],
  find({ facts }, found) {
    const { commands } = facts.shell;
    for (const { host, origin } of facts.hosts) {
      if (!DROPS.test(host.host) || ONES_OWN.test(host.host)) continue;
      const what = `reaches ${named(host.host)}, which shows what it is sent to whoever has the address`;
      found.push({ kind: 'exfiltration.drop', severity: 'low', confidence: 0.7, what, origin });
    }
    if (facts.tool !== undefined && pastes(facts.tool.name)) {
      const what = `puts something where whoever has the address reads it (${named(facts.tool.name)})`;
      const origin = { place: TOOL_NAME_PLACE, start: 0, end: facts.tool.name.length };
      found.push({ kind: 'exfiltration.drop', severity: 'low', confidence: 0.7, what, origin });
    }
    readForcedSecrets(commands, found);
    if (!commands.some(({ name }) => SENDERS.has(name))) return;
    const context = sendingContextOf(facts);
    for (const [index, command] of commands.entries()) {
      if (!SENDERS.has(command.name)) continue;
      const hosts = context.hosts.get(index) ?? [];
      const variable = secretVariable(command, hosts);
      const carried =
        variable === undefined
          ? carriedBy(command, commands, context)
          : { what: `the variable ${named(variable)}`, sensitive: true };
      if (carried?.owner !== undefined && hosts.some(({ host }) => OWNERS.get(carried.owner ?? '')?.test(host)))
        continue;
      if (carried !== undefined) judge(command, carried, hosts, found);
    }
  },
});

/** `git add -f .env && git push`: a file of secrets that the repository ignores, made a part of it. */
function readForcedSecrets(commands: readonly ShellCommand[], found: Action[]): void {
  for (const command of commands) {
    if (command.name !== 'git') continue;
    const [verb, ...words] = gitWords(command.args).map(({ text }) => text);
    if (verb !== 'add' || !words.some((word) => /^(?:-\w{0,4}f|--force)/.test(word))) continue;
    const file = words.find((word) => !word.startsWith('-') && credentialKind(canonicalPath(word)) !== undefined);
    if (file === undefined) continue;
    const isPushed = commands.some(({ name, args }) => name === 'git' && gitWords(args)[0]?.text === 'push');
    found.push({
      kind: 'exfiltration.command',
      severity: isPushed ? 'high' : 'medium',
      confidence: 0.75,
      what: `makes ${named(file)}, which is kept out of the repository, a part of it (${named(command.name)})`,
      origin: command.origin,
    });
  }
}

/** `create_gist`, `paste_upload`: tools that publish a text. */
function pastes(toolName: string): boolean {
  const words = wordsOf(toolName);
  return (words.has('gist') || words.has('pastebin') || words.has('paste')) && PUTTING.some((word) => words.has(word));
}

const PUTTING = ['create', 'update', 'upload', 'new', 'post', 'add', 'publish'];

const SENDERS: ReadonlySet<string> = new Set(
  'curl wget nc ncat netcat socat telnet scp rsync sftp ftp tftp ssh dig drill kdig nslookup resolve-dnsname host ping http https xh mail mailx sendmail mutt openssl invoke-webrequest invoke-restmethod aws gsutil rclone croc magic-wormhole wormhole finger whois busybox logger gh glab'.split(
    ' ',
  ),
);

/** Places that exist to take in what is thrown at them, or to show it to whoever has the address. */
const DROPS =
  /(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|requestcatcher\.com|hookbin\.com|beeceptor\.com|transfer\.sh|file\.io|0x0\.st|termbin\.com|pastebin\.com|paste\.ee|hastebin\.com|dpaste\.(?:com|org)|ix\.io|sprunge\.us|temp\.sh|gofile\.io|anonfiles\.com|catbox\.moe|bashupload\.com|oshi\.at|discord(?:app)?\.com|api\.telegram\.org|hooks\.slack\.com|interact\.sh|oast\.(?:pro|live|site|online|fun|me)|burpcollaborator\.net|oastify\.com|canarytokens\.com|dnslog\.cn|ceye\.io|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|mega\.nz|sendspace\.com|ufile\.io|put\.io|uguu\.se|tmpfiles\.org|bin\.mypaste|rentry\.co)$/;

/** Of those, the ones that one logs in to, and tunnels to a machine of one's own. */
const ONES_OWN =
  /(?:^|\.)(?:discord(?:app)?\.com|api\.telegram\.org|hooks\.slack\.com|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net)$/;

/** `rclone copy a :mega,user=b,pass=c:d`: a store that is set up in the line, with a login of its own. */
function namesLogin({ name, args }: ShellCommand): boolean {
  return (
    name === 'rclone' && args.some(({ text }) => /^:[a-z0-9]{2,16},[^:]{0,256}\b(?:user|pass|key|token)\b/.test(text))
  );
}

/** A public address in place of a name: nobody's store of build results is known by one. */
function isBareAddress({ host, class: kind }: HostFact): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) && kind !== 'private' && kind !== 'loopback' && kind !== 'link_local';
}

function judge(
  command: ShellCommand,
  { what, sensitive, isFile }: Carried,
  hosts: readonly HostFact[],
  found: Action[],
): void {
  if (hosts.length > 0 && hosts.every((host) => host.class === 'loopback' || host.class === 'unspecified')) return;
  const drop = hosts.find((host) => DROPS.test(host.host));
  const bare = isFile && UPLOADERS.has(command.name) ? hosts.find(isBareAddress) : undefined;
  const grave = sensitive || drop !== undefined || bare !== undefined || namesLogin(command);
  const to =
    drop !== undefined ? named(drop.host) : bare === undefined ? 'another machine' : 'a machine without a name';
  found.push({
    kind: 'exfiltration.command',
    severity: grave ? 'high' : 'medium',
    confidence: sensitive ? 0.85 : grave ? 0.75 : 0.5,
    what: `sends ${what} to ${to} (${named(command.name)})`,
    origin: command.origin,
  });
}
