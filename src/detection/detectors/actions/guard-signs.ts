import { indexSigns } from './command-signs.ts';

/** Programs and services that watch a machine, as they are named in commands. */
const GUARDS =
  'auditd|audit|rsyslog|syslogd?|syslog-ng|systemd-journald|firewalld|ufw|iptables|nftables|ip6tables|apparmor|selinux|falcon[a-z-]*|crowdstrike|cbdaemon|cbagentd|carbonblack|clamav[a-z-]*|clamd|freshclam|osquery[di]?|wazuh[a-z-]*|ossec[a-z-]*|sysmon[a-z]*|sysmonforlinux|fail2ban|falco[a-z-]*|mdatp|mde_netfilter|microsoft-defender|windefend|wdnissvc|wdfilter|sense|mpssvc|wscsvc|securityhealthservice|msmpeng[a-z.]*|eventlog|sentinel[a-z-]*|ds_agent|sav-protect|sophos[a-z-]*|symantec[a-z-]*|mcafee[a-z-]*|nails|esets?|elastic-(?:agent|endpoint)|filebeat|auditbeat|splunk[a-z]*|datadog-agent|snoopy|aide|tripwire|rkhunter|chkrootkit|little ?snitch[a-z]*|lulu|blockblock|santa[a-z]*|xprotect[a-z]*|com\\.(?:crowdstrike|carbonblack|objective-see|apple\\.(?:xprotect|syslogd|auditd|alf\\.agent|screensharing))[a-z.]*|at\\.obdev[a-z.]*|com\\.opendns[a-z.]*|arthurd?|amsi|tanium[a-z]*|qualys[a-z-]*|nessus[a-z]*|stopped-agent|security-agent|edr[a-z-]*|antivirus|avast|avgd?|kaspersky|kesl|bdagent|bitdefender[a-z-]*';
const GUARD = `(?:^|[ /.=|(^])(?:${GUARDS})(?:\\.(?:service|socket|exe|plist|daemon))?(?:$|[ .|)$])`;

/** What a person has launchd start for them alone, and what is neither a guard nor the system's. */
const OWN_AGENT = new RegExp(
  `^(?!.*(?:${GUARD}|com\\.apple\\.| ["']?/(?:system/)?library/))\\w+(?: -\\w)*(?: ["']?~\\/library\\/launchagents\\/| (?:gui|user)\\/)`,
);

