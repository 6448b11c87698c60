import type { Parameter } from '../../facts/event-facts.ts';
import { type HostClass, type HostDisguise, type HostFact, hostsOfUrl } from '../../facts/hosts.ts';
import type { NetAccess } from '../../facts/net-access.ts';
import { type ToolFacts, wordsOf } from '../../facts/tools.ts';
import { named } from '../../reason.ts';
import type { DetectorInput } from '../detector.ts';
import { type Action, actionDetector } from './action.ts';
import { askedOfService } from './internal-services.ts';
import { inclusionsIn, referencesIn } from './markup.ts';

/** Requests that reach from inside what is closed to the outside. */
export const ssrf = actionDetector({
  id: 'ssrf',
  version: 8,
  severity: 'high',
  title:
    'Requests a metadata service, an internal address in disguise, what administers a network, an internal service that is not for browsers, or by a scheme that is not for the web.',
  kinds: ['ssrf.*'],
  falsePositives: ['testing how one’s own server treats such addresses'],
  find({ facts, event }, found) {
    if (facts.tool === undefined) return;
    const { tool } = facts;
    for (const access of facts.hosts) {
      const byTool = asksItself(tool, access.host.scheme);
      readAccess(access, { byTool, mayAsk: byTool || (tool.kind === 'other' && access.command === undefined) }, found);
    }
    if (asksItself(tool, 'http')) readAddresses({ facts, event } as DetectorInput, found);
    for (const parameter of facts.parameters) {
      if (TAKES_UNTOLD.test(tool.kind) || (tool.kind === 'message' && asksItself(tool, 'http')))
        readUntold(parameter, tool, found);
      if (TAKES_MARKUP.test(tool.kind) && isMarkup(parameter)) readMarkup(parameter, tool, found);
    }
  },
});

/** Tools that may ask for an address under a key that does not say so: `download_file`'s `location`. */
const TAKES_UNTOLD = /^(?:other|file_read|file_write)$/;
/** Tools that may read the markup that they are given, rather than keep it. */
const TAKES_MARKUP = /^(?:other|net)$/;

const words = (text: string): readonly string[] => text.split(' ');

/** What tools do with an address that they are given under whatever key, rather than keep it. */
const FETCHING = words(
  'import load preview unfurl embed open visit read render capture screenshot convert scan probe proxy analyze summarize parse extract callback hook subscribe get pull follow upload',
);
/** And with that of a database or a directory service too, which is theirs to ask. */
const CHECKING = words('check ping verify validate test resolve');

/** Whether the tool itself sends the request: one for the net, or one of which nothing is known but its verb. */
function asksItself(tool: ToolFacts, scheme: string | undefined): boolean {
  if (tool.kind !== 'other' && tool.kind !== 'message') return tool.kind === 'net';
  const own = wordsOf(tool.name);
  if (FETCHING.some((word) => own.has(word))) return true;
  return WEB_SCHEMES.test(scheme ?? '') && CHECKING.some((word) => own.has(word));
}

