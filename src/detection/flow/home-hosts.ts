import type { EventFacts } from '../facts/event-facts.ts';
import { type HostFact, hostFact, hostsOfUrl, urlsIn } from '../facts/hosts.ts';
import type { CanonicalPath } from '../facts/paths.ts';
import { isOutside } from './outbound.ts';

/** Words of a secret's kind, and domains of who issued it beside the `.com` of that name: sending it there is what it is for. */
const HOMES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/aws|amazon/, ['amazonaws.com', 'aws.amazon.com', 'amazonaws.com.cn']],
  [/github/, ['github.com', 'githubusercontent.com', 'ghcr.io']],
  [/bitbucket|atlassian|jira/, ['bitbucket.org', 'atlassian.net', 'atlassian.com']],
  [/google|gcp|firebase/, ['googleapis.com', 'google.com', 'firebaseio.com']],
  [/azure|microsoft/, ['windows.net', 'azure.com', 'microsoft.com', 'microsoftonline.com', 'visualstudio.com']],
  [/npm/, ['npmjs.org', 'npmjs.com']],
  [/pypi/, ['pypi.org']],
  [/docker/, ['docker.io', 'docker.com']],
  [/hugging/, ['huggingface.co', 'hf.co']],
  [/mailgun/, ['mailgun.net']],
  [/discord/, ['discord.com', 'discordapp.com']],
  [/telegram/, ['telegram.org']],
  [/heroku/, ['heroku.com']],
  [/datadog/, ['datadoghq.com', 'datadoghq.eu']],
  [/dropbox/, ['dropboxapi.com', 'dropbox.com']],
  [/shopify/, ['shopify.com', 'myshopify.com']],
  [/square/, ['squareup.com']],
  [/linear/, ['linear.app']],
  [/notion/, ['notion.com', 'notion.so']],
  [/supabase/, ['supabase.co', 'supabase.com']],
  [/sentry/, ['sentry.io']],
  [/new_?relic/, ['newrelic.com']],
  [/grafana/, ['grafana.com', 'grafana.net']],
  [/databricks/, ['databricks.com', 'azuredatabricks.net']],
  [/cohere/, ['cohere.com', 'cohere.ai']],
  [/mistral/, ['mistral.ai']],
  [
    /model_api/,
    ['openai.com', 'deepseek.com', 'openrouter.ai', 'moonshot.ai', 'moonshot.cn', 'aliyuncs.com', 'stability.ai'],
  ],
  [/openrouter/, ['openrouter.ai']],
  [/perplexity/, ['perplexity.ai']],
  [/together/, ['together.ai', 'together.xyz']],
  [/fireworks/, ['fireworks.ai']],
  [/cerebras/, ['cerebras.ai']],
  [/xai/, ['x.ai']],
  [/voyage/, ['voyageai.com']],
  [/jina/, ['jina.ai']],
  [/pinecone/, ['pinecone.io']],
  [/elevenlabs/, ['elevenlabs.io']],
  [/firecrawl/, ['firecrawl.dev']],
  [/langsmith/, ['langchain.com']],
  [/llamacloud/, ['llamaindex.ai']],
  [/wandb/, ['wandb.ai']],
  [/dashscope|alibaba/, ['aliyuncs.com', 'alibabacloud.com']],
  [/e2b/, ['e2b.dev', 'e2b.app']],
  [/snyk/, ['snyk.io']],
  [/sonar/, ['sonarcloud.io']],
  [/terraform/, ['terraform.io']],
  [/honeycomb/, ['honeycomb.io']],
  [/segment/, ['segment.io']],
  [/hubspot/, ['hubapi.com']],
  [/intercom/, ['intercom.io']],
  [/postman/, ['getpostman.com']],
  [/hetzner/, ['hetzner.cloud']],
  [/flyio/, ['fly.io', 'machines.dev']],
  [/neon/, ['neon.tech']],
  [/expo/, ['expo.dev', 'expo.io']],
  [/rubygems/, ['rubygems.org']],
  [/crates|cargo/, ['crates.io']],
  [/nuget/, ['nuget.org']],
  [/shippo/, ['goshippo.com']],
  [/twitch/, ['twitch.tv']],
  [/yandex/, ['yandex.net', 'yandex.ru', 'yandexcloud.net']],
  [/facebook|instagram/, ['facebook.com', 'instagram.com']],
];

/**
 * Whether `host` belongs to who issued secrets of `kind`. Where anybody's programs run (`*.herokuapp.com`) is no host of
 * theirs. What anybody may receive by at the issuer's own hosts (a bucket, a gist) is not told from the rest.
 */
