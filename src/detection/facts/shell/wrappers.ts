import { optionNames } from './options.ts';

/** As `skip`: the program has no command among its operands, and its script option may stand anywhere. */
export const EVERYWHERE = 1_000;

/** How a program that runs another one takes it. */
export interface Wrapper {
  /** Its options that take a value in the next word. */
  valued: ReadonlySet<string>;
  /** Operands in front of the command: `timeout 5 cmd`, `chroot dir cmd`. */
  skip: number;
  /** The words are joined and read as a script: `ssh host …`, `watch …`, `eval …`. */
  joined: boolean;
  /** `NAME=value` words may stand in front of the command. */
  assignments: boolean;
  /** Options whose value is a script: `su -c`, `script -c`. */
  script: ReadonlySet<string>;
  /** Options with which nothing is run: `command -v`. */
  inert: ReadonlySet<string>;
  /** Subcommands of which one must come first, each a list of words: `docker exec`. */
  subcommands: readonly string[] | undefined;
  /** The command stands behind `--` only. */
  afterDashes: boolean;
}

interface WrapperSource {
  valued?: string;
  skip?: number;
  joined?: boolean;
  assignments?: boolean;
  script?: string;
  inert?: string;
  subcommands?: readonly string[];
  afterDashes?: boolean;
}

function wrapper(source: WrapperSource = {}): Wrapper {
  return {
    valued: optionNames(source.valued ?? ''),
    skip: source.skip ?? 0,
    joined: source.joined ?? false,
    assignments: source.assignments ?? false,
    script: optionNames(source.script ?? ''),
    inert: optionNames(source.inert ?? ''),
    subcommands: source.subcommands,
    afterDashes: source.afterDashes ?? false,
  };
}

const PLAIN = wrapper();
const plain = (names: string): [string, Wrapper][] => names.split(' ').map((name) => [name, PLAIN]);

const DOCKER_VALUES =
  'e env v volume u user w workdir name p publish h hostname network net l label m memory cpus env-file entrypoint platform mount restart add-host dns gpus ulimit cap-add cap-drop security-opt device tmpfs shm-size pid ipc userns c context H host log-level f file project-directory';
const KUBE_VALUES = 'n namespace c container context kubeconfig cluster user s server l selector f filename';

