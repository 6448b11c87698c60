import { indexSigns } from './command-signs.ts';
import { signsOf } from './sign-makers.ts';

const modules = signsOf('persistence.kernel_module', 'loads a kernel module from outside of the system', 0.75);
const rootkits = signsOf('persistence.kernel_module', 'loads a kernel module that hides things', 0.9);
const services = signsOf('persistence.systemd', 'starts a service that lies where anybody can write', 0.8);
const ends = signsOf('persistence.hook', 'has something run on when the shell ends', 0.75);
const accounts = signsOf('privilege.account', 'lets an account log in, or act as root', 0.8);
const directory = signsOf('privilege.account', 'changes accounts of a directory', 0.75);
const opens = signsOf('privilege.world_writable', 'lets others write to a system directory', 0.75);
const escapes = signsOf('privilege.container_escape', "gives a container the host's files or rights", 0.8);
const sudoers = signsOf('privilege.sudoers', 'changes who may act as root', 0.75);
const copies = signsOf('credential.process_memory', "takes a copy of a process's memory, or reaches into it", 0.8);
const logsKeys = signsOf('collection.keyboard', 'records what people type', 0.8);
const opensFirewall = signsOf('evasion.firewall', 'opens the firewall', 0.75);
const touches = signsOf('evasion.timestamps', 'gives a file the time of a file of the system', 0.75);
const locks = signsOf('evasion.attributes', 'makes a system file unchangeable, or changeable again', 0.75);
const hides = signsOf('evasion.masquerade', 'makes a directory that is easily overlooked', 0.8);
const trusts = signsOf('evasion.trust', 'has the machine trust a certificate', 0.75);
const hypervisor = signsOf('evasion.defenses', 'weakens a hypervisor, or stops what runs on it', 0.8);
const shells = signsOf('shell.reverse_shell', 'gives a shell to whoever is at the other end', 0.85);
const tunnels = signsOf('exfiltration.tunnel', 'opens a way in for others, or a hidden way out', 0.75);
const carries = signsOf('exfiltration.command', 'sends data where none belongs', 0.75);
const plants = signsOf('persistence.hook', 'has a database write a file where it is trusted or run', 0.85);
const serves = signsOf('exfiltration.listener', 'serves a whole home or system to whoever asks', 0.8);
const fetches = signsOf('shell.download_execute', 'runs a program from an address', 0.8);
const guesses = signsOf('recon.attack_tool', 'tries one password after the other', 0.75);

const SERVICE_ACCOUNT =
  '(?:nobody|daemon|bin|sys|sync|games|man|lp|mail|news|uucp|proxy|www-data|backup|irc|gnats|_apt|systemd-\\w+|sshd|messagebus|guest|operator|www|toor)';
const LOGIN_SHELL = '(?:-s ?|--shell[ =])\\S*\\/(?:ba|z|da|k|a)?sh\\b';
const SCRATCH = '\\/(?:private\\/)?(?:tmp|var\\/tmp|dev\\/shm|run\\/shm)\\/';
const ESX = '(?:false|0|off|no)';

