import type { FileAccess } from '../../facts/file-access.ts';
import type { FileOperation } from '../../facts/files/touched.ts';
import { belowHome } from '../../facts/paths.ts';
import { named } from '../../reason.ts';
import type { DetectorInput } from '../detector.ts';
import type { Action } from './action.ts';
import { writtenBy } from './written-content.ts';

type Touch = 'taken' | 'changed' | 'gone';

interface Spot {
  pattern: RegExp;
  /** What has to be done to it. */
  touch: readonly Touch[];
  kind: string;
  what: string;
  /** The program and its first word that do it for another reason. */
  except?: RegExp;
}

const TOUCH: Readonly<Record<FileOperation, Touch | undefined>> = {
  read: 'taken',
  load: undefined,
  list: undefined,
  write: 'changed',
  append: 'changed',
  delete: 'gone',
};

/** Held against paths from the root, or from a drive's. */
const SYSTEM_SPOTS: readonly Spot[] = [
  {
    pattern: /^\/(?:private\/)?var\/(?:spool\/)?mail\/./,
    touch: ['taken', 'changed', 'gone'],
    kind: 'collection.mail',
    what: "touches people's mail",
    // A mailbox is set up.
    except: /^(?:touch|chown) /,
  },
  {
    pattern:
      /^\/(?:etc\/pki\/ca-trust\/source\/(?:anchors\/?|.+)|usr\/(?:local\/)?share\/(?:ca-certificates|certs)(?:\/.*)?|etc\/ca-certificates\/trust-source\/.*|etc\/ssl\/certs\/.+|usr\/local\/etc\/ssl\/certs\/.+)$/,
    touch: ['changed'],
    kind: 'evasion.trust',
    what: 'has the machine trust a certificate',
    // It makes a certificate to serve, and leaves it beside those that are trusted, which is not to trust it.
    except: /^openssl req$/,
  },
  {
    pattern: /^[a-z]:\/[^:]{1,400}\.[a-z0-9]{1,5}:[\w.$-]{1,64}$/,
    touch: ['changed'],
    kind: 'evasion.attributes',
    what: 'puts something into a stream of a file that nobody sees',
  },
  {
    pattern: /^[a-z]:\/windows\/(?:prefetch|system32\/winevt\/logs|system32\/logfiles|appcompat\/programs)(?:\/|$)/,
    touch: ['gone', 'changed'],
    kind: 'evasion.logs',
    what: "deletes the system's records",
  },
  {
    pattern: /^[a-z]:\/(?:inetpub\/wwwroot|xampp\/htdocs)\/.*\.(?:aspx?|ashx|asmx|jsp|php|cfm)$/,
    touch: ['changed'],
    kind: 'persistence.web_shell',
    what: 'puts a page into a web server',
  },
  {
    pattern: /^[a-z]:\/windows\/(?:setup\/scripts|system32\/(?:drivers|spool\/drivers|wbem|oobe|com|tasks))\/./,
    touch: ['changed'],
    kind: 'persistence.hook',
    what: 'changes what Windows runs by itself',
  },
  {
    pattern: /^\/(?:dev\/shm|var\/tmp)\/\.[^/]|^\/tmp\/\.[^/]+\/\.[^/]/,
    touch: ['changed'],
    kind: 'evasion.attributes',
    what: 'hides a file where anybody can write',
  },
  {
    pattern:
      /^\/(?:mnt|media|host|hostfs|rootfs|proc\/1\/root)\/?[^/]*\/(?:etc\/(?:cron|sudoers|passwd|shadow|ld\.so\.preload|systemd|profile|init\.d|rc\.local)|root\/\.ssh|var\/spool\/cron)/,
    touch: ['changed'],
    kind: 'privilege.container_escape',
    what: "changes the host's files from within",
  },
  {
    pattern:
      /^\/library\/(?:application support\/com\.apple\.tcc\/|preferences\/com\.apple\.(?:alf|loginwindow|security))|^\/(?:private\/)?var\/db\/(?:\.applesetupdone|sudo|kernelmanagement)/,
    touch: ['changed', 'gone'],
    kind: 'evasion.defenses',
    what: 'changes what protects the machine',
  },
  {
    pattern: /^\/(?:private\/)?etc\/(?:aliases|at\.allow|at\.deny|cron\.deny|ftpusers|hosts\.(?:allow|deny))$/,
    touch: ['changed', 'gone'],
    kind: 'privilege.login',
    what: 'changes who may do what on the machine',
  },
];