/** Programs that run another program, by name. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ...plain(
    'nohup setsid builtin busybox toybox fakeroot unbuffer rlwrap chronic caffeinate torsocks torify proxychains proxychains4 noglob nocorrect setarch linux32 linux64 dbus-run-session valgrind wsl colordiff sem winpty arch prlimit eatmydata nocache fakechroot softlimit systemd-cat tini dumb-init srun',
  ),
  [
    'sudo',
    wrapper({
      valued:
        'u user g group h host p prompt C close-from r role t type T command-timeout U other-user D chdir R chroot',
      assignments: true,
      inert: 'l list v validate V version K k',
    }),
  ],
  ['doas', wrapper({ valued: 'u C' })],
  ['pkexec', wrapper({ valued: 'user' })],
  ['run0', wrapper({ valued: 'u user g group D chdir' })],
  ['gosu', wrapper({ skip: 1 })],
  ['setuidgid', wrapper({ skip: 1 })],
  ['s6-setuidgid', wrapper({ skip: 1 })],
  ['envdir', wrapper({ skip: 1 })],
  ['faketime', wrapper({ skip: 1 })],
  ['chpst', wrapper({ valued: 'u U b e n l L p' })],
  ['su-exec', wrapper({ skip: 1 })],
  ['env', wrapper({ valued: 'u unset C chdir', assignments: true, script: 'S split-string' })],
  ['command', wrapper({ inert: 'v V' })],
  ['exec', wrapper({ valued: 'a' })],
  ['time', wrapper({ valued: 'f format o output' })],
  ['gtime', wrapper({ valued: 'f format o output' })],
  ['timeout', wrapper({ valued: 'k kill-after s signal', skip: 1 })],
  ['gtimeout', wrapper({ valued: 'k kill-after s signal', skip: 1 })],
  ['nice', wrapper({ valued: 'n adjustment' })],
  ['ionice', wrapper({ valued: 'c class n classdata p pid' })],
  ['chrt', wrapper({ valued: 'T P D', skip: 1 })],
  ['taskset', wrapper({ skip: 1 })],
  ['numactl', wrapper({ valued: 'm N C i' })],
  ['cpulimit', wrapper({ valued: 'l limit e exe p pid' })],
  ['stdbuf', wrapper({ valued: 'i input o output e error' })],
  ['strace', wrapper({ valued: 'e o p s u a E I P S' })],
  ['ltrace', wrapper({ valued: 'e o p s u a l n' })],
  ['perf', wrapper({ valued: 'e o p', subcommands: ['stat', 'record', 'trace'] })],
  ['chroot', wrapper({ valued: 'userspec groups', skip: 1 })],
  ['proot', wrapper({ valued: 'r R b w q' })],
  ['nsenter', wrapper({ valued: 't target S G' })],
  ['unshare', wrapper({ valued: 'S G R w' })],
  ['firejail', PLAIN],
  ['setpriv', wrapper({ valued: 'reuid regid groups' })],
  ['runcon', wrapper({ valued: 't u r l', skip: 1 })],
  ['systemd-run', wrapper({ valued: 'p property u unit M machine on-calendar on-active description slice E setenv' })],
  ['systemd-inhibit', wrapper({ valued: 'what who why mode' })],
  ['xvfb-run', wrapper({ valued: 'n s e f p w' })],
  ['flock', wrapper({ valued: 'w timeout E conflict-exit-code', skip: 1, script: 'c command' })],
  ['watch', wrapper({ valued: 'n interval', joined: true })],
  ['hyperfine', wrapper({ valued: 'w warmup r runs m min-runs M max-runs p prepare c cleanup', joined: true })],
  ['eval', wrapper({ joined: true })],
  ['ssh', wrapper({ valued: 'b c D E e F I i J L l m O o p Q R S W w B', skip: 1, joined: true })],
  ['plink', wrapper({ valued: 'l pw P i m pwfile proxycmd', skip: 1, joined: true })],
  ['sshpass', wrapper({ valued: 'f d p' })],
  ['mosh', wrapper({ skip: 1 })],
  ['su', wrapper({ skip: EVERYWHERE, script: 'c command session-command' })],
  ['runuser', wrapper({ valued: 'u user g G', script: 'c command' })],
  ['choom', wrapper({ valued: 'n adjust p pid' })],
  ['pdsh', wrapper({ valued: 'w x l t u f', joined: true })],
  ['sbatch', wrapper({ skip: EVERYWHERE, script: 'wrap' })],
  ['nodemon', wrapper({ skip: EVERYWHERE, script: 'x exec' })],
  ['sg', wrapper({ skip: EVERYWHERE, script: 'c' })],
  ['script', wrapper({ skip: EVERYWHERE, script: 'c command' })],
  ['capsh', wrapper({ skip: EVERYWHERE, script: 'c' })],
  ['nix-shell', wrapper({ skip: EVERYWHERE, script: 'run command' })],
  ['nix', wrapper({ skip: EVERYWHERE, script: 'c command' })],
  ['vagrant', wrapper({ skip: EVERYWHERE, script: 'c command' })],
  [
    'docker',
    wrapper({
      valued: DOCKER_VALUES,
      skip: 1,
      subcommands: ['exec', 'run', 'container exec', 'container run', 'compose exec', 'compose run'],
    }),
  ],
  [
    'podman',
    wrapper({ valued: DOCKER_VALUES, skip: 1, subcommands: ['exec', 'run', 'container exec', 'container run'] }),
  ],
  ['nerdctl', wrapper({ valued: DOCKER_VALUES, skip: 1, subcommands: ['exec', 'run'] })],
  ['docker-compose', wrapper({ valued: DOCKER_VALUES, skip: 1, subcommands: ['exec', 'run'] })],
  ['kubectl', wrapper({ valued: KUBE_VALUES, subcommands: ['exec', 'run', 'debug'], afterDashes: true })],
  ['oc', wrapper({ valued: KUBE_VALUES, subcommands: ['exec', 'run', 'rsh'], afterDashes: true })],
  ['lxc', wrapper({ subcommands: ['exec'], afterDashes: true })],
  ['incus', wrapper({ subcommands: ['exec'], afterDashes: true })],
  ['multipass', wrapper({ subcommands: ['exec'], afterDashes: true })],
  ['toolbox', wrapper({ valued: 'c container', subcommands: ['run'] })],
  ['distrobox', wrapper({ subcommands: ['enter'], afterDashes: true })],
  ['flatpak-spawn', wrapper({ valued: 'env directory' })],
  ['uv', wrapper({ valued: 'p python with', subcommands: ['run', 'tool run'] })],
  ['poetry', wrapper({ subcommands: ['run'] })],
  ['pipenv', wrapper({ subcommands: ['run'] })],
  ['pdm', wrapper({ subcommands: ['run'] })],
  ['hatch', wrapper({ subcommands: ['run'] })],
  ['rye', wrapper({ subcommands: ['run'] })],
  ['pixi', wrapper({ subcommands: ['run'] })],
  ['bundle', wrapper({ subcommands: ['exec'] })],
  ['conda', wrapper({ valued: 'n name p prefix', subcommands: ['run'] })],
  ['mamba', wrapper({ valued: 'n name p prefix', subcommands: ['run'] })],
  ['direnv', wrapper({ skip: 1, subcommands: ['exec'] })],
  ['devbox', wrapper({ subcommands: ['run'] })],
  ['npx', wrapper({ valued: 'p package', script: 'c call' })],
  ['bunx', PLAIN],
  ['pnpm', wrapper({ subcommands: ['exec', 'dlx'] })],
  ['yarn', wrapper({ subcommands: ['exec', 'dlx'] })],
  ['npm', wrapper({ valued: 'p package w workspace', script: 'c call', subcommands: ['exec', 'x'] })],
  ['op', wrapper({ subcommands: ['run'], afterDashes: true })],
  ['doppler', wrapper({ subcommands: ['run'], afterDashes: true })],
  ['aws-vault', wrapper({ subcommands: ['exec'], afterDashes: true })],
  ['chamber', wrapper({ subcommands: ['exec'], afterDashes: true })],
  ['dotenv', wrapper({ valued: 'f e', afterDashes: true })],
  ['heroku', wrapper({ valued: 'a app', subcommands: ['run'] })],
  ['watchexec', wrapper({ valued: 'w watch e exts i ignore' })],
  ['entr', PLAIN],
  ['start-stop-daemon', wrapper({ valued: 'x exec a startas p pidfile', afterDashes: true })],
]);

/** Shells that take a script by `-c`, by file, or on standard input. */
export const SHELLS: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh ksh93 mksh ash fish csh tcsh rbash osh yash'.split(' '),
);

