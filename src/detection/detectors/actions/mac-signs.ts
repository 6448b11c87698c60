import { indexSigns } from './command-signs.ts';
import { signsOf } from './sign-makers.ts';

const blinds = signsOf('evasion.defenses', 'switches off what protects the machine', 0.85);
const clears = signsOf('evasion.logs', 'drops or stops records of the system', 0.8);
const opensFirewall = signsOf('evasion.firewall', 'opens the firewall', 0.8);
const recovers = signsOf('evasion.recovery', 'takes away what a machine is restored from', 0.8);
const accounts = signsOf('privilege.account', 'changes accounts or their passwords', 0.8);
const login = signsOf('privilege.login', 'lets people log in from afar', 0.8);
/** A setting that people switch on for themselves. */
const asksToLogin = signsOf('privilege.login', 'lets people log in from afar', 0.8, 'medium');
const preloads = signsOf('privilege.preload', 'has a library loaded into programs', 0.8);
const starts = signsOf('persistence.launch_agent', 'has something run at login', 0.8);
const profiles = signsOf('persistence.hook', 'installs a profile that the machine obeys', 0.75);
const modules = signsOf('persistence.kernel_module', 'loads an extension of the kernel', 0.75);
const logins = signsOf('credential.browser', "takes what a browser's person is logged in to", 0.75);
const hashes = signsOf('credential.account_hashes', 'reads the password hashes of accounts', 0.85);
const keyring = signsOf('credential.keyring', 'opens key rings, or changes who may', 0.8);
const scripted = signsOf('shell.proxy_execution', 'runs a hidden command from a script for applications', 0.75);
const erases = signsOf('evasion.logs', 'deletes records by a script for applications', 0.8);
const takes = signsOf('collection.personal', 'copies what a person keeps by a script for applications', 0.8);
const types = signsOf('collection.keyboard', 'types for the person, or reads what they type', 0.72);
const proxies = signsOf('exfiltration.tunnel', "sends the machine's traffic by way of another", 0.75);