/** Held against paths below a home directory. */
const HOME_SPOTS: readonly Spot[] = [
  {
    pattern:
      /^library\/(?:mail|messages|containers\/com\.apple\.mail|group containers\/group\.com\.apple\.notes|application support\/addressbook|calendars)\/.|^\.thunderbird\/.*\/(?:mail|imapmail)|^appdata\/(?:local\/(?:microsoft\/outlook|comms\/unistore)|roaming\/(?:microsoft\/outlook|thunderbird))\/.|^(?:mbox|maildir\/.+)$/,
    touch: ['taken', 'changed', 'gone'],
    kind: 'collection.mail',
    what: "touches a person's mail, messages or notes",
  },
  {
    pattern:
      /^library\/(?:safari\/(?:history|bookmarks|downloads)|application support\/(?:google\/chrome|firefox|microsoft edge)\/.*\/(?:history|bookmarks|places\.sqlite))|^\.(?:mozilla\/firefox|config\/(?:google-chrome|chromium))\/.*(?:history|bookmarks|places\.sqlite)|^appdata\/(?:local\/(?:google\/chrome|microsoft\/edge|bravesoftware\/[^/]+)\/user data\/.*\/(?:history|bookmarks|web data)|roaming\/mozilla\/firefox\/.*places\.sqlite)/,
    touch: ['taken'],
    kind: 'collection.personal',
    what: 'reads what a person looked at',
  },
  {
    pattern: /^\.(?:bash_logout|zlogout|logout)$/,
    touch: ['changed'],
    kind: 'persistence.shell_profile',
    what: 'has something run when a shell ends',
  },
  {
    pattern: /^appdata\/roaming\/microsoft\/windows\/(?:recent|powershell\/psreadline)(?:\/|$)/,
    touch: ['gone', 'changed'],
    kind: 'evasion.history',
    what: 'deletes what was recorded of a person',
  },
  {
    pattern:
      /^appdata\/(?:roaming|local)\/(?:microsoft\/(?:credentials|protect|vault|identitycache|tokenbroker)|google\/chrome\/user data(?:\/default)?\/?$|microsoft\/edge\/user data(?:\/default)?\/?$|mozilla\/firefox(?:\/profiles)?\/?$)/,
    touch: ['taken'],
    kind: 'credential.keyring',
    what: 'takes stored logins',
  },
  {
    pattern:
      /^appdata\/roaming\/microsoft\/(?:word\/startup|excel\/xlstart|addins|templates\/normal|outlook\/vbaproject)|^appdata\/local\/packages\/microsoft\.windowsterminal[^/]*\/localstate\/settings\.json$/,
    touch: ['changed'],
    kind: 'persistence.startup_folder',
    what: 'changes what starts with a program',
  },
  {
    pattern:
      /^library\/(?:preferences\/(?:byhost\/)?com\.apple\.loginwindow|application support\/com\.apple\.backgroundtask|startupitems)/,
    touch: ['changed'],
    kind: 'persistence.launch_agent',
    what: 'changes what starts at login',
  },
];

/** Files that Python runs whenever it starts, wherever its directories are. */
const PYTHON_HOOK = /(?:^|\/)(?:usercustomize|sitecustomize)\.py$|(?:site|dist)-?_?packages[^/]*\/[^/]+\.pth$/;
const PATH_FILE = /\.pth$/;
const RUNS_CODE = /^\s{0,8}import\s|\bimport (?:os|sys|subprocess|base64)\b|\bexec\s?\(/m;

const PACKAGE_SOURCE = /^\/etc\/apt\/sources\.list(?:\.d\/[^/]+)?$/;
/** `deb [trusted=yes] http://…`, of no machine in a network of one's own. */
const UNVOUCHED =
  /\[[^\]\n]{0,128}\btrusted=yes\b[^\]\n]{0,128}\]\s{1,8}http:\/\/(?!localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w-]{1,63}[:/]|[\w.-]{1,200}\.(?:internal|local|lan|corp)[:/])/;

/** Reports changes of files that matter to a machine's safety, and reads of those that are nobody's business. */
export function readTouchedFile(access: FileAccess, input: DetectorInput, found: Action[]): void {
  const touch = TOUCH[access.operation];
  const { path } = access;
  if (touch === undefined) return;
  const report = (kind: string, what: string, confidence: number): void => {
    const text = `${what}: ${named(path.text)} (${named(access.by)})`;
    found.push({ kind, severity: 'high', confidence, what: text, origin: access.origin });
  };
  if (touch === 'changed' && path.key.endsWith('.py') && PYTHON_HOOK.test(path.key))
    return report('persistence.interpreter', 'has Python run something at each start', 0.75);
  if (touch === 'changed' && PATH_FILE.test(path.key)) {
    if (PYTHON_HOOK.test(path.key) || RUNS_CODE.test(writtenBy(access, input)))
      return report('persistence.interpreter', 'has Python run something at each start', 0.8);
  }
  if (path.anchor === 'work_tree' || path.anchor === 'share') return;
  if (touch === 'changed' && PACKAGE_SOURCE.test(path.key) && UNVOUCHED.test(writtenBy(access, input)))
    return report('evasion.trust', 'has packages installed that nobody vouches for, over an open connection', 0.8);
  const command = access.command === undefined ? undefined : input.facts.shell.commands[access.command];
  const doer = `${access.by} ${command?.args[0]?.text ?? ''}`;
  const below = belowHome(path);
  const subject = below ?? path.key;
  const spot = (below === undefined ? SYSTEM_SPOTS : HOME_SPOTS).find(
    (item) => item.touch.includes(touch) && item.except?.test(doer) !== true && item.pattern.test(subject),
  );
  if (spot !== undefined) report(spot.kind, spot.what, 0.75);
}
