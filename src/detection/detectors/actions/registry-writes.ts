import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';
import { wordsOf } from './command-signs.ts';

/** Commands that change the registry, and the words without which they do not. */
const WRITERS: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['reg', /^(?:add|delete|import|copy|restore|load|unload)\b/],
  ['regini', undefined],
  ['regedit', /^\/s\b|\.reg\b/],
  ...'set-itemproperty new-itemproperty new-item set-item copy-item copy-itemproperty move-itemproperty rename-itemproperty remove-itemproperty remove-item clear-itemproperty clear-item set-acl'
    .split(' ')
    .map((name): [string, RegExp] => [name, /\bhk(?:lm|cu|cr|u|ey_\w+)\b|registry::/]),
]);

interface Rule {
  /** Held against key and value without backslashes, colons, quotes and blanks. */
  pattern: RegExp;
  kind: string;
  what: string;
  confidence: number;
}

const rule = (kind: string, what: string, confidence: number, ...patterns: readonly string[]): Rule => ({
  pattern: new RegExp(patterns.join('|')),
  kind,
  what,
  confidence,
});

/** From the most to the least certain: the first that fits is told. */
const RULES: readonly Rule[] = [
  rule(
    'persistence.registry_run',
    'changes a registry key from which programs are started',
    0.9,
    'currentversionrun(?!mru)',
    'policiesexplorerrun',
    'winlogon',
    'imagefileexecutionoptions',
    'silentprocessexit',
    '(?:user)?shellfolders',
    'active ?setup',
    'app(?:init_?dlls|certdlls)',
    'userinitmprlogonscript',
    'sessionmanager',
    'inproc(?:server|handler)|localserver32|treatas|scriptleturl|shellopencommand|shellrunascommand|delegateexecute|progidsopen',
    'browserhelperobjects|shellexecutehooks|shellserviceobjectdelayload|sharedtaskscheduler|contextmenuhandlers|shelliconoverlay',
    'commandprocessor.*autorun',
    'apppaths',
    'controllsa(?!.*runasppl)|securityproviders',
    'print(?:monitors|processors|providers)|controlprint',
    'microsoftnetsh',
    'timeproviders',
    'startupprograms|initialprogram|alternateshell',
    'officetest|office.*(?:addins|startup-?path|webview|opennew|osfinstaller|pluginsactivation)|outlook.*(?:webview|homepage)',
    'scrnsave\\.exe',
    'accessibilityats',
    'bootverificationprogram',
    'telemetrycontroller',
    'mycomputer(?:cleanup|backup|defrag)path',
    'eventviewer.*redirectionprogram',
    'windowserrorreporting(?:hangs|runtimeexceptionhelpermodules)|aedebug',
    'htmlhelpauthor|dlloverridepath',
    'microsoftamsiproviders|featureamsi',
    'autodialdll|servicedll|netprovisioning|networkprovider',
    'credentialproviders|passwordfilter|notificationpackages|securitypackages',
    'cor_?profiler|complus_|dotnet_startup_hooks',
    'extensioninstallforcelist',
    'codecs?32|drivers32|msacm',
    'windowsload|windowsrun',
    'explorerfileexts.*userchoice|classes(?:exefile|mscfile|ms-settings|\\.exe)',
    'wmiautologger.*(?:start|enabled)',
  ),
  rule(
    'persistence.service',
    'changes a service in the registry',
    0.85,
    '(?:currentcontrolset|controlset00\\d)services',
  ),
  rule(
    'privilege.uac_bypass',
    "weakens the system's checks of who is an administrator",
    0.85,
    'enablelua|consentprompt|promptonsecuredesktop|filteradministratortoken|localaccounttokenfilterpolicy|uacdisable|alwaysinstallelevated|enableinstallerdetection|validateadmincodesignatures',
    'fdenytsconnections|singlesessionperuser|terminalserver(?:client)?|terminalservices|userauthentication|restrictedadmin|allowencryptionoracle|credssp',
    'everyoneincludesanonymous|restrictanonymous|nolmhash|lmcompatibilitylevel|limitblankpassword|autoadminlogon|specialaccountsuserlist|scforceoption',
    'symlinkremoteto|symlinklocalto',
    'trustedhosts|allowunencrypted|allowbasic',
  ),
  rule(
    'credential.process_memory',
    'has the system keep passwords where they can be read',
    0.9,
    'uselogoncredential|runasppl|lsacfgflags|disablerestrictedadmin|tokenleakdetect',
  ),
  rule(
    'evasion.defenses',
    'switches off a guard in the registry',
    0.85,
    'windowsdefender|antimalware|securitycenter|tamperprotection|smartscreen|wintrust|amsi',
    'eventlog|winevt|autologger|etwenabled|tracing',
    'scriptblocklogging|modulelogging|transcription|processcreationincludecmdline|executionpolicy',
    'disable(?:registrytools|taskmgr|cmd|lockworkstation|changepassword|notificationcenter|antispyware|realtimemonitoring|config|sr\\b)|toastenabled',
    'policiesexplorer|nocontrolpanel|noclose|nologoff|norun|nodesktop|novirtmempage',
    'hidefileext|showsuperhidden|advancedhidden|hideicons|showinfotip|showcompcolor',
    'enablefirewall|firewallpolicy|disablenotifications|globallyopenports|authorizedapplications',
    'protectedview|vbawarnings|accessvbom|trustrecords|trustedlocations|blockcontentexecution|markinternalasunsafe|securitylevel|office.*security',
    'zonemap|internetsettings|warnonpost|proxyserver|autoconfigurl|savezoneinformation|attachments',
    'windowsupdate|noautoupdate|systemrestore|disablesr|policiesfve|fve(?:usetpm|enablebde)?',
    'deviceguard|hypervisorenforced|vulnerabledriverblocklist|cipolicy|safeboot|bootexecute|mitigationoptions',
    'smb1|requiresecuritysignature|enablesecuritysignature',
    'consentstore|windowsai|activitydata|grouppolicyrefresh',
    'legalnotice|minint|crashcontrol|windowsscriptsettings|windowsscripthost|dontshowui|errorreportingdisabled',
    'privacyexperience|secondaryauthentication|dodownloadmode|disableremotedesktopantialias|disablesecuritysettings',
  ),
  rule(
    'evasion.defenses',
    'changes how the whole machine is set up, or what its policies are, in the registry',
    0.72,
    'hk(?:lm|ey_local_machine)(?:system|softwarepolicies|softwaremicrosoftwindows|softwarewow6432nodemicrosoftwindows)',
    'hk(?:cu|ey_current_user)softwarepolicies|currentversionpolicies',
  ),
];

/** What developers set on their own machines. */
const HARMLESS =
  /longpathsenabled|allowdevelopmentwithoutdevlicense|appmodelunlock|ntfsdisable8dot3|controlsessionmanagerenvironment(?!.*(?:cor_?profiler|complus|dotnet_startup))|appsuselighttheme|systemusestheme/;

/** Reports a change of the registry by which something is started, weakened or hidden. */
export function readRegistryWrite(command: ShellCommand, found: Action[]): void {
  if (!WRITERS.has(command.name)) return;
  const words = wordsOf(command);
  if (WRITERS.get(command.name)?.test(words) === false) return;
  // What is copied is only read.
  const target = command.name.startsWith('copy-item') ? words.replace(/^.*\s-dest\w{0,8}\s/, '') : words;
  const subject = target.replace(/[\\:"'\s]+/g, '');
  if (HARMLESS.test(subject)) return;
  const rule = RULES.find(({ pattern }) => pattern.test(subject));
  if (rule === undefined) return;
  const { kind, what, confidence } = rule;
  found.push({ kind, severity: 'high', confidence, what: `${what} (${named(command.name)})`, origin: command.origin });
}
