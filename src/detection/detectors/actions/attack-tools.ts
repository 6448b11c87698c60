import type { ShellCommand } from '../../facts/shell/model.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';

/** Programs that have no use but breaking in, spying or destroying, by their name without version, platform and ending. */
const TOOLS: ReadonlySet<string> = new Set(
  `chainbreaker mimikatz mimidrv mimipenguin mimilove kekeo lazagne pypykatz nanodump handlekatz dumpert outflank-dumpert outflank_dumpert physmem2profit safetykatz sharpkatz bettersafetykatz sharpdump
  pwdump pwdump7 fgdump gsecdump quarkspwdump wce cachedump creddump samdump2 sessiongopher webbrowserpassview mailpassview netpass vncpassview chromepass passwordfox browserstealer hackbrowserdata sharpchrome sharpchromium sharpweb sharpdpapi dpapick donpapi cookiemonster chlonium whitechocolatemacademianut
  rubeus kerbrute certify certipy certipy-ad whisker pywhisker krbrelay krbrelayup kerberoast getuserspns raisechild goldenpac samrdump dcshadow zerologon nopac petitpotam printerbug spoolsample dfscoerce coercer sharpdcsync
  secretsdump impacket-secretsdump impacket-ticketer impacket-psexec impacket-wmiexec impacket-smbexec impacket-atexec impacket-dcomexec impacket-ntlmrelayx impacket-getuserspns impacket-getnpusers impacket-gettgt impacket-getst impacket-goldenpac impacket-raisechild impacket-rbcd impacket-dacledit impacket-owneredit
  ticketer rbcd dacledit owneredit krbrelayx targetedkerberoast gettgtpkinit gets4uticket pkinittools pre2k timeroast bifrost kirbikator bloodyad printerbug petitpotam pywerview gmsadumper ldeep adalanche powermad sharpmad standin sharpgpoabuse pygpoabuse passthecert adcspwn certsync
  sharpsccm sccmhunter pxethief goexec scshell csexec winrmexec sharpsecdump dumpguard lsassy masky hekatomb dploot spraykatz netntlmtospn pretender pyrdp-mitm pyrdp-mitp farmer snaffler pysnaffler smbtakeover powersploit evilclippy macropack macro_pack officepurge phishery
  addspn pachine ms14-068 roadtx seamlesspass scmkit backupoperatortoolkit wtsimpersonator lsa-whisperer forgecert goldengmsa malsccm ccmpwn sqlrecon ouned gpohound sharpmaq sharpsuccessor sharpsuccessormad badsuccessor sharpprintnightmare printnightmare sharpwebserver sharplateral sharppersist sharpldapmonitor pylaps rpcrecon pyldapsearch shimit
  keychaindump osxpmem truffleproc gitrob legba brutespray bruteforce-luks
  sharpshooter excelntdonut packmypayload edrfreeze edrfreeze-gnu edr-freeze kdu ddexec
  pivotnacci regeorg neoregeorg neo-regeorg reverse-ssh ligolo ligolo-ng
  remcom smbexec wmiexec atexec dcomexec sharpwmi sharprdp sharpcom invoke-thehash
  ntlmrelayx inveigh inveighzero mitm6 smbrelayx evilginx evilginx2 modlishka gophish
  sharphound rusthound azurehound soaphound adfind adrecon adidnsdump pingcastle windapsearch godap sharpview powerview powerview_dev trufflesnout netscan advanced_ip_scanner softperfect
  seatbelt winpeas winpeasany linpeas linenum lse linux-smart-enumeration linux-exploit-suggester pspy unix-privesc-check linuxprivchecker beroot sharpup powerup privesccheck wesng traitor deepce peirates botb kdigger kubeletmein
  juicypotato juicypotatong roguepotato rottenpotato sweetpotato badpotato godpotato printspoofer efspotato sharpefspotato localpotato hotpotato akagi uacme uacbypass
  meterpreter msfcli msfpc sliver-client sliver-server havoc poshc2 pupy starkiller cobaltstrike teamserver covenant koadic silenttrinity sandcat hoaxshell revshell reverse_shell reverse-shell reverseshell bindshell bind_shell nimplant asyncrat njrat
  scarecrow veil-evasion ngrok-backdoor invoke-obfuscation pezor 
  phant0m sharpblock edrsandblast backstab killdefender defendnot defendercontrol disable-defender ghostdriver nsudo advancedrun processhacker pchunter
  keylogger keysniffer logkeys simplekeylogger pykeylogger
  dnscat dnscat2 dnscat2-powershell iodine iodined icmpsh icmptunnel ptunnel ptunnel-ng dnsexfiltrator dnsexfil cloakify egress-assess powercat nishang
  trevorspray msolspray domainpasswordspray sprayingtoolkit goawsconsolespray credmaster o365spray brutespray sprayhound smartbrute passthehash
  pacu cloudgoat enumerate-iam weirdaal scoutsuite-exploit stormspotter microburst roadrecon aadinternals graphrunner tokentactics teamfiltration
  diamorphine reptile suterusu azazel jynx2 beurk vlany bdvl rkduck
  xmrig xmr-stak minerd ransomware wannacry killdisk nimgrab shellcode_runner shellcoderunner processhollowing createremotethread createremotethreadnative createthread createthreadnative ntqueueapcthreadex uuid_injection`.split(
    /\s+/,
  ),
);

