import { type Client, endpoint } from './net-contacts.ts';
import { optionNames, optionValue, readOptions } from './shell/options.ts';
import { WRAPPERS } from './shell/wrappers.ts';

/** Clients that name their server without a scheme, each by a notation of its own. Words with a scheme are read for all commands. */

/** A host that is one by its look: with a dot in it, and not a number or a file. */
const DOTTED = /^[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?::\d{1,5})?$/;

/** The server is the value of an option. */
function hostOption(host: string, port: string, others: string): Client {
  const hosts = host.split(' ');
  const ports = port.split(' ');
  const valued = optionNames(`${host} ${port} ${others}`);
  return (command) => {
    const options = readOptions(command.args, { valued });
    const server = optionValue(options, ...hosts);
    // A directory is where the socket of this machine's own is.
    const isHost = server !== undefined && !/:\/\/|^\//.test(server.text);
    return isHost ? endpoint(server.text, optionValue(options, ...ports)) : [];
  };
}

const POSTGRES_OPTIONS = hostOption(
  'h host',
  'p port',
  'U username d dbname c command f file v set o output t table n schema F format',
);
const CONNECTION = /^\s{0,8}(?:\w{1,32}=\S{1,255}\s{1,8}){0,8}host(?:addr)?=([^\s']{1,255})/;

/** Also `psql "dbname=x host=server"`. */
const postgres: Client = (command, urlCharsMax) => {
  const inside = command.args.flatMap(({ text }) => CONNECTION.exec(text)?.[1] ?? []);
  return [...POSTGRES_OPTIONS(command, urlCharsMax), ...inside.flatMap((host) => endpoint(host))];
};

const SCP_FORM = /^[^@/:\s]{1,64}@([^/:@\s]{1,255}):(?!\/\/)/;
const BARE_SCP_FORM = /^([\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):(?!\/\/|\d+$)/;

const GIT_WORDS_MAX = 8;

/** `git clone user@host:path`. Without a user, only where nothing but a repository can stand. */
const git: Client = ({ args }) => {
  const clones = args.slice(0, GIT_WORDS_MAX).some(({ text }) => /^(?:clone|ls-remote|remote)$/.test(text));
  return args.flatMap(({ text }) => {
    const host = SCP_FORM.exec(text)?.[1] ?? (clones ? BARE_SCP_FORM.exec(text)?.[1] : undefined);
    return host === undefined ? [] : endpoint(host);
  });
};

const IMAGE_OPTIONS = new Set([...(WRAPPERS.get('docker')?.valued ?? []), 'username', 'password']);

/** `docker push registry.example/image`: the first part of an image is a registry where it could be no name. */
const images: Client = ({ args }) => {
  const { operands, values } = readOptions(args, { valued: IMAGE_OPTIONS });
  const verb = operands.findIndex(({ text }) => /^(?:login|logout|pull|push|run|create)$/.test(text));
  const [target] = verb < 0 ? [] : operands.slice(verb + 1);
  const engine = (values.get('H') ?? values.get('host') ?? []).filter(({ text }) => !text.includes('://'));
  const contacts = engine.flatMap(({ text }) => endpoint(text));
  if (target === undefined || target.text.includes('://')) return contacts;
  const login = operands[verb]?.text.startsWith('log') === true;
  const slash = target.text.indexOf('/');
  const registry = login ? target.text.replace(/\/.*$/, '') : target.text.slice(0, Math.max(slash, 0));
  return /[.:]|^localhost$/.test(registry) ? [...contacts, ...endpoint(registry)] : contacts;
};

/** `dig @server name`, `host name server`: who is asked. What is asked for is no contact, and a server here asks others. */
const resolver: Client = ({ name, args }) => {
  const words = args.filter(({ text }) => !/^[-+]/.test(text));
  const marked = words.find(({ text }) => text.startsWith('@'))?.text.slice(1);
  const server = marked ?? (name === 'host' || name === 'nslookup' ? words[1]?.text : undefined);
  const asked = server !== undefined && DOTTED.test(server) ? endpoint(server) : [];
  return asked.filter(({ host }) => host.class !== 'loopback');
};

/** `go get host/module`. */
const go: Client = ({ args }) => {
  const [verb, ...modules] = args.filter(({ text }) => !text.startsWith('-'));
  if (!/^(?:get|install|run)$/.test(verb?.text ?? '')) return [];
  return modules.flatMap(({ text }) => {
    const slash = text.indexOf('/');
    const host = text.slice(0, Math.max(slash, 0));
    return DOTTED.test(host) && (verb?.text !== 'run' || text.includes('@')) ? endpoint(host) : [];
  });
};

/** `sftp:user@host:/path`, `s3:host/bucket`, `user@host:path`, as a word or behind `--repo=`. */
const backups: Client = ({ args }) =>
  args.flatMap(({ text }) => {
    if (text.includes('://')) return [];
    const place =
      /^(?:--repo(?:sitory)?=|-r)?(?:sftp|s3|ssh|rest):([^/\s]{1,255})/.exec(text)?.[1] ??
      /^(?:--repo=)?([^@/:\s]{1,64}@[^/:@\s]{1,255}):/.exec(text)?.[1];
    return place === undefined ? [] : endpoint(place.replace(/:$/, ''));
  });

const MYSQL = hostOption('h host', 'P port', 'u user D database e execute');
const PLAIN_SERVER = hostOption('h host', 'p port', 'u user username t topic m message d db e eval c q query f file');

const all = (programs: string, client: Client): [string, Client][] => programs.split(' ').map((name) => [name, client]);

export const REMOTE_CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  ['git', git],
  ...all('psql pg_dump pg_dumpall pg_restore createdb dropdb pgcli vacuumdb reindexdb pg_basebackup', postgres),
  ...all('mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mycli', MYSQL),
  ...all('redis-cli valkey-cli', hostOption('h', 'p', 'a n u user pass s')),
  ...all(
    'mongo mongosh mongodump mongorestore mongoexport mongoimport clickhouse-client mosquitto_pub mosquitto_sub',
    PLAIN_SERVER,
  ),
  ['ldapsearch', hostOption('h', 'p', 'b D w H s')],
  ...all('gh glab', hostOption('hostname', 'port', 'X method f raw-field F field H header R repo q jq t template')),
  ...all('docker podman nerdctl buildah crane', images),
  ...all('dig nslookup host drill kdig', resolver),
  ['go', go],
  ...all('restic borg rclone duplicity rdiff-backup kopia', backups),
]);