/** Interpreters that take code in place, and the options for it. */
export const INTERPRETERS: ReadonlyMap<
  string,
  { language: string; code: ReadonlySet<string>; valued: ReadonlySet<string> }
> = new Map(
  (
    [
      ['python', 'python', 'c', 'W X m'],
      ['perl', 'perl', 'e E', 'I M m'],
      ['ruby', 'ruby', 'e', 'I r C'],
      ['node', 'javascript', 'e eval p print', 'r require import'],
      ['nodejs', 'javascript', 'e eval p print', 'r require import'],
      ['bun', 'javascript', 'e eval p print', 'r'],
      ['deno', 'javascript', 'e', ''],
      ['php', 'php', 'r B R E', 'd c z'],
      ['lua', 'lua', 'e', 'l'],
      ['luajit', 'lua', 'e', 'l'],
      ['osascript', 'applescript', 'e', 'l s'],
      ['rscript', 'r', 'e', ''],
      ['julia', 'julia', 'e E eval', 'p t J'],
      ['groovy', 'groovy', 'e', ''],
      ['elixir', 'elixir', 'e eval', ''],
      ['scala', 'scala', 'e', ''],
      ['tclsh', 'tcl', '', ''],
      ['expect', 'tcl', 'c', ''],
      ['gawk', 'awk', '', 'F v f'],
      ['mawk', 'awk', '', 'F v f'],
      ['awk', 'awk', '', 'F v f'],
    ] as const
  ).map(([name, language, code, valued]) => [
    name,
    { language, code: optionNames(code), valued: optionNames(`${code} ${valued}`) },
  ]),
);

/** The interpreter entry for a command name: `python3.12` is `python`. */
export function interpreterOf(name: string) {
  const entry = INTERPRETERS.get(name);
  if (entry !== undefined) return entry;
  const last = name.charCodeAt(name.length - 1);
  return last >= 48 && last <= 57 ? INTERPRETERS.get(name.replace(/[\d.]+$/, '')) : undefined;
}