/** Functions of scripts for breaking in that do not give themselves away by a word below. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `get-netuser get-netcomputer get-netdomain get-netforest get-netgroup get-netgroupmember get-netsession get-netloggedon get-netlocalgroup get-netgpo get-netgpogroup get-netou get-netsite get-netsubnet get-netshare get-netfileserver get-netdomaincontroller get-netdomaintrust get-netforesttrust get-dfsshare
  get-domainuser get-domaincomputer get-domaingroup get-domaingroupmember get-domaincontroller get-domainpolicy get-domaintrust get-domaintrustmapping get-domainspnticket get-domainobjectacl get-domaingpo get-domainou get-domainsid get-foresttrust get-domainguidmap
  find-localadminaccess find-domainuserlocation find-domainshare find-interestingdomainsharefile find-interestingdomainacl find-interestingfile find-domainprocess find-domainlocalgroupmember find-pathdllhijack find-processdllhijack find-avsignature find-trusteddocuments find-pswdinregistry
  get-gpppassword get-gppautologon get-cachedgpppassword get-vaultcredential get-passhashes get-lsasecret get-keystrokes get-timedscreenshot get-unquotedservice get-modifiableservice get-modifiableservicefile get-registryalwaysinstallelevated get-registryautologon get-modifiablescheduledtaskfile get-webconfig get-applicationhost get-sitelistpassword get-unattendedinstallfile get-processtokengroup get-computerdetails get-dclogonevents get-uac get-system get-bruteforce get-wlan-keys get-chromedump get-foxdump get-browserinformation get-clipboardcontents get-indexeditem
  add-domainobjectacl add-domaingroupmember set-domainobject set-domainobjectowner set-domainuserpassword new-domainuser new-domaingroup new-userpersistenceoption new-elevatedpersistenceoption add-persistence install-ssp install-serviceBinary write-serviceBinary write-hijackdll write-useraddmsi add-exfiltration add-scrnsavebackdoor out-minidump out-dnstxt out-compresseddll out-encodedcommand out-word out-excel out-chm out-shortcut out-hta set-macroattribute
  mount-volumeshadowcopy new-volumeshadowcopy copy-vss remove-update set-criticalprocess set-masterbootrecord download_execute download-execute-ps execute-ontime execute-dns-txt-code http-backdoor dns_txt_pwnage gupt-backdoor parse_keys do-exfiltration start-captureserver enable-duplicatetoken set-remotewmi set-remotepsremoting test-mimikatz
  new-machineaccount set-machineaccountattribute add-userscript add-computerscript add-userrights add-objectacl add-gpoimmediatetask invoke-aclscanner invoke-smbautobrute invoke-dnsupdate invoke-psuacme invoke-mfasweep invoke-monkey365 get-sqlserverlinkcrawl get-lapscomputers get-pxecreds copy-filesebackupprivilege set-sebackupprivilege
  convertto-aadintbackdoor open-aadintoffice365portal start-athprocessunderspecificparent brute-ldap port-scan`
    .toLowerCase()
    .split(/\s+/),
);

/** What such functions are named after. */
const FUNCTION_WORDS =
  /^(?:invoke|get|new|set|export|find|add|start|install|enable|out|import|test)-\w{0,24}?(?:mimikatz|kerberoast|asreproast|bloodhound|dcsync|dcshadow|tokenmanipulation|reflectivepe|shellcode|smbexec|wmiexec|psexec|psinject|ninjacopy|credentialinjection|credentialphish|dllinjection|userhunter|processhunter|eventhunter|sharefinder|filefinder|allchecks|privesc|powerdump|inveigh|passwordspray|passwordbrute|\w*spray$|exfil|keylog|uac(?:bypass)?$|bypassuac|eventvwrbypass|fodhelper|sdcltbypass|wscriptbypass|potato|tater|phant0m|obfuscation|backdoor|rootkit|hollow|amsibypass|amsifail|psimage|thehash|winenum|hostrecon|sessiongopher|stealth|adrecon|sqloscmd|sqlimpersonate|sqlauditpriv|portscan|arpscan|rogue|poisontap|enumerateazure|enumeratelocaladmin|mapdomaintrust|aadint)|^\w+-(?:aadint|ath)\w+$/;

