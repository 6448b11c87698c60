import { curlOptions, WGET_VALUES } from '../../facts/files/transfers.ts';
import type { HostFact } from '../../facts/hosts.ts';
import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { readOptions } from '../../facts/shell/options.ts';
import { SECRET_NAME } from './environment-dumps.ts';

/** Whose a variable with a secret is by the first part of its name, and by what their hosts are known. */
export const OWNERS: ReadonlyMap<string, RegExp> = new Map([
  ['github', /github|ghcr|ghe\./],
  ['gh', /github|ghcr|ghe\./],
  ['aws', /amazonaws|aws/],
  ['openai', /openai|azure/],
  ['anthropic', /anthropic/],
  ['npm', /npm/],
  ['pypi', /pypi|pythonhosted/],
  ['hf', /huggingface|hf\./],
  ['huggingface', /huggingface|hf\./],
  ['stripe', /stripe/],
  ['google', /google/],
  ['gemini', /google/],
  ['azure', /azure|microsoft|windows/],
  ['az', /azure|microsoft|windows/],
  ['gcloud', /google/],
  ['glab', /gitlab/],
  ['heroku', /heroku/],
  ['vault', /vault/],
]);
const VARIABLE = /\$\{?([a-z_]\w{2,63})/gi;

/** The name of a variable with a secret that goes, not in a header, to a host of somebody else, or as all that is sent. */
export function secretVariable(command: ShellCommand, hosts: readonly HostFact[]): string | undefined {
  if (hosts.length === 0 || hosts.some((host) => host.class !== 'public')) return undefined;
  const own = new Map<RegExp, boolean>();
  const isOwn = (owner: RegExp): boolean => {
    const known = own.get(owner) ?? hosts.some((host) => owner.test(host.host));
    own.set(owner, known);
    return known;
  };
  for (const { text } of headersSent(command)) {
    const name = HEADER_SECRET.exec(text)?.[1];
    const owner = name === undefined ? undefined : OWNERS.get(name.slice(0, name.indexOf('_')).toLowerCase());
    if (owner === undefined || hosts.some(({ host, path }) => owner.test(host) || STANDS_IN.test(`${host}${path}`)))
      continue;
    return name;
  }
  for (const { text, dynamic } of wordsSent(command)) {
    if (!dynamic) continue;
    for (const [written, name = ''] of text.matchAll(VARIABLE)) {
      if (!SECRET_NAME.test(name)) continue;
      const owner = OWNERS.get(name.slice(0, name.indexOf('_')).toLowerCase());
      const isAll = text === written || text === `${written}}`;
      if (owner === undefined ? isAll : !isOwn(owner)) return name;
    }
  }
  return undefined;
}

/** The words by which a client says what it sends and where to. */
export function wordsSent(command: ShellCommand): readonly ShellWord[] {
  if (!/^(?:curl|wget)$/.test(command.name)) return [];
  const { values, operands } =
    command.name === 'curl' ? curlOptions(command) : readOptions(command.args, { valued: WGET_VALUES });
  return [...operands, ...SENT_OPTIONS.flatMap((option) => values.get(option) ?? [])];
}

/** Tokens that are taken by one service only, in a header. Keys of models go to whoever speaks the same protocol. */
const HEADER_SECRET =
  /\$\{?((?:GITHUB|GH|NPM|PYPI|STRIPE|HEROKU|HF|HUGGINGFACE)_\w{0,48}(?:TOKEN|SECRET|KEY|PASSWORD))\b/;
/** What a company runs in the place of such a service. */
const STANDS_IN =
  /(?:^|[.-])(?:git|code|scm|npm|registry|nexus|artifactory|artifacts|packages|proxy|mirror|gateway)\b|\/api\/(?:v3|graphql)\b/;

/** What `curl` is told to put into headers. */
function headersSent(command: ShellCommand): readonly ShellWord[] {
  if (command.name !== 'curl') return [];
  const { values } = curlOptions(command);
  return ['H', 'header', 'u', 'user'].flatMap((option) => values.get(option) ?? []);
}

const SENT_OPTIONS = 'd data data-binary data-ascii data-urlencode data-raw json F form post-data body-data url'.split(
  ' ',
);