/** One port that programs of one's own listen at, in networks that are not public. */
const ONE_PORT_AT_HOME =
  /^(?=.*-localport:? ?(?:[3-9]\d{3}|[1-5]\d{4})(?: |$))(?=.*-profile:? ?["']?(?:private|domain)\b)(?!.*-remoteaddress:? ?any)/;

/** Commands that stop or weaken what watches over a machine, or lets through what it should not. */
export const GUARD_SIGNS = indexSigns([
  {
    programs: 'systemctl service rc-service initctl',
    words: new RegExp(
      `(?:^|[ ])(?:stop|disable|mask|kill|onestop|forcestop)\\b.*(?:${GUARD})|${GUARD}.*\\b(?:stop|disable|onestop)\\b`,
    ),
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.8,
    what: 'stops what watches over the machine',
  },
  {
    programs: 'kill pkill killall taskkill stop-process stop-service set-service suspend-service remove-service skill',
    words: new RegExp(GUARD),
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.8,
    what: 'stops what watches over the machine',
  },
  {
    programs: 'sc sc.exe net net1 wmic fltmc',
    words: new RegExp(
      `(?:^| )(?:stop|delete|config|sdset|pause|unload|call stopservice)\\b.*(?:${GUARD})|^unload \\S+`,
    ),
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.85,
    what: 'stops what watches over the machine',
  },
  {
    programs: 'launchctl',
    words: /^(?:unload|bootout|remove|disable|stop|kill)\b.*(?: \/(?:system\/)?library\/|com\.(?!example)|at\.|org\.)/,
    unless: OWN_AGENT,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.75,
    what: 'stops a service of the system',
  },
  {
    programs: 'sysrc chkconfig update-rc.d',
    words: new RegExp(`(?:${GUARDS})(?:_enable="?no|.*\\b(?:off|disable|remove)\\b)`),
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.75,
    what: 'stops what watches over the machine',
  },
  {
    programs: 'apt apt-get dpkg yum dnf rpm pacman zypper pkg',
    words: new RegExp(`(?:^| )(?:remove|purge|erase|uninstall|delete|-e|-r|--purge|--remove|-rns?)\\b.*(?:${GUARD})`),
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.7,
    what: 'removes what watches over the machine',
  },
  {
    programs: 'ufw',
    words: /^(?:--force )?(?:disable|reset)\b|^default allow\b|^logging off/,
    kind: 'evasion.firewall',
    severity: 'high',
    confidence: 0.75,
    what: 'opens the firewall',
  },
  {
    programs: 'iptables ip6tables iptables-legacy',
    words:
      /(?:^| )(?:-F|--flush|-X|-P (?:input|output|forward) accept|--policy (?:input|output|forward) accept|-D [a-z][\w-]{0,31} .*-j (?:drop|reject))/i,
    kind: 'evasion.firewall',
    severity: 'high',
    confidence: 0.72,
    what: 'opens the firewall',
  },
  {
    programs: 'nft ipfw pfctl',
    words: /\bflush\b|^-d$|-f all\b|(?:^| )-d(?: |$)/,
    kind: 'evasion.firewall',
    severity: 'high',
    confidence: 0.72,
    what: 'opens the firewall',
  },
  {
    programs: 'netsh',
    words:
      /(?:advfirewall|firewall)\b.*(?:state off|opmode (?:mode=)?disable|action=allow|delete rule)|\bportproxy add\b|\btrace start\b/,
    kind: 'evasion.firewall',
    severity: 'high',
    confidence: 0.85,
    what: 'opens the firewall',
  },
  {
    programs: 'set-netfirewallprofile new-netfirewallrule disable-netfirewallrule remove-netfirewallrule',
    words: /-enabled:? ?\$?false|-action:? ?allow|-profile|-displayname|-all/,
    unless: ONE_PORT_AT_HOME,
    kind: 'evasion.firewall',
    severity: 'high',
    confidence: 0.75,
    what: 'opens the firewall',
  },
  {
    programs: 'set-mppreference add-mppreference remove-mppreference',
    words:
      /-(?:disable|exclusion|mapsreporting|submitsamples|puaprotection|enablecontrolled|(?:high|moderate|low|severe|unknown)threat|attacksurface|scan|signature)/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.9,
    what: 'blinds the virus scanner',
  },
  {
    programs: 'uninstall-windowsfeature disable-windowsoptionalfeature',
    words: /defender|powershellv2/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.85,
    what: 'removes the virus scanner',
  },
  {
    programs: 'mpcmdrun',
    words: /-removedefinitions|-disableservice|-restore|-downloadfile/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.9,
    what: 'blinds the virus scanner',
  },
  {
    programs: 'mdatp',
    words: /disabled|exclusion add|threat policy set/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.85,
    what: 'blinds the virus scanner',
  },
  {
    programs: 'setenforce',
    words: /^(?:0|permissive)/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.8,
    what: "disables the system's access control",
  },
  {
    programs: 'aa-disable aa-teardown aa-remove-unknown',
    kind: 'evasion.defenses',
    severity: 'medium',
    confidence: 0.72,
    what: "disables the system's access control",
  },
  {
    programs: 'spctl',
    words: /--(?:master|global)-disable|--add\b/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.8,
    what: 'lets any program run',
  },
  {
    programs: 'sysctl',
    words:
      /(?:kernel\.(?:randomize_va_space|yama\.ptrace_scope|kptr_restrict|dmesg_restrict|unprivileged_bpf_disabled)|kern\.securelevel)=(?:0|-1)|kernel\.core_pattern=\|/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.8,
    what: "weakens the kernel's protection",
  },
  {
    programs: 'reg',
    words:
      /\b(?:add|delete|import)\b.*(?:windows defender|disableantispyware|disablerealtimemonitoring|\\*eventlog\\*|\\*policies\\*microsoft\\*windows\\*(?:powershell|safer)|scriptblocklogging|enablefirewall|systemrestore|amsi|disabletaskmgr|disableregistrytools|smartscreen|hidefileext|showsuperhidden|minint)/,
    kind: 'evasion.defenses',
    severity: 'high',
    confidence: 0.85,
    what: 'switches off a guard in the registry',
  },
  {
    programs: 'set-executionpolicy',
    words: /\b(?:bypass|unrestricted)\b/,
    unless: /-scope process/,
    kind: 'evasion.defenses',
    severity: 'medium',
    confidence: 0.7,
    what: 'lets any script run',
  },
]);