/** What says of a program what it is for, whatever else it is called. */
const NAME_WORDS =
  /(?:^|[-_.])(?:mimikatz|keylogg?er|rootkit|ransomware|reverse[-_]?shell|revshell|bind[-_]?shell|backdoor$|meterpreter|shellcode|process[-_]?(?:hollowing|injection)|dll[-_]?inject(?:or|ion)|uac[-_]?bypass|bypass[-_]?uac|cred(?:ential)?[-_]?(?:stuff(?:er|ing)|dump(?:er)?|stealer)|password[-_]?(?:spray(?:er|ing)?|stealer)|cookie[-_]?stealer|token[-_]?grabber|crypto[-_]?(?:locker|jack)|amsi[-_]?bypass|dns[-_]?exfil\w{0,10}|privesc|linpeas|winpeas|pwnkit|dirty[-_]?(?:cow|pipe|sock|cred)|baron[-_]?samedit|looney[-_]?tunables|cve[-_]\d{4}[-_]\d{4,6}(?!.*\.(?:md|txt|html?|json|ya?ml|patch|diff)))(?:$|[-_.\d])/;

/** What belongs to a suite by its name: Impacket's programs as Debian has them, Mimikatz' modules at its own prompt. */
const SUITE =
  /^(?:impacket-[a-z0-9_]{2,24}|(?:sekurlsa|lsadump|dpapi)::[a-z]{2,24}|kerberos::(?:golden|silver|list|ptt|ptc|ask|tgt|purge|hash)|vault::(?:cred|list)|crypto::(?:certificates|keys|capi|cng|extract|scauth))$/;

const ENDING = /(?:\.(?:exe|dll|py|ps1|psm1|psd1|sh|pl|rb|go|bat|cmd|js|vbs|jar|swift|bin|elf|app|x64|x86|x32))+$/;
/** Each piece can be read in one way only: a number is whole, and has something before it, or stands alone. */
const PLATFORM =
  /(?:[-_.]?(?:linux|windows|darwin|macos|win|amd64|arm64|x64|x86|x32|static)|64|32|[-_.]?v\d{1,6}(?!\d)|[-_.]\d{1,6}(?!\d)){1,8}$|(?<!\d)\d{1,6}$/;
/** Commands whose first operand is what they run or load. */
const LOADERS: ReadonlySet<string> = new Set(
  'source . import-module invoke-item start-process go swift java wine mono dotnet pwsh powershell'.split(' '),
);

/** Reports tools for breaking in, by what they are called or by what they are named after. */
export function readAttackTool(command: ShellCommand, found: Action[]): void {
  const { name } = command;
  if (isAttackTool(name) || (name.includes('-') && isAttackFunction(name))) return report(command, name, found);
  if (!LOADERS.has(name) && !SHELLS.has(name) && interpreterOf(name) === undefined) return;
  for (const { text } of command.args.slice(0, OPERANDS_MAX)) {
    if (text === '' || text.startsWith('-') || text.length > PATH_CHARS_MAX) continue;
    const base = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1).toLowerCase();
    if (ENDING.test(base) && isAttackTool(base)) return report(command, base, found);
  }
}

const OPERANDS_MAX = 4;
const PATH_CHARS_MAX = 512;
const NAME_CHARS_MAX = 64;

function isAttackTool(name: string): boolean {
  if (name.length > NAME_CHARS_MAX || name.length < 3) return false;
  const bare = name.replace(ENDING, '');
  if (TOOLS.has(bare)) return true;
  const plain = bare.replace(PLATFORM, '').replace(/^(?:invoke-|\d{1,3} )/, '');
  return TOOLS.has(plain) || NAME_WORDS.test(bare) || SUITE.test(bare);
}

function isAttackFunction(name: string): boolean {
  return name.length <= NAME_CHARS_MAX && (FUNCTIONS.has(name) || FUNCTION_WORDS.test(name));
}

function report(command: ShellCommand, name: string, found: Action[]): void {
  found.push({
    kind: 'recon.attack_tool',
    severity: 'high',
    confidence: 0.85,
    what: `runs a tool for breaking in (${named(name)})`,
    origin: command.origin,
  });
}
