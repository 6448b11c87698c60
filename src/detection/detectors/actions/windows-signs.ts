import { indexSigns } from './command-signs.ts';
import { signsOf } from './sign-makers.ts';

const blinds = signsOf('evasion.defenses', 'switches off what watches over the machine', 0.85);
const clears = signsOf('evasion.logs', 'drops or stops records of the system', 0.85);
const hides = signsOf('evasion.attributes', 'hides a file', 0.72);
const streams = signsOf('evasion.attributes', 'puts something into a stream of a file that nobody sees', 0.8);
const trusts = signsOf('evasion.trust', 'has the machine trust a certificate', 0.8);
const disguises = signsOf('evasion.masquerade', 'makes a directory that looks like one of the system', 0.85);
const recovers = signsOf('evasion.recovery', 'takes away what a machine is restored from', 0.85);
const opensFirewall = signsOf('evasion.firewall', 'opens the firewall', 0.8);
const hashes = signsOf('credential.account_hashes', 'takes a copy of the directory of accounts', 0.85);
const secrets = signsOf('credential.application_secrets', 'has a server show the passwords that it keeps', 0.85);
const domainSecrets = signsOf('credential.account_hashes', 'asks the directory for passwords', 0.85);
const keyring = signsOf('credential.keyring', 'takes keys or logins that Windows keeps', 0.8);
const remotely = signsOf(
  'privilege.remote_execution',
  'opens machines to commands from others, or others to commands from here',
  0.75,
);
const accounts = signsOf('privilege.account', 'changes accounts or their rights', 0.8);
const everybody = signsOf('privilege.world_writable', 'lets everybody in', 0.75);
const cloud = signsOf('privilege.cloud', 'makes or widens an identity in a cloud account', 0.75);
const cloudLogs = signsOf('evasion.cloud_logs', "stops a cloud account's records or filters", 0.8);
const mail = signsOf('collection.mail', "has somebody's mail sent elsewhere, or opens it to others", 0.8);
const starts = signsOf('persistence.registry_run', 'changes what is started when files of a kind are opened', 0.75);
const opensLogin = signsOf('persistence.accessibility', "changes Windows' accessibility programs", 0.85);
const modules = signsOf('persistence.web_shell', 'has a web server load a module', 0.8);
const drivers = signsOf('persistence.kernel_module', 'loads a driver', 0.72);
const tasks = signsOf('persistence.scheduled_task', 'makes or changes a scheduled task', 0.85);
const cloudTasks = signsOf('persistence.scheduled_task', 'has a cloud account run something by itself', 0.72);
const sniffs = signsOf('collection.network', 'records network traffic', 0.75);
const watches = signsOf('collection.screen', 'records the screen', 0.75);
const surveys = signsOf('recon.domain', 'looks a domain over for a way in', 0.75);
const asks = signsOf('collection.password_prompt', 'asks a person for a password', 0.8);
const letsIn = signsOf('exfiltration.tunnel', 'lets others work on this machine from afar', 0.75);

const GUARD_TASKS = 'windows defender|exploitguard|systemrestore|windowsupdate|sysmain|malicious';

/** What can be started before anybody logged in. */
const ACCESSIBILITY = /system32\\(?:sethc|utilman|osk|magnify|narrator|displayswitch|atbroker)\.exe/;

