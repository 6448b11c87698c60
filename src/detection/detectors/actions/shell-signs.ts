import { indexSigns } from './command-signs.ts';

const SHELL =
  '(?:\\/(?:usr\\/)?(?:local\\/)?bin\\/)?(?:ba|z|da|k|a|c|tc|fi)?sh\\b|cmd(?:\\.exe)?\\b|powershell|pwsh|\\$shell|busybox';

/** Wrappers that may stand in front of it. */
const WRAPPED = '(?:(?:env|exec|nice|setsid|nohup|sudo|doas)\\b[^,;|]{0,64}? )?';

/** Commands that open a shell to somebody else, or fetch and run what somebody else wrote, by program and words. */
export const SHELL_SIGNS = indexSigns([
  {
    programs: 'nc nc64 nc32 ncat netcat nc.traditional nc.openbsd rcat cryptcat pwncat',
    words: new RegExp(`(?:^| )(?:-[a-z]*[ec]|--(?:sh-)?exec|--lua-exec)[ =]?["']?${WRAPPED}(?:${SHELL})`),
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.95,
    what: 'gives a shell to whoever is at the other end',
  },
  {
    programs: 'nc ncat netcat nc.traditional nc.openbsd cryptcat pwncat',
    words: /(?:^| )-[a-z]*l[a-z]*\b|--listen/,
    kind: 'exfiltration.listener',
    severity: 'low',
    confidence: 0.6,
    what: 'listens for whoever connects',
  },
  {
    programs: 'socat',
    words: new RegExp(
      `(?:exec|system|shell):["']?${WRAPPED}(?:${SHELL}|['"]|login|su\\b)|listen\\S{0,128} shell(?:$|[ ,])`,
    ),
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.95,
    what: 'gives a shell to whoever is at the other end',
  },
  {
    programs: 'socat',
    words: /-listen:\S*fork|tcp-listen|udp-listen/,
    kind: 'exfiltration.tunnel',
    severity: 'medium',
    confidence: 0.6,
    what: 'forwards a port',
  },
  {
    programs: 'xterm xnest',
    words: /-display \S+:\d|^:\d/,
    unless: /-display (?:localhost)?:/,
    kind: 'shell.reverse_shell',
    severity: 'high',
    confidence: 0.8,
    what: "shows a terminal on somebody else's screen",
  },
  {
    programs: 'socket',
    words: /(?:^| )-[a-z]*p[a-z]* ["']?\S*\b(?:sh|cmd|bash)\b/,
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.9,
    what: 'gives a shell to another machine',
  },
  {
    programs: 'rcat rustcat',
    words: /\b(?:connect|c)\b.*(?:-s|--shell)\b|-e\b/,
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.9,
    what: 'gives a shell to another machine',
  },
  {
    programs: 'sbd dbd gs-netcat gsocket',
    kind: 'shell.reverse_shell',
    severity: 'high',
    confidence: 0.85,
    what: 'makes or opens a back door',
  },
  {
    programs: 'ssh autossh plink',
    words: /(?:^| )-[a-z]*r[ =]?(?:\S+:)?\d+:\S+:(?:22|3389|5900|5985)(?: |$)/i,
    unless: /(?:^| )-[a-z]*L/,
    kind: 'exfiltration.tunnel',
    severity: 'high',
    confidence: 0.8,
    what: 'lets whoever is at the other end log in here',
  },
  {
    programs: 'ssh autossh plink',
    words: /(?:^| )-[a-z]*r[ =]?(?:\S+:)?\d+:\S+:\d+/i,
    unless: /(?:^| )-[a-z]*L/,
    kind: 'exfiltration.tunnel',
    severity: 'medium',
    confidence: 0.6,
    what: 'lets another machine into this network',
  },
  {
    programs:
      'ngrok frpc frps chisel cloudflared devtunnel localtunnel lt bore gost iodine dnscat dnscat2 ptunnel revsocks rathole tailscale code code-tunnel',
    words: /^(?:http|tcp|tls|start|client|server|access|tunnel|host|local|-f|--port|--dns|-c|-l|up)\b/,
    kind: 'exfiltration.tunnel',
    severity: 'medium',
    confidence: 0.6,
    what: 'lets another machine into this network',
  },
  {
    programs: 'env curl wget',
    words: /\(\) ?\{ ?(?::|_|ignored) ?;? ?\} ?;/,
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.8,
    what: 'hides commands behind a function that old shells run',
  },
  {
    programs: 'certutil',
    words: /-(?:urlcache|verifyctl|url)\b.*(?:https?|ftp):/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.9,
    what: 'fetches a program by a tool that is for something else',
  },
  {
    programs: 'certutil',
    words: /-(?:decode|decodehex|encode)\b/,
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.75,
    what: 'unpacks what was encoded',
  },
  {
    programs: 'bitsadmin',
    words: /\/(?:transfer|addfile|setnotifycmdline|create|resume)\b/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.85,
    what: 'fetches a program by a tool that is for something else',
  },
  {
    programs: 'mshta',
    words: /https?:|javascript:|vbscript:|\.hta|\\\\/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.92,
    what: 'runs a script by a tool that is for something else',
  },
  {
    programs: 'regsvr32',
    words: /\/i:|scrobj|https?:|\.sct|\/s\b.*\\(?:temp|appdata|users)|\/u\b.*\/n\b/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.9,
    what: 'runs a script by a tool that is for something else',
  },
  {
    programs: 'rundll32',
    words:
      /javascript:|vbscript:|https?:|mshtml|url\.dll|shell32(?:\.dll)?,? ?(?:shellexec|control_rundll)|advpack|ieadvpack|syssetup|setupapi|zipfldr|pcwutl|shdocvw|dfshim|\\(?:temp|appdata|users\\public|programdata|perflogs)\\|\.(?:dat|txt|png|jpg|log),/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.88,
    what: 'runs a script by a tool that is for something else',
  },
  {
    programs: 'wscript cscript',
    words:
      /\/\/?e:|https?:|\\(?:temp|appdata|users\\public|programdata)|pubprn|winrm\.vbs|slmgr|\.(?:txt|log|jpg):?|script:/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.8,
    what: 'runs a script by a tool that is for something else',
  },
  {
    programs:
      'installutil regasm regsvcs odbcconf pcalua forfiles cmstp msxsl presentationhost infdefaultinstall ieexec hh xwizard syncappvpublishingserver mavinject control runscripthelper microsoft.workflow.compiler bash.exe scriptrunner appvlp winrs desktopimgdownldr esentutl expand extrac32 makecab replace print finger diantz ftp tttracer wuauclt verclsid dnscmd',
    words:
      /https?:|\\\\|\/logfile=|\/u\b|\.(?:csproj|xml|inf|sct|xsl|chm|rsp|dll|cab|exe|vbs|bat)\b|\/c\b.*(?:cmd|powershell|calc|exe)|-a \S+|\/a\b|serverlevelplugindll/,
    unless: /\.sln\b|^-?(?:v|help)\b/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.72,
    what: 'runs a program by a tool that is for something else',
  },
  {
    programs: 'wmic',
    words: /process\b.*\bcall\b.*\bcreate\b|\/format:\S*(?:https?:|\\\\|\.xsl)|os get \/format/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.85,
    what: 'runs a program by a tool that is for something else',
  },
  {
    programs: 'powershell pwsh',
    words:
      /(?:^| )[-/]e(?:c|n|nc|nco|ncod|ncode|ncodedc\w*)?\b [a-z0-9+/=]{16,}|frombase64string|-w(?:indowstyle|in)? ?(?:hidden|1)\b(?<!start-process\b(?![^;|]{0,64}\b(?:powershell|pwsh|cmd|mshta|wscript|cscript|rundll32|regsvr32)\b)[^;|]{0,320}).*(?:iex|download|-c|-e|-f|http)|(?:iex|invoke-expression)\b.*(?:download|http|net\.webclient|iwr|irm|invoke-web|invoke-rest|frombase64|\$env:|\[char)|(?:download(?:string|data)|iwr|irm|invoke-webrequest|invoke-restmethod)\b.*\| ?(?:iex|invoke-expression)|\[(?:system\.)?reflection\.assembly\]::load|virtualalloc|-version 2|net\.sockets\.tcpclient|amsiutils/,
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'runs a script that is hidden or fetched',
  },
  {
    programs: 'osascript',
    words: /do shell script\b.*(?:curl|base64|python|http|nc |\/tmp\/|administrator privileges|rm |osascript)/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.75,
    what: 'runs a hidden command from a script for applications',
  },
  {
    programs: 'openssl',
    words: /^s_client\b.*(?:-quiet\b.*)/,
    kind: 'exfiltration.tunnel',
    severity: 'low',
    confidence: 0.5,
    what: 'talks to another machine in secret',
  },
]);