const URL_ALONE = /^(?:jar:)?[a-z][a-z0-9+.-]{1,31}:(?:[/\\]{1,4}|(?=\d{1,3}\.|localhost))[^\s"'<>]{1,1024}$/i;
const HOST_KEYS = /^(?:host|hostname|domain|ip|ipaddress|address|server|target|origin|remote|proxy|upstream|endpoint)$/;
/** Of what a value that may never be asked for leads to, only this is told. */
const GRAVE = /^ssrf\.(?:metadata|disguised|scheme|internal_service)$/;
/** What is written rather than asked for. */
const CONTENT_KEYS = /^(?:content|contents|text|body|data|newstring|oldstring|newstr|oldstr|newtext|filetext)$/;

/** An address under a key that says nothing of addresses, in a call of a tool that says nothing of itself. */
function readUntold({ role, key, text, place }: Parameter, tool: ToolFacts, found: Action[]): void {
  if (role !== 'text' || text.length > URL_CHARS_MAX || CONTENT_KEYS.test(key)) return;
  const url = URL_ALONE.test(text) ? text : undefined;
  const origin = { place, start: 0, end: text.length };
  if (url !== undefined && WRAPPING.test(url)) {
    found.push({ kind: 'ssrf.scheme', what: 'reads by a scheme that is not for the web', confidence: 0.85, origin });
    return;
  }
  const bare = url === undefined && HOST_KEYS.test(key) && /^[\d.:[\]a-z-]{7,64}$/i.test(text) && text.includes('.');
  if (url === undefined && !bare) return;
  for (const host of hostsOfUrl(text)) {
    const byTool = !bare && asksItself(tool, host.scheme);
    const seen = readHost(host, { byTool, mayAsk: !bare });
    if (seen === undefined || !GRAVE.test(`ssrf.${seen[0]}`)) continue;
    found.push({ kind: `ssrf.${seen[0]}`, what: `${seen[1]}: ${named(host.host)}`, confidence: seen[2], origin });
  }
}

/** What is made into a page or a picture, with all that it refers to. */
const RENDERED = words(
  'pdf html svg xml markup markdown thumbnail image imagemagick magick playlist transcode ffmpeg graphql docx epub latex report',
);
function isMarkup({ text }: Parameter): boolean {
  return text.includes('<') || text.includes('://') || text.includes('\\');
}

function renders(tool: ToolFacts): boolean {
  const own = wordsOf(tool.name);
  return RENDERED.some((word) => own.has(word)) || asksItself(tool, 'http');
}

/** `<!ENTITY x SYSTEM "file:///etc/passwd">`, `<img src="http://169.254.169.254/…">` for a tool that reads or renders it. */
function readMarkup({ text, place }: Parameter, tool: ToolFacts, found: Action[]): void {
  for (const { start, end } of inclusionsIn(text)) {
    const what = 'has a parser put a file or an answer of the network into a document';
    found.push({ kind: 'ssrf.external_entity', what, confidence: 0.85, origin: { place, start, end } });
  }
  if (tool.kind !== 'other' || !renders(tool)) return;
  for (const { url, start, end } of referencesIn(text)) {
    const origin = { place, start, end };
    if (NO_PICTURE.test(url)) {
      const what = 'has a renderer put a file of the machine into a document';
      found.push({ kind: 'ssrf.external_entity', what, confidence: 0.85, origin });
    }
    for (const host of hostsOfUrl(url)) {
      const [kind, what, confidence, severity] = readHost(host, { byTool: false, mayAsk: true }) ?? [];
      if (what === undefined || confidence === undefined || (kind !== 'metadata' && kind !== 'internal_service'))
        continue;
      const told = {
        what: `${what}: ${named(host.host)}`,
        confidence,
        ...(severity === undefined ? {} : { severity }),
      };
      found.push({ kind: `ssrf.${kind}`, ...told, origin });
    }
  }
}

/** Files of a machine that no document is made of. */
const NO_PICTURE =
  /^file:\/{2,3}(?:localhost)?\/{0,2}(?:etc|proc|sys|root|var\/(?:log|run|lib)|(?:home|Users)\/[^/]{1,64}\/\.|[a-z]:\/windows)(?:\/|$|\w)/i;

type Seen = [kind: string, what: string, confidence: number, severity?: Action['severity']];

/** Who asks: a tool that is known to send requests itself, or one that may. */
interface Asking {
  byTool: boolean;
  mayAsk: boolean;
}

function readAccess(access: NetAccess, asking: Asking, found: Action[]): void {
  const { host, by, origin } = access;
  const seen = readHost(host, asking);
  if (seen === undefined) return;
  const [kind, what, confidence, severity] = seen;
  const action = { kind: `ssrf.${kind}`, what: `${what}: ${named(host.host)} (${named(by)})`, confidence, origin };
  if (
    kind === 'metadata' &&
    access.command !== undefined &&
    host.disguises.length === 0 &&
    WHERE_IT_RUNS.test(host.path)
  ) {
    found.push({ ...action, severity: 'medium', confidence: 0.6 });
    return;
  }
  found.push(severity === undefined ? action : { ...action, severity });
}

/** Where a machine runs and what it is called: scripts that set it up ask for that. Nobody logs in with it. */
const WHERE_IT_RUNS =
  /^\/latest\/(?:api\/token|dynamic\/instance-identity\/document|meta-data\/(?:placement(?:\/[\w-]{1,64})?|instance-(?:id|type)|ami-id|(?:local|public)-(?:ipv4|hostname)|hostname|mac|reservation-id))\/?$|^\/computemetadata\/v1\/instance\/(?:zone|id|name|hostname|machine-type|region|tags)\/?$|^\/metadata\/instance\/compute\/(?:location|name|vmsize|vmid|zone|sku|offer|ostype)\/?$/i;

const NOUNS: Readonly<Record<HostClass, string>> = {
  loopback: 'this machine',
  unspecified: 'this machine',
  private: 'the internal network',
  link_local: 'the local link',
  metadata: 'the cloud metadata service',
  public: 'another machine',
};

function readHost(host: HostFact, { byTool, mayAsk }: Asking): Seen | undefined {
  const hidden = host.disguises.some((disguise) => !PLAIN_DISGUISES.has(disguise));
  if (host.class === 'metadata') {
    const disguised = host.disguises.length > 0 ? ' in disguise' : '';
    return ['metadata', `requests the cloud metadata service${disguised}`, 0.95, 'critical'];
  }
  if (METADATA_PATH.test(host.path)) return ['metadata', 'asks for credentials of an instance', 0.85, 'critical'];
  const asked = askedOfService(host, mayAsk);
  if (asked !== undefined) return ['internal_service', asked, 0.8];
  if (host.scheme !== undefined && STRANGE_SCHEMES.test(host.scheme) && (byTool || SHELL_SCHEMES.test(host.scheme))) {
    return ['scheme', `talks to ${NOUNS[host.class]} by a scheme that is not for the web`, 0.85];
  }
  if (CONTROL_PLANE.test(host.host) && byTool) return ['private', 'requests what runs the cluster', 0.8];
  if (host.disguises.includes('malformed_address') && byTool && host.scheme !== undefined)
    return ['disguised', 'requests an address that programs read differently', 0.75];
  if (REBINDING.test(host.host)) return ['disguised', 'requests a name that is made to lead elsewhere', 0.8];
  if (host.class === 'public') {
    const written = host.disguises.includes('unicode') && /^[\x20-\x7e]+$/.test(host.host);
    return written ? ['disguised', 'requests a host that is written in other characters', 0.75] : undefined;
  }
  if (hidden && (byTool || WEB_SCHEMES.test(host.scheme ?? ''))) {
    return ['disguised', `requests ${NOUNS[host.class]} by an address in disguise`, 0.9];
  }
  if (host.disguises.includes('userinfo') && byTool)
    return ['disguised', `requests ${NOUNS[host.class]} behind a name that is none`, 0.75];
  if (host.class === 'link_local') return ['link_local', 'requests an address of the local link', 0.75];
  if (!byTool) return undefined;
  return readInternal(host);
}

/** What is judged apart, by which host it leads to. */
const PLAIN_DISGUISES: ReadonlySet<HostDisguise> = new Set(['nested_url', 'userinfo', 'malformed_address']);
/** The interface of the cluster that a container runs in, by the names that every container knows. */
const CONTROL_PLANE = /^(?:kubernetes(?:\.default(?:\.svc(?:\.cluster\.local)?)?)?|docker\.sock)$/;

/** Where instances, functions and container engines hand out credentials or control, whatever the host is called. */
const METADATA_PATH =
  /^\/(?:latest\/(?:meta-data|user-data|dynamic\/instance-identity|api\/token)|computemetadata\/v1|metadata\/(?:instance|identity|v1|loadbalancer|scheduledevents)|opc\/v[12]\/(?:instance|identity)|openstack\/(?:latest|\d{4}-)|2018-06-01\/runtime\/|v2\/credentials\/|v1(?:\.\d+)?\/(?:containers|images|exec|secrets)\/(?:json|create)|containers\/(?:json|create)|images\/json|hetzner\/v1\/metadata|metadata\.json$|compute\/v1\/projects\/[\w.-]+\/setcommoninstancemetadata)/i;

const STRANGE_SCHEMES =
  /^(?:gopher|gophers|dict|ldaps?|ldapi|tftp|sftp|scp|smbs?|imaps?|pop3s?|smtps?|rtsp|telnet|jar|netdoc|phar|expect|php|zip|compress\.\w+|glob|ogg|ssh2(?:\.\w+)?|rmi|jndi|corba|iiop|rtmp|data|view-source|https?\+unix|unix|npipe|local-file)$/;

/** Of those, the ones that no command line has an honest use for. */
const SHELL_SCHEMES = /^(?:gophers?|dict|jar|netdoc|phar|expect|local-file)$/;

const WEB_SCHEMES = /^(?:https?|wss?|ftp)$/;

/** Names that anybody can have resolve to what they like, or that switch between two addresses. */
const REBINDING =
  /(?:^|\.)(?:r3dir\.me|1u\.ms|rbndr\.us|localdomain\.pw|rebind\.(?:network|it|me)|spoofed\.burpcollaborator\.net|bugbounty\.dod\.network|mail\.ebc\.apple\.com|localho?\.st|loopback\.website|127-0-0-1\.org\.uk|whonow\.\w+|ssrf\.\w+|lock\.cmpxchg8b\.com|xip\.io|nip\.io\.\w+)$/;

/** Ports of services that trust whoever reaches them, and speak no HTTP that a page would. */
const INNER_PORTS: ReadonlySet<number> = new Set([
  22, 23, 25, 53, 110, 111, 135, 139, 143, 389, 445, 512, 513, 514, 587, 636, 873, 1433, 1521, 2049, 2375, 2376, 2379,
  2380, 3306, 3389, 4243, 5432, 5672, 5900, 5985, 6379, 8009, 9042, 10_050, 10_051, 10_250, 10_255, 10_256, 11_211,
  27_017, 50_070, 1099, 1434, 2181, 4369, 5671, 6380, 6443, 9300, 10_257, 10_259, 16_379, 26_379, 27_018, 27_019,
  61_616,
]);

/** Development servers run as somebody who may not listen below this: what does is the machine's own. */
const FREE_PORTS_MIN = 1_024;
/** The page of the print queue, which people do open. */
const PRINT_PORT = 631;

/** An address, not a name. */
const LITERAL = /^[\d.]+$|:/;

/** Plain requests to internal addresses: what a developer does all day, but for some services. */
function readInternal(host: HostFact): Seen | undefined {
  const local = host.class === 'loopback' || host.class === 'unspecified';
  const kind = local ? 'loopback' : 'private';
  if (host.disguises.includes('nested_url'))
    return [kind, `has another server request ${NOUNS[host.class]}`, local ? 0.75 : 0.7];
  if (host.port !== undefined && INNER_PORTS.has(host.port))
    return [kind, `requests a service of ${NOUNS[host.class]} that is not for browsers`, 0.75];
  if (host.host.startsWith('127.') && host.host !== '127.0.0.1')
    return ['disguised', 'requests this machine by one of its less known addresses', 0.8];
  if (host.host === '::' || host.host.startsWith('ip6-'))
    return [kind, 'requests this machine by a name that few know', 0.75];
  if (local && (host.port ?? 0) < FREE_PORTS_MIN && host.port !== PRINT_PORT)
    return [kind, 'requests a server of this machine itself, where no development server is', 0.7];
  // With TLS, on a port of its own, or by a name, it is a service that somebody set up to be used.
  if (!local && host.scheme === 'http' && LITERAL.test(host.host) && (host.port ?? 80) === 80)
    return [kind, 'requests a device of the internal network by its bare address', 0.7];
  return [kind, `requests ${NOUNS[host.class]}`, 0.5, 'informational'];
}

/** A sign of each of the following. */
const MAY_BE_AMBIGUOUS = /[\\@%#\s[]/;
/** What two programs read differently: which host is meant depends on who is asked. */
const AMBIGUOUS =
  /^[a-z][a-z0-9+.-]{0,16}:\/{0,4}[^/?#]{0,255}(?:\\|@[^/?#]{0,255}@|\s@|%40[^/?#]{0,255}@|%(?:00|09|0[ad]|2f|5c|3f|23)[^/?#]{0,255}\.)|^[a-z]+:\/\/[^/?#@\s]{1,255}%(?:2f|5c|3f|23)[^/?#@\s]{0,255}(?:[/?#]|$)|^[a-z]+:\/\/[^/?#]{1,255}#[^/]{0,64}@[^/]{1,255}|^[a-z]+:\/\/\[[^\]/?#]{0,64}[^\0-\x7f]/i;
/** Line ends inside of a URL: a request inside the request. */
const SMUGGLED = /%0d%0a|%0a(?:\w{2,10}(?:%20|\s|$|%0))|%25(?:0d|0a)/i;
const WRAPPED =
  /^\s*(?!jar:file:[^!]{1,512}\.jar!\/[\w/$-]{1,256}\.(?:java|kt|class|scala|xml|properties)$)(?:php|phar|expect|zip|glob|netdoc|jar|data|dict|gopher|compress\.[a-z2]+|ogg|ssh2):(?!image\/|font\/)/i;
/** A page or a text that is its own address is fetched from nowhere; */
const OWN_PAGE = /^\s*data:text\/(?:plain|csv|css|html)(?:;charset=[\w-]{1,32})?,/i;
/** unless it is code for the server that fetches it: behind an escaped bracket, only what a page has there is none. */
const SERVER_CODE = /<[?%]|%3c(?![a-z/!]|%2[1f])/i;
/** Those of them that lead somewhere from any place that a URL is given in. */
const WRAPPING = /^(?:jar:https?|gophers?|dict|netdoc|phar|expect):/i;
/** Ends of a login that come back to whoever asked for it. */
const CALLBACK =
  /(?:redirect_ur[il]|callback|return(?:_?to|url)?|next|origin|continue|post_logout\w*)=(?:https?(?:%3a|:))/i;

function readAddresses({ facts }: DetectorInput, found: Action[]): void {
  for (const { role, text, place } of facts.parameters) {
    if (role !== 'url' && role !== 'host') continue;
    const url = text.slice(0, URL_CHARS_MAX);
    const origin = { place, start: 0, end: text.length };
    const behindVariable = VARIABLE_HOST.exec(url)?.[1];
    if (behindVariable !== undefined && METADATA_PATH.test(behindVariable))
      found.push({
        kind: 'ssrf.metadata',
        severity: 'critical',
        what: 'asks for credentials of an instance, at a host that a variable names',
        confidence: 0.8,
        origin,
      });
    else if (MAY_BE_AMBIGUOUS.test(url) && AMBIGUOUS.test(url))
      found.push({
        kind: 'ssrf.disguised',
        what: 'requests an address that programs read differently',
        confidence: 0.8,
        origin,
      });
    else if (WRAPPED.test(url) && !(OWN_PAGE.test(url) && !SERVER_CODE.test(text)))
      found.push({ kind: 'ssrf.scheme', what: 'reads by a scheme that is not for the web', confidence: 0.85, origin });
    else if (SMUGGLED.test(url))
      found.push({
        kind: 'ssrf.disguised',
        what: 'hides a request in the address of another',
        confidence: 0.75,
        origin,
      });
    if (CALLBACK.test(url)) soften(found, place);
  }
}

/** `http://${RUNTIME_API}/…`: a host that only the program knows. */
const VARIABLE_HOST = /^https?:\/\/(?:\$\{?\w{1,64}\}?|\{\{[^{}]{1,64}\}\}|%\w{1,64}%)(?::\d{1,5})?(\/.*)$/i;

const URL_CHARS_MAX = 2_048;

/** `redirect_uri=http://localhost:3000/callback` is how a login returns to a developer's machine. */
function soften(found: Action[], place: unknown): void {
  for (const action of found) {
    if (action.origin.place === place && /^ssrf\.(?:loopback|private)$/.test(action.kind))
      action.severity = 'informational';
  }
}