export function isIssuer(kind: string, host: string): boolean {
  const name = host.toLowerCase();
  for (const [word, domains] of HOMES) {
    if (!word.test(kind)) continue;
    if (domains.some((domain) => isWithin(name, domain))) return true;
  }
  const [, maker = ''] = MAKER.exec(kind) ?? [];
  return isOwnName(maker) && isWithin(name, `${maker}.com`);
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** `resend` of `secret.resend_key`. */
const MAKER = /^secret\.([a-z0-9]{1,32})_/;

/** Words of names of keys that say what a key is, or where it is used, and not whose it is. */
const COMMON_WORDS = new Set(
  `access account admin auth authorization backend basic bearer build cache client cloud code config connection cookie credential credentials data database default demo
  deploy deployment development email encryption external frontend generic global hash hook host http https internal jwt local login mail main master model mongo mysql next node
  oauth open pass passwd password payment personal portal postgres private prod production project public react redis refresh root secret secrets secure security server service session
  sign signed signing signature site smtp ssh stage staging storage store super system temp temporary test tests token tokens user username vault version vite webhook worker write`.split(
    /\s+/,
  ),
);

/** Whether `word` may be the name of a maker, whose `.com` nobody else has. */
function isOwnName(word: string): boolean {
  return /^[a-z][a-z0-9]{3,31}$/.test(word) && !COMMON_WORDS.has(word);
}

/** `RESEND_API_KEY=`, `"resendKey": "`: the name that stands in front of a value. */
const NAME_BEFORE = /([A-Za-z][\w.-]{2,63})["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?$/;
const NAME_CHARS_MAX = 96;
/** Words of one name that are taken for its maker. */
const MAKERS_MAX = 3;

/** The domains of whom a key's own name speaks, as `*.resend.com`: in one of `outputs`, in front of `value`. */
function domainsByName(value: string, outputs: readonly string[]): string[] {
  for (const text of outputs) {
    const at = text.slice(0, KEYED_CHARS_MAX).indexOf(value);
    if (at < 0) continue;
    const [, name = ''] = NAME_BEFORE.exec(text.slice(Math.max(0, at - NAME_CHARS_MAX), at)) ?? [];
    const words = name
      .replace(/([a-z0-9])(?=[A-Z])/g, '$1_')
      .toLowerCase()
      .split(/[_.-]/);
    return words
      .filter(isOwnName)
      .slice(0, MAKERS_MAX)
      .map((word) => `*.${word}.com`);
  }
  return [];
}

/** The names by which `host` may be a home: itself, and the domain that it lies in. */
export function homeNames(host: string): string[] {
  return [host, `*.${host.split('.').slice(-2).join('.')}`];
}

/** Addresses of one result, and code units of each, that are read. */
const URLS_MAX = 64;
const URL_CHARS_MAX = 1_024;

/** An address in a result, and the hosts that it leads to. */
interface Address {
  url: string;
  hosts: readonly string[];
}

/**
 * Where each of `values`, secrets in the result of a call, belongs: the host that gave it out (a login answers with a token);
 * the domain that its own name speaks of (`RESEND_API_KEY`); those that the one file that was read names (a project's configuration), by an address or under a key for hosts; and that of an address that it is a part of (a
 * link that signs in). What several commands or files print together need not belong together, nor what a script prints
 * beside a file.
 */
export function hostsFor(
  values: readonly string[],
  { shell, scripts, files, hosts }: EventFacts,
  outputs: readonly string[],
): readonly (readonly string[])[] {
  if (shell.commands.filter(({ input }) => input === undefined).length > 1)
    return values.map((value) => domainsByName(value, outputs));
  const asked = outsideOf(hosts.map(({ host }) => host));
  const reads = files.filter(({ operation }) => operation === 'read');
  const addresses = addressesIn(outputs);
  const shared = [
    ...(asked.length === 1 && reads.length === 0 ? asked : []),
    ...(asked.length === 0 && scripts.length === 0 && isOneFile(reads)
      ? [...addresses.flatMap((each) => each.hosts), ...hostsByKey(outputs)]
      : []),
  ];
  return values.map((value) => [
    ...domainsByName(value, outputs),
    ...shared,
    ...addresses.filter(({ url }) => url.includes(value)).flatMap((each) => each.hosts),
  ]);
}

/** The file that a call alone reads, and prints as it is or in part; undefined where there are several, or none. */
export function fileRead({ shell, scripts, files, hosts }: EventFacts): CanonicalPath | undefined {
  if (shell.commands.filter(({ input }) => input === undefined).length > 1) return undefined;
  if (scripts.length > 0 || hosts.length > 0) return undefined;
  const reads = files.filter(({ operation }) => operation === 'read');
  return isOneFile(reads) ? reads[0]?.path : undefined;
}

function isOneFile([file, ...others]: EventFacts['files']): boolean {
  return file !== undefined && !file.glob && !file.recursive && others.every(({ path }) => path.key === file.path.key);
}

function addressesIn(outputs: readonly string[]): Address[] {
  const found = outputs.flatMap((text) => urlsIn(text, URLS_MAX, URL_CHARS_MAX)).slice(0, URLS_MAX);
  return found.map(({ url }) => ({ url, hosts: outsideOf(hostsOfUrl(url)) }));
}

/** `host: db.example.com`, `DB_HOST=…`, `"endpoint": "…"`: a whole name with a dot in it, or an address, and nothing else. */
const HOST_BY_KEY =
  /(?<![a-z0-9])(?:[a-z0-9_.-]{0,48}[_.-])?(?:host|hostname|hostaddr|server|endpoint)(?:_?name)?["']?[ \t]{0,8}[:=][ \t]{0,8}["']?((?:[a-z0-9_-]{1,63}\.){1,8}[a-z0-9-]{1,63})(?::\d{1,5})?["']?(?=[\s,;}\]]|$)/gi;
/** Code units of a result in which hosts are looked for. */
const KEYED_CHARS_MAX = 65_536;

function hostsByKey(outputs: readonly string[]): string[] {
  const found: Pick<HostFact, 'host' | 'class'>[] = [];
  for (const text of outputs) {
    for (const [, name = ''] of text.slice(0, KEYED_CHARS_MAX).matchAll(HOST_BY_KEY)) {
      const fact = hostFact(name);
      if (fact !== undefined && found.push(fact) >= URLS_MAX) return outsideOf(found);
    }
  }
  return outsideOf(found);
}

function outsideOf(hosts: readonly Pick<HostFact, 'host' | 'class'>[]): string[] {
  return [...new Set(hosts.filter(isOutside).map(({ host }) => host))];
}