/** Commands of macOS that weaken or open a machine, or make something stay. */
export const MAC_SIGNS = indexSigns([
  // What one program of somebody's own may do is asked again when it is next needed.
  blinds('tccutil', /^reset\b/, /^reset \w{1,40} (?!com\.apple\.)[a-z][\w-]{0,40}(?:\.[\w-]{1,64}){1,6}$/),
  blinds('sqlite3', /\btcc\.db\b.*\b(?:insert|update|delete|replace)\b/),
  blinds('fdesetup', /^(?:disable|removerecovery|changerecovery|authrestart)\b/),
  blinds('nvram', /(?:boot-args|csr-active-config)\b.*=/),
  blinds('bputil', /(?:^| )-[a-z]*[dknas]/),
  blinds('defaults', /\bwrite\b.*\b(?:lsquarantine|gkautorearm|disablelibraryvalidation|enableguest|guestenabled)\b/),
  blinds('defaults', /\bwrite\b.*com\.apple\.(?:softwareupdate|commerce|xprotect)\b.*(?:false|no|-int 0|\b0)\b/),
  blinds('softwareupdate', /--schedule off/),
  blinds('pwpolicy', /clearaccountpolicies|setglobalpolicy|setaccountpolicies/),
  blinds('codesign', /--remove-signature\b.*(?:\/applications|\/library|\/usr)/),
  blinds('installer', /-allowuntrusted/),
  blinds('santactl', /\b(?:rule|bundleinfo|sync)\b.*(?:--allow|--remove|--clean)/),
  opensFirewall('defaults', /\bwrite\b.*com\.apple\.alf\b/),
  opensFirewall(
    'socketfilterfw',
    /--set(?:globalstate|blockall|stealthmode|loggingmode) off|--(?:add|unblockapp|remove)\b|--setallowsigned/,
  ),
  clears('log', /^config\b.*(?:level:off|persist:off|stream:off|reset)/),
  clears('aslmanager', /-store_ttl|-size/),
  clears('audit', /^-t\b/),
  recovers(
    'tmutil',
    /^(?:disable|disablelocal|delete|deletelocalsnapshots|thinlocalsnapshots|addexclusion|removedestination)\b/,
  ),
  accounts('dscl', /(?:^| )-?(?:delete|passwd|change|createpl)\b/, /^\S+ -?(?:read|list|search)\b/),
  accounts('sysadminctl', /-(?:deleteuser|newpassword|adduser|resetpasswordfor|autologin)/),
  accounts('dseditgroup', /-o (?:edit|create|delete)\b/),
  login('systemsetup', /-setremoteappleevents on|(?:^| )-f .*-setremotelogin on|-setremotelogin -f on/),
  asksToLogin('systemsetup', /-setremotelogin on/),
  login('kickstart', /-(?:activate|configure|restart|access|allowaccessfor)\b/),
  login('launchctl', /\b(?:load|enable|bootstrap)\b.*(?:\bssh\b|sshd|screensharing|remotemanagement|smbd|telnetd|ftp)/),
  preloads('launchctl', /^setenv dyld_/),
  preloads('plistbuddy defaults plutil', /\bdyld_insert_libraries\b/),
  starts(
    'plistbuddy plutil',
    /(?:launchagents|launchdaemons|loginwindow|loginitems|dock)\b.*(?:add|set|insert|replace)|(?:add|set|insert|replace)\b.*(?:launchagents|launchdaemons|loginwindow|loginitems|:programarguments|runatload)/,
  ),
  starts('sfltool', /add-item|resetlist/),
  starts('osascript', /\.(?:osa|scpt|applescript)\b.*login|login[_ -]?item/),
  starts('defaults', /\bwrite\b.*(?:com\.apple\.loginitems|launchagents|launchdaemons|startup)/),
  profiles('profiles', /(?:^| )-?(?:install|-i\b|i\b)|^-[a-z]*i/),
  modules('kextload kextutil', /^(?:-\S+ )*\//),
  modules('kmutil', /^(?:load|install|configure-boot)\b/),
  modules('systemextensionsctl', /^developer on/),
  logins(
    'open chrome chromium chromium-browser google-chrome msedge brave opera vivaldi',
    /--remote-debugging-(?:port|pipe|address)|--load-extension=\/?(?:tmp|private|users\/shared)/,
    /--user-data-dir|--headless/,
  ),
  keyring(
    'security',
    /^(?:authorizationdb (?:write|remove)|set-key-partition-list|set-keychain-settings|create-filevaultmaster)/,
  ),
  scripted(
    'osascript',
    /\bdo (?:shell )?script\b.*(?:\btor\b|curl|nc |bash -i|\/dev\/tcp|\/tmp\/|base64|administrator privileges)|-l javascript\b.*(?:doshellscript|\$\.system|nstask|eval\()/,
  ),
  scripted(
    'osascript osacompile',
    /https?:|\/(?:tmp|private\/tmp|users\/shared)\/\S+\.(?:scpt|applescript|osa|js)\b/,
    /^(?:-e )?(?:(?!do shell script|do javascript|https?:).){0,160}\bopen location ["']?https?:\/\/[^"' ]{1,256}["']?['"]?$/,
  ),
  hashes('defaults plutil cat xxd cp dscl', /dslocal\/nodes\/\w{1,32}\/users|\bshadowhashdata\b/),
  erases('osascript', /\bdelete\b.*posix file ?["']?\/(?:private\/)?(?:var\/log|var\/audit|library\/logs)/),
  takes(
    'osascript',
    /(?:duplicate|copy|do shell script)\b.*(?:cookies\.binarycookies|notestore|chat\.db|login\.keychain|keychains|history\.db|addressbook|group\.com\.apple\.notes)|(?:cookies\.binarycookies|notestore|chat\.db|keychains|group\.com\.apple\.notes).*\bduplicate\b/,
  ),
  takes('osascript', /the clipboard\b.*(?:do shell script|curl|write)/),
  types('osascript', /system events\b.*\b(?:keystroke|key code)\b/),
  proxies(
    'networksetup',
    /-set(?:secure)?webproxy(?!state)|-setsocksfirewallproxy(?!state)|-setautoproxyurl|-setdnsservers/,
    /\b(?:off|empty)$/,
  ),
]);
