import type { CodeSign } from './code-signs.ts';
import { POWERSHELL_FETCH } from './sign-makers.ts';

const SHELL_WORD =
  /\/bin\/(?:ba|z|da|k)?sh\b|["'](?:ba|z)?sh["']|cmd(?:\.exe)?["' ]|powershell|\bsh -i\b|bash -i|COMSPEC|exec\s?\{|iex\b|Invoke-Expression|\[scriptblock\]::create/i;

/** Code that opens a shell to somebody, runs what it fetched, or hides what it runs. */
export const SHELL_CODE_SIGNS: readonly CodeSign[] = [
  {
    all: [/\/inet\/(?:tcp|udp)\/\d+\/[^/\s"]+\/\d/, /\|&\s?getline|getline|\|\s?getline/],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.9,
    what: 'connects a shell to another machine',
  },
  {
    all: [
      /(?:["'`=:\s\\]|^)!(?:\s{1,2}(?=\/))?(?:\/\w{1,16}){0,4}\/?(?:ba|da|z|c|k)?sh\b|(?:system|exec[lvpe]*|os\.execute|io\.popen|popen|spawn[lvpe]*|exec_shell|term|shell-command)\W{1,4}(?<!\bexec\s)(?:\/\w{1,16}){1,4}\/(?:ba|da|z)?sh(?: ?[-&a-z]{0,4})?["'`](?!,\s{0,4}\[?["'`][^"'`\n]{1,40}["'`],\s{0,4}["'`][^-"'`\n])|checkpoint-action=exec|proxycommand=[;'"]|--unzip-command|-tt\b.{0,8}sh\b|(?:--use-compress-program|--to-command)=?\S{0,8}sh\b|pty\.spawn\W{1,4}(?:\/\w{1,16}){0,4}\/?(?:ba|z)?sh|\/(?:ba|da|z|k|a)?sh\s{1,4}(?:-[a-z]{1,4}\s{1,4})?(?:0?<&[0-9]|1?>&0|1>&2)|\$@\|sh _ echo|(?:pager|editor|visual)=\W{0,3}(?:\/\w{1,16}){0,3}\/(?:ba|da|z)?sh\b|unixexec:path=|pre-invoke::?=|:terminal \/\w|os\.setuid\s?\(0\)|posix_setuid\(0\)|Process::Sys\.setuid|-e ["']sh -c/i,
    ],
    kind: 'privilege.shell_escape',
    severity: 'high',
    confidence: 0.8,
    what: 'starts a shell from within another program',
  },
  {
    all: [
      /socket|TCPSocket|fsockopen|TcpClient|(?:net|tls)(?:["']\s?\))?\.(?:connect|Socket|createConnection|Dial)|IO::Socket|stream_socket_client|\/inet\/(?:tcp|udp)\/|Socket\s?\(|UdpClient|websocket|\buse Socket\b|TcpStream|socket\.tcp|java\.net\.Socket/i,
      /connect|TCPSocket|fsockopen|TcpClient|Dial|PeerAddr|stream_socket_client|\/inet\/(?:tcp|udp)\/\d+\/\S|new (?:java\.net\.)?Socket|socket\.tcp|UdpClient/i,
      /dup2|pty\.spawn|subprocess|os\.system|popen|proc_open|shell_exec|passthru|\bexec\b|execSync|child_process|os\.execute|Runtime|ProcessBuilder|Process\.Start|exec\.Command|fdopen|open\(STD(?:IN|OUT|ERR)|getline|GetStream|\|& ?getline|system\(|spawn|\$_\b|Command::new/i,
      SHELL_WORD,
    ],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.92,
    what: 'connects a shell to another machine',
  },
  {
    all: [
      /\bsocket\b|socketserver/i,
      /\brecv(?:from|_into)?\s?\(|\.request\.recv/,
      /\.send(?:all|to)?\s?\(|\.makefile\(|\.write\(/,
      /(?:\bpopen|os\.system|getoutput|getstatusoutput)\(\s{0,4}(?![frbuFRBU]{0,2}["'])[A-Za-z_]|subprocess\.\w{1,16}\(\s{0,16}(?![frbuFRBU]{0,2}["'])[A-Za-z_][^\n]{0,160}\bshell\s?=\s?True|Popen\(\s{0,16}[A-Za-z_][\w.()]{0,40},\s{0,16}shell\s?=\s?True/,
    ],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.85,
    what: 'runs what another machine sends it',
  },
  {
    all: [
      /net\.(?:connect|Socket|createConnection|createServer)|Socket\.connect|TCPSocket|TCPServer|\bconnect\(["'][\w.:-]{1,80}["'],/,
      /\.on\(\s?["']data|\.listen\(\s?\(|\.gets\b|readline\(/,
      /\bexec(?:Sync)?\(\s?(?:(?:data|chunk|buf|d)\b|\w{1,16}\.toString)|popen\(\$?\w{1,16},|Process\.(?:run|start)\(\s?["'](?:\/bin\/|sh|bash|cmd|powershell)|\brun\(pipeline\(/,
    ],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.82,
    what: 'runs what another machine sends it',
  },
  {
    all: [
      /socket_(?:create|accept|connect)|stream_socket_(?:client|server)|fsockopen/i,
      /socket_read|\bfgets\b|\bfread\b|stream_get/i,
      /(?:popen|shell_exec|system|exec|passthru)\(\s?["']?\$/i,
    ],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.85,
    what: 'runs what another machine sends it',
  },
  {
    all: [/IO::Socket::INET|\buse Socket\b/, /fdopen|open\(?\s?STD(?:IN|OUT)/, /\bsystem\b|\bexec\b|`\$_`/],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.85,
    what: 'runs what another machine sends it',
  },
  {
    all: [/\bztcp\s+(?!-l)[\w.$:-]{1,80}\s+\$?\w/, /[<>]&\s?\$REPLY|[<>]&\s?\$fd\b|\b(?:z|ba)?sh\b/],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.88,
    what: 'connects a shell to another machine',
  },
  {
    all: [
      /while\s{0,4}\(\s{0,4}\$?(?:true|1)\b|for\s{0,4}\(\s{0,4};\s{0,4};|do\s{0,4}\{/i,
      /Invoke-RestMethod|Invoke-WebRequest|\birm\b|\biwr\b|DownloadString|UploadString/i,
      /\biex\b|Invoke-Expression|\[scriptblock\]::create|powershell(?:\.exe)?\s[^\n]{0,40}(?:\$\w|-f\b|bypass)|\bcmd(?:\.exe)? \/c \$/i,
      /-Method\s{1,4}["']?post|UploadString|-Headers\b|\bsleep\b/i,
    ],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.82,
    what: 'asks another machine again and again for what to run',
  },
  {
    // To ask a port whether it is open, or a server for a page, is ordinary. It takes a shell that listens there.
    all: [
      /\/dev\/(?:tcp|udp)\/(?!localhost|127\.|\$)[^\s/]+\/\S/,
      /(?<![\w.-])(?:ba|da|z|k|a)?sh\s{1,4}-i\b|(?<![\w.-])(?:ba|da|z|k|a)?sh(?:\s{1,4}-[a-z]{1,4})?\s{0,4}(?:0?<\s?(?:&\s?\d|\/dev\/(?:tcp|udp))|\d{0,3}<>|[01]?>\s?&|&>|<\()|\|\s{0,4}(?:\/\w{1,16}){0,3}\/?(?:ba|da|z|k|a)?sh\b|\bread\b[^\n]{0,80}\bdo\s{1,4}["'\\]{0,3}(?:\$|`|eval|(?:ba)?sh\s)|\beval\b|(?:\bsource|(?<!\S)\.)\s{1,4}\/dev\/tcp|\b0>&1/,
    ],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.85,
    what: 'connects a shell to another machine',
  },
  {
    all: [/mkfifo|mknod/, /\b(?:nc|ncat|netcat|telnet|openssl s_client|socat)\b/, /\bsh\b|bash|cmd/],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.92,
    what: 'connects a shell to another machine',
  },
  {
    all: [
      /\b(?:exec|eval|iex|invoke-expression|assert|create_function|instance_eval|Function)\b/i,
      /b64decode|base64_decode|Base64\.decode64|decode_base64|atob\s?\(|FromBase64String|bytes\.fromhex|codecs\.decode|marshal\.loads|gzinflate|str_rot13|unpack1?\s?\(?\s?["'](?:H|m0?["'])|\bpack\s?\(?\s?["']H\*|hex2bin|zlib\.decompress|\[char\]\s?\d+.*\[char\]/i,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'runs code that it unpacks first',
  },
  {
    // The bytes of a text, one by one, that a shell is handed.
    all: [
      /\b(?:os\.(?:system|popen)|subprocess\.\w{2,16}|Popen|execSync|exec|eval|spawn|shell_exec|passthru|system|check_output|run)\s?\(\s{0,8}(?:bytes|bytearray|Buffer\.from)\(\s?\[\s{0,4}(?:0x)?[\da-f]{1,3}\s?,/i,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'runs what it puts together of single letters',
  },
  {
    // What is printed letter by letter, or unpacked, by a program whose output is a script.
    all: [
      /\bpack1?\s?\(?\s?["'](?:H|m0?["'])|\bfromCharCode\(|\bbytes\.fromhex\(|\bbytes\(\[\d|\bb64decode\(|(?:%c){4}|\bhex2bin\(/,
      /\b(?:perl|ruby|python[\d.]{0,4}|node|php|[gmn]?awk)\b[^|\n]{1,2048}\|\s{0,4}(?:sudo\s{1,4})?(?:\/\w{1,16}){0,3}\/?(?:ba|da|z|k|a)?sh\b(?!\s{1,4}-c)/,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'has a shell run what another program spells out',
  },
  {
    // Whatever runs it: `$SHELL -c "$(echo … | xxd -r -p)"`, and the same in a line that is put into a file.
    all: [
      /(?:\s-c|\beval|\bsource|\biex)\s{1,4}[\\"'\s]{0,6}(?:\$\(|`)[^()`\n]{1,4096}\|\s{0,4}(?:base64\s{1,4}(?:-[a-zA-Z]{0,4}[dD]\b|--decode)|xxd\s{1,4}-[a-z]{0,4}r|openssl\s{1,4}(?:enc|base64)\s[^|)\n]{0,64}-d\b)/,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'runs what it unpacks',
  },
  {
    // A name that is only known when it runs, and an address: what comes of it is run.
    all: [
      /(?:^|[;&|(]\s{0,4})(?:\$\(\s{0,4}(?:cat|head|tail|printf|echo|awk|sed|tr|rev)\b[^()\n]{1,256}\)|`(?:cat|head|tail|printf|echo|awk|sed|tr|rev)\b[^`\n]{1,256}`)\s[^|;&\n]{0,256}\b(?:https?|ftp):\/\/[^|;&\s]{1,512}[^|;&\n]{0,128}\|\s{0,4}(?:sudo\s{1,4})?(?:\/\w{1,16}){0,3}\/?(?:ba|da|z|k|a)?sh\b/,
    ],
    kind: 'shell.pipe_to_shell',
    severity: 'high',
    confidence: 0.85,
    what: 'runs what is fetched by a program whose name it hides',
  },
  {
    all: [/\b__reduce(?:_ex)?__\b/, /\b(?:os\.(?:system|popen)|subprocess\.\w{2,16}|eval|exec)\b/, /\breturn\b/],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.82,
    what: 'makes an object that runs a command when it is read',
  },
  {
    all: [/\bmmap\.mmap\(|\bmmap\(/, /\bCFUNCTYPE\(/],
    kind: 'shell.process_injection',
    severity: 'high',
    confidence: 0.85,
    what: 'runs machine code that it puts into memory',
  },
  {
    all: [/\bexec\(\s{0,4}\w{1,32}\.recv\(/],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.88,
    what: 'runs what another machine sends it',
  },
  {
    all: [/\brequire\(\s{0,4}atob\(|\[\s{0,4}atob\(\s{0,4}["']|\bglobal\[\s{0,4}["']\\x/],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'hides which function it calls',
  },
  {
    all: [
      /\bcmd(?:\.exe)?["']?\s{1,4}\/v(?::on)?\b[^\n]{0,400}\bset\s{1,4}\w{1,16}=[^\n]{0,400}(?:&&?|\|)\s{0,4}!\w{1,16}!!\w{1,16}!/i,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'puts the name of a program together of pieces',
  },
  {
    all: [/\bsocket\b/, /:receive\(/, /\bio\.popen\(\s{0,4}(?!["'])\w|\bos\.execute\(\s{0,4}(?!["'])\w/, /:send\(/],
    kind: 'shell.reverse_shell',
    severity: 'critical',
    confidence: 0.85,
    what: 'runs what another machine sends it',
  },
  {
    all: [
      /\b(?:os\.(?:system|popen)|subprocess\.\w{2,16}|Popen|execSync|exec|spawn|shell_exec|passthru|system)\s?\(\s{0,8}(?:[\w.]{1,32}\.)?(?:(?:urlsafe_|standard_)?b64decode|base64_decode|unhexlify|bytes\.fromhex|atob|Buffer\.from|pack|decode_base64)\s?\(|\b(?:b64decode|bytes\.fromhex|unhexlify)\s?\([^\n]{1,256}\bshell\s?=\s?True/,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'hands a shell what it unpacks first',
  },
  {
    all: [
      /\b(?:system|popen|exec|eval|run|call|check_output|Popen)\s?\(\s{0,8}(?:b?["']{2}|str)\.join\(\s?(?:\[?\s?chr\b|map\(\s?chr\b)|\bgetattr\s?\([^\n]{1,80}\)\s?\(\s{0,8}["']{2}\.join\(|\b__import__\s?\(\s?["']\w{0,12}["']\s?\+|\bString\.fromCharCode\([\d,\s]{32,4096}\)[^\n]{0,32}\)|\b(?:eval|exec|system)\s?\(?\s?\(?(?:chr\(\d{1,3}\)\s?\.\s?){4}/,
      /\b(?:system|popen|exec|execSync|eval|run|call|check_output|Popen|getattr|__import__)\b/,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.85,
    what: 'runs what it puts together of single letters',
  },
  {
    all: [
      /\b(?:exec|eval|iex|invoke-expression|subprocess|os\.system|popen|Start-Process|WScript\.Shell)\b|\[scriptblock\]::Create\(\(?\s?(?:irm|iwr|invoke-(?:rest|web)|\(?new-object)|\|\s?(?:sh|bash)\b/i,
      new RegExp(
        `urlopen|requests\\.(?:get|session)|session\\.get|DownloadString|DownloadFile|DownloadData|${POWERSHELL_FETCH}|file_get_contents\\s?\\(\\s?["']https?:|open-uri|Net::HTTP|LWP::Simple|XMLHTTP|WinHttp`,
        'i',
      ),
      /\bexec\s?\(|\beval\b|::Create|iex|invoke-expression|\|\s?(?:sh|bash)\b|chmod|Start-Process|\.exe\b|\.sh\b|\.ps1\b/i,
    ],
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.82,
    what: 'runs what it fetches',
  },
  {
    // It has a program fetch it, and runs what that prints.
    all: [
      /\b(?:curl|wget)[\s'"]/,
      /\beval\s?\(?\s?(?:`|%x[({[]|qx[({/])\s?(?:curl|wget)\s|(?:(?<![.\w])(?:exec|load(?:string)?)|\bos\.(?:system|execute)|\b(?:cp|child_process['")]{0,3})\.exec(?:Sync)?)\s?\(\s?[\w.()'"]{0,48}(?:popen\d?\(|check_output\(|getoutput\(|execSync\()\s?[["'(]{0,3}(?:curl|wget)[\s'"]/i,
    ],
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.88,
    what: 'runs what it fetches',
  },
  {
    all: [/\binclude\(\s?download\(\s?["']https?:|\bevaluate\(\s?new\s{1,4}URL\([^)\n]{1,200}\)\.text\b/],
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.85,
    what: 'runs what it fetches',
  },
  {
    all: [
      /\b(?:fetch|axios(?:\.get)?|got|https?\.get|require\(\s?["'](?:node:)?https?["']\s?\)\.get)\s?\(/,
      /\.then\(\s?(?:eval|Function|\(?\w{1,16}\)?\s?=>\s?(?:eval|new Function|vm\.run\w{0,16})\b)|\b(?:eval|Function)\(\s?\(?await\b|\.on\(\s?["'](?:data|end)["'],[^\n]{0,200}(?:\beval\(|\bFunction\(|\.runIn(?:This|New)?Context\()/,
    ],
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.85,
    what: 'runs what it fetches',
  },
  {
    all: [
      /VirtualAlloc|WriteProcessMemory|CreateRemoteThread|NtMapViewOfSection|QueueUserAPC|RtlMoveMemory|memfd_create|process_vm_writev|shellcode|PTRACE_POKE/i,
      /DllImport|Marshal|ctypes|kernel32|ntdll|syscall|exec|Add-Type|Reflection/i,
    ],
    kind: 'shell.process_injection',
    severity: 'high',
    confidence: 0.88,
    what: 'puts code into another process',
  },
  {
    all: [
      /(?:\bc?pickle|\bdill|\bcloudpickle|\bmarshal|\bjsonpickle)\.(?:loads|decode)\s?\(/i,
      /b64decode|bytes\.fromhex|unhexlify|decompress/,
    ],
    kind: 'shell.obfuscated',
    severity: 'high',
    confidence: 0.75,
    what: 'has an object unpacked that may run code as it is',
  },
];