/** Commands of Windows, and cmdlets, that weaken, open or spy on a machine, a domain or a tenant. */
export const WINDOWS_SIGNS = indexSigns([
  blinds('sysmon sysmon64 sysmon64a', /(?:^| )[-/]u\b/),
  blinds('dism', /\/(?:disable-feature|remove-capability|remove-package)\b.*(?:defender|smartscreen)/),
  blinds(
    'remove-windowsfeature remove-windowscapability remove-appxpackage remove-appxprovisionedpackage',
    /defender|sechealth/,
  ),
  blinds('wmic', /\\*defender\b.*\bcall (?:add|set|remove)\b|securitycenter2?\b.*\bdelete\b|antivirus.*\bcall\b/),
  blinds('schtasks', new RegExp(`/(?:delete|change|end)\\b.*(?:${GUARD_TASKS})`)),
  blinds('disable-scheduledtask unregister-scheduledtask', new RegExp(GUARD_TASKS)),
  blinds('secedit', /\/(?:configure|import)\b/),
  blinds(
    'set-smbserverconfiguration set-smbclientconfiguration',
    /smb1protocol:? ?\$?true|securitysignature:? ?\$?false|encryptdata:? ?\$?false/,
  ),
  blinds('enable-windowsoptionalfeature', /smb1|powershellv2|telnetclient/),
  blinds('falconctl cbctl sentinelctl', /-d\b|--?(?:delete|uninstall|unload|disable)|unload|disable|unprotect|--aid/),
  blinds('ossec-control wazuh-control', /\bstop\b|\bdisable\b/),
  blinds('set-processmitigation', /-disable\b/),
  blinds('set-mpcomputerstatus', undefined),
  clears('logman', /^(?:stop|delete|update)\b.*(?:eventlog|-ets|-p )/),
  clears('set-etwtraceprovider remove-etwtraceprovider stop-etwtracesession remove-etwtracesession'),
  clears('set-logproperties', /enabled|false/),
  clears('fsutil', /\bsetzerodata\b|8dot3|usn deletejournal/),
  clears('set-adminauditlogconfig', /\$?false|disabled/),
  hides('attrib', /(?=.*\+[a-z]*h)(?=.*\+[a-z]*s)/),
  streams('set-content add-content out-file new-item clear-content', /-stream\b/),
  streams(
    'type findstr expand extrac32 esentutl makecab diantz certutil wmic rundll32 regedit reg bitsadmin tar cmd start-process forfiles wscript cscript print',
    /\\[^\s:\\]*\.[a-z]{2,4}:[\w.$-]{1,64}(?:\s|$|")/,
  ),
  trusts(
    'import-certificate import-pfxcertificate move-item copy-item',
    /cert:\\*(?:localmachine|currentuser)\\*(?:root|authroot|trustedpublisher|ca)\b/,
  ),
  trusts('certutil', /[-/](?:addstore|installroot|importpfx)\b/, /[-/]viewstore/),
  trusts('certmgr', /[-/]add\b/),
  disguises('mkdir md mklink new-item copy copy-item xcopy', /(?:^|[\\:])windows \\|(?:^|\\)\.{3,}(?:\\|$)/),
  recovers('vssadmin', /\b(?:delete|resize) shadow/),
  recovers('diskshadow'),
  recovers('wbadmin', /^(?:delete|disable|stop)\b/),
  recovers('manage-bde', /[-/]protectors [-/](?:delete|disable)\b/),
  recovers('disable-computerrestore remove-computerrestorepoint'),
  opensFirewall(
    'set-netfirewallrule set-netfirewallprofile set-netfirewallsetting',
    /-enabled:? ?false|-action:? ?allow|-defaultinboundaction:? ?allow|notconfigured/,
  ),
  opensFirewall('new-netfirewallhypervvmrule set-netfirewallhypervvmsetting', /allow/),
  hashes('ntdsutil dsdbutil', /snapshot|ntds|\bifm\b|activate instance/),
  hashes('wmic', /shadowcopy\b.*\bcreate\b/),
  hashes('vssadmin', /\bcreate shadow/),
  hashes(
    'copy copy-item xcopy robocopy esentutl certutil mklink type get-content',
    /shadowcopy|globalroot|\\config\\(?:sam|system|security)\b|ntds\.dit/,
  ),
  domainSecrets('findstr select-string grep', /cpassword|sysvol.*policies/),
  secrets('appcmd', /(?:^| )list\b.*(?:\/text:|\/@t|\/config|\/xml)/),
  secrets('aspnet_regiis', /-pdf?\b/),
  modules('appcmd', /\b(?:install|add) module\b/),
  modules('new-webglobalmodule enable-webglobalmodule'),
  domainSecrets(
    'get-adcomputer get-adobject get-aduser get-domaincomputer',
    /mcs-admpwd|mslaps|unixuserpassword|msds-managedpassword/,
  ),
  domainSecrets(
    'get-adreplaccount get-addbaccount get-lapsadpassword get-admpwdpassword find-admpwdextendedrights get-adserviceaccountpassword',
  ),
  keyring('export-pfxcertificate export-aadintadfscertificates'),
  keyring('certutil', /[-/]exportpfx\b/),
  keyring('cmdkey', /\/(?:list|add|generic)\b/),
  keyring('get-storedcredential get-vaultcredential get-credentialmanager'),
  remotely(
    'enable-psremoting enable-wsmancredssp set-wsmanquickconfig enable-pssessionconfiguration register-pssessionconfiguration',
  ),
  remotely('winrm', /^(?:quickconfig|qc|set|s)\b/),
  remotely('set-item', /wsman:.*(?:trustedhosts|allowunencrypted|auth)/),
  remotely('net', /^use\b.*\b(?:[a-z]|ipc|admin)\$ .*(?:[-/]u(?:ser)?:|\S)/, /\/d(?:elete)?\b/),
  remotely('new-psdrive', /\\\\?[^\s\\]+\\?(?:[a-z]|admin|ipc)\$/),
  remotely('winrs', /-r(?:emote)?:/),
  remotely('copy copy-item cp xcopy robocopy move move-item', /\\\\[\w.-]{1,64}\\(?:[a-z]|admin)\$\\?\S*$/),
  remotely('mstsc', /\/shadow:/),
  remotely('remcom remcomsvc psexesvc csexec xcmd'),
  remotely('psservice pskill psshutdown', /\\\\/),
  accounts(
    'remove-localuser disable-localuser rename-localuser remove-aduser disable-adaccount set-adaccountcontrol add-adprincipalgroupmembership set-aduser set-adobject set-adcomputer grant-adpermission remove-adgroupmember new-adgroup new-adcomputer set-adgroup new-adserviceaccount',
  ),
  accounts('dsadd dsmod dsrm', /^(?:user|group|computer)\b/),
  accounts('net net1', /^accounts\b.*\/(?:lockout|minpw|maxpw|uniquepw)/),
  accounts('wmic', /\buseraccount\b.*\b(?:set|call|rename|delete)\b/),
  accounts('set-addefaultdomainpasswordpolicy set-adfinegrainedpasswordpolicy'),
  everybody('new-smbshare grant-smbshareaccess', /everyone|jeder|anonymous/),
  everybody('net net1', /^share\b.*(?:\/grant:?"?(?:everyone|users)|=[a-z]:\\?(?: |$))/),
  everybody(
    'icacls cacls subinacl',
    /\/grant:?r?\s.*(?:everyone|\*?s-1-1-0|authenticated users|users):?\S*[fmw]\b|\/e \/g (?:everyone|users)/,
  ),
  cloud(
    'add-azureaddirectoryrolemember add-msolrolemember new-azroleassignment new-azadserviceprincipal new-azadappcredential new-azadspcredential new-azureadapplicationpasswordcredential new-azureadserviceprincipalpasswordcredential new-azureadserviceprincipal new-azureaduser new-msoluser new-msolfederateddomain new-msoldomain set-msoldomainauthentication set-msoldomainfederationsettings add-azureadgroupmember set-azkeyvaultaccesspolicy new-mgserviceprincipal new-mgdirectoryrolememberbyref new-mgroleManagementDirectoryRoleAssignment new-iamuser new-iamaccesskey register-iamuserpolicy register-iamrolepolicy'.toLowerCase(),
  ),
  cloudTasks(
    'new-azautomationrunbook import-azautomationrunbook register-azautomationscheduledrunbook new-azautomationwebhook',
  ),
  cloudLogs(
    'set-mailboxauditbypassassociation remove-antiphishrule disable-antiphishrule remove-malwarefilterrule disable-malwarefilterrule remove-safeattachmentrule disable-safelinksrule remove-transportrule disable-transportrule remove-unifiedauditlogretentionpolicy remove-azdiagnosticsetting remove-azactivitylogalert remove-azeventhub remove-azkeyvaultdiagnosticsetting disable-azdiagnosticsetting set-azdiagnosticsetting remove-azresourcelock stop-cttrail remove-cttrail',
  ),
  cloudLogs('set-mailbox set-organizationconfig set-casmailbox', /audit(?:enabled|disabled)/),
  mail('new-inboxrule set-inboxrule new-transportrule', /forward|redirect|deletemessage|bcc|blindcopy|movetofolder/),
  mail('set-mailbox', /forwarding(?:smtp)?address|delivertomailbox/),
  mail('add-mailboxpermission add-mailboxfolderpermission add-recipientpermission'),
  mail('new-mailboxexportrequest new-mailboxsearch'),
  starts('assoc ftype', /=\S/),
  opensLogin('mklink new-item copy copy-item xcopy move move-item', ACCESSIBILITY),
  drivers('pnputil', /[-/](?:i\b.*[-/]a\b|a\b|add-driver)/),
  drivers('devcon', /^install\b/),
  tasks('invoke-cimmethod', /ps_scheduledtask|registerbyxml/),
  sniffs('new-neteventsession start-neteventsession add-neteventpacketcaptureprovider'),
  sniffs('nmcap netmon microsoft.network.monitor', /\S/),
  sniffs('pktmon', /^start\b.*(?:-c|--capture|etw)/),
  surveys('nltest', /\/(?:domain_trusts|trusted_domains|dclist)/),
  surveys('setspn', /(?:^| )[-/](?:q|t)\b.*\*\/\*/),
  surveys('dsquery', /^\*|^(?:group|computer|user)\b.*(?:admin|-limit 0)/),
  surveys(
    'net net1',
    /^groups? .*(?:domain|enterprise|schema) (?:admins|controllers)|^groups? .*exchange (?:organization|trusted).*\/do/,
  ),
  surveys(
    'get-aduser get-adcomputer get-adgroup get-adobject',
    /-f(?:ilter)? ?["']?\*|doesnotrequirepreauth|useraccountcontrol|serviceprincipalname|admincount|trustedfordelegation/,
  ),
  surveys('csvde', /-f\b/),
  watches('psr', /\/start\b/),
  asks('get-credential', /-message\b.*(?:update|security|windows|login)/),
  letsIn(
    'anydesk teamviewer screenconnect rustdesk ultraviewer atera_agent ateraagent splashtop_streamer logmein gotoassist ammyy_admin aa_v3 supremo remoteutilities rutserv dwagent dwservice meshagent netsupport client32 ultravnc winvnc tvnserver tightvnc radmin rserver3 nxserver pdqdeployconsole bomgar zohoassist simplehelp action1 level-agent quickassist',
    /\S/,
    /^--?(?:version|help|get-id)/,
  ),
  letsIn('winvnc4 x11vnc vncserver tigervncserver', /-connect\b|-nopw\b|securitytypes ?=?none/),
]);