/** Commands of Linux, the BSDs and ESXi that weaken or open a machine, or make something stay. */
export const LINUX_SIGNS = indexSigns([
  modules('insmod kldload', /^(?:-\S+ )*\/(?!lib\/|usr\/lib\/|boot\/|dev\/shm\/modules)\S+\.k?o\b/),
  rootkits(
    'insmod modprobe kldload',
    /(?:^|[ /_-])(?:diamorphine|reptile|suterusu|adore(?:-ng)?|knark|enyelkm|kovid|puszek|nuk3gh0st|rkduck|caraxes|singularity|syslogk|drovorub|skidmap|krasue|rootkit|kbeast|mood-nt|sebek|lkm_?rootkit)/,
  ),
  services('systemctl', new RegExp(`\\b(?:link|enable|start|reenable|edit)\\b.*(?:^|[ =])${SCRATCH}`)),
  services('systemd-run', new RegExp(`(?:^| )${SCRATCH}`)),
  services('service rc-service', new RegExp(`^${SCRATCH}`)),
  ends('trap', /^[^\n]{0,512}\b(?:nohup|setsid|disown)\b.*\b(?:exit|0|sigint|int|sigterm|term|sighup|hup|err|return)$/),
  plants(
    'redis-cli valkey-cli',
    /\bconfig set dir \S{0,64}(?:\.ssh|cron|\/root|\/etc|\/home|\/www|html)|\bconfig set dbfilename \S{0,64}(?:authorized_keys|\.php|\.jsp|\.so|crontab)/,
  ),
  serves(
    'python python3',
    /-m http\.server\b.*(?:--directory|-d)[ =](?:\/|~\/?|\$home\/?|\/(?:home|root|etc|users|var)\S{0,64})(?: |$)/,
  ),
  serves('php', /-s 0\.0\.0\.0\S* .*-t (?:\/|~\/?|\/(?:home|root|etc)\/?)(?: |$)/),
  fetches(
    'deno',
    /^run\b.*(?:-a|--allow-all|--allow-run)\b.* https?:\/\/(?!(?:deno\.land|jsr\.io|esm\.sh|examples\.deno\.land|raw\.githubusercontent\.com\/denoland)\/)/,
  ),
  logsKeys('trap', /\$?\{?bash_command\b.*(?:>|tee|logger|curl|nc )[^\n]*\bdebug$/),
  logsKeys('pam_tty_audit ttysnoop ttyrpld', /\S/),
  logsKeys('script', /(?:^| )-[a-z]*f[a-z]* .*\/(?:tmp|dev\/shm|var\/tmp)\/\./),
  accounts(
    'usermod chsh pw',
    new RegExp(`${LOGIN_SHELL}.*\\b${SERVICE_ACCOUNT}$|\\b${SERVICE_ACCOUNT} .*${LOGIN_SHELL}`),
  ),
  accounts('pw', /^(?:user ?(?:add|mod)|mod user|add user)\b.*(?:-h ?\d|-g ?(?:0|wheel)\b|-g wheel)/),
  accounts('useradd adduser', /(?:^| )(?:-g|--gid|-g ?)[ =]?(?:0|root|wheel)\b/),
  accounts(
    'useradd adduser',
    new RegExp(`(?:^| )(?:-[a-z]*r|--system)\\b.*${LOGIN_SHELL}|${LOGIN_SHELL}.*(?:^| )(?:-r|--system)\\b`),
  ),
  directory('ldapadd ldapmodify ldapdelete ldappasswd ldapmodrdn', /(?:^| )-[dw]\b/),
  directory(
    'samba-tool',
    /^(?:user|group|delegation|computer|domain passwordsettings) (?:add|create|setpassword|delete|addmembers|enable|set)\b/,
  ),
  directory('pdbedit', /(?:^| )-a\b/),
  directory('net', /^(?:rpc|ads) (?:user|group|password)\b.*\b(?:add|addmem|password|setpassword)\b/),
  directory('rpcclient', /setuserinfo|createdomuser|chgpasswd|samlookup|enumdomusers/),
  opens('setfacl', /(?:^| )-[a-z]*m\b.*w.*\/(?:etc|usr|bin|sbin|lib|boot|root|var\/(?:lib|spool))\b/),
  opens(
    'chmod',
    /(?:^| )(?:o|a|go|ugo)\+\w*w\w* (?:.* )?\/(?:etc|usr|bin|sbin|lib|lib64|boot|root|var\/(?:lib|spool))\b/,
  ),
  escapes('ctr', /\brun\b.*(?:src=\/,|--privileged|--with-ns|--net-host.*--privileged)/),
  escapes('lxc incus', /security\.privileged[= ]true|\bsource=\/(?: |$)/),
  escapes('runc crun', /^(?:run|exec|create)\b.*(?:--privileged|--cap)/),
  escapes(
    'mount',
    /(?:^| )\/dev\/(?:dm-\d|[sv]d[a-z]\d?|nvme\d|xvd[a-z])\S* \/(?:mnt|host|tmp)\/?(?:host|escape|root)/,
  ),
  sudoers(
    'vi vim nvim nano emacs pico ee ed joe micro',
    /(?:^| )\/(?:usr\/local\/)?etc\/(?:sudoers|doas\.conf)\S*(?: |$)/,
  ),
  copies(
    'gdb lldb',
    /(?:(?:^| )(?:-p|--pid|attach)\b.*(?:dump (?:binary )?memory|generate-core|gcore|call \(?|\bsystem\())/,
  ),
  copies('strace', /(?:^| )-[a-z]*p ?(?:\d+|\$).*(?:-e ?(?:trace=)?(?:read|write)|\bread,write)/),
  opensFirewall(
    'service rcctl onerestart',
    /^(?:pf|ipfw|ipfilter|npf|shorewall|csf) (?:one|force)?(?:stop|disable)|\b(?:stop|disable) (?:pf|ipfw|npf)$/,
  ),
  opensFirewall(
    'firewall-cmd',
    /--panic-off|--set-default-zone[= ]trusted|--add-(?:rich-rule|source)[= ]\S*(?:accept|0\.0\.0\.0)|--set-target[= ]accept/,
  ),
  touches('touch', /(?:^| )(?:-[acmhf]*r ?|--reference[= ])\/(?:usr\/)?(?:s?bin|etc|lib|lib64)\//),
  locks('chattr', /(?:^| )[+-][a-z]*[ia][a-z]* .*\/(?:etc|usr|bin|sbin|root|lib|boot|var\/spool\/cron)\b/),
  hides('mkdir', /\/\.{3,}(?:\/|$| )|(?:^| )\.{3,}\/|(?:^| )(?:\/dev\/shm|\/var\/tmp)\/\.[^/. ]/),
  trusts('trust', /^anchor\b(?!.*--remove)/),
  trusts('certutil', /(?:^| )-a\b.*-t ?["']?c?t?c,/),
  hypervisor(
    'esxcli',
    new RegExp(
      `firewall set\\b.*${ESX}|acceptance set\\b.*community|syslog config set\\b|vm process kill|firewall ruleset set\\b|encryption settings set\\b.*${ESX}|account (?:add|set)`,
    ),
  ),
  hypervisor(
    'vim-cmd',
    /(?:vmsvc\/(?:power\.(?:off|shutdown)|destroy|snapshot\.remove|unregister)|hostsvc\/(?:enable_ssh|firewall))/,
  ),
  shells('telnetd in.telnetd busybox', /(?:^| |telnetd )-l ?\S*\/?(?:ba|a)?sh\b/),
  shells('script', /-c ["']?(?:ba)?sh.*\/dev\/tcp/),
  tunnels(
    'systemctl service brew rc-service',
    /\b(?:start|enable|restart|onestart)\b.*\btor(?:@\w+)?(?:\.service)?(?: |$)|^tor(?:@\w+)? (?:one)?start/,
  ),
  tunnels('sysrc', /tor_enable=["']?yes/),
  tunnels('code code-insiders code-tunnel', /^tunnel\b/, /^tunnel (?:kill|prune|status|unregister|help|rename)/),
  tunnels('devtunnel', /^host\b/),
  // A web server of the own may be shown, as by its like.
  tunnels(
    'cloudflared',
    /^tunnel\b.*--url\b/,
    /--url[ =]https?:\/\/(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3})(?::\d{1,5})?(?:[/ ]|$)/,
  ),
  tunnels(
    'iodine iodined dnscat dnscat2 ptunnel ptunnel-ng hans icmptunnel gs-netcat wstunnel reGeorg revsocks ligolo ligolo-ng ligolo-agent stowaway fscan'.toLowerCase(),
    /\S/,
  ),
  carries('ping ping6', /(?:^| )-p ?["']?(?:\$|`|[0-9a-f]{16,})/),
  // What git tells a helper on its input, and what it wants to know, is what one logs in with.
  carries(
    'git',
    /(?:^|[ =])credential\.(?:\S{1,128}\.)?helper[ =]["']?!.{0,256}\b(?:curl|wget|ncat|netcat|nc|socat|telnet)\s/,
  ),
  carries('hping3 nping', /--file\b|--data(?:-string)?\b|-e ?\/\S+|--sign\b/),
  guesses('sshpass', /^-p ?["']?(?:`|\$\().*\b(?:cut|awk|sed|head)\b/),
]);
