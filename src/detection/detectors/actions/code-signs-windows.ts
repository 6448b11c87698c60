import type { CodeSign } from './code-signs.ts';
import { hint } from './hint.ts';
import { codeSign, POWERSHELL_FETCH } from './sign-makers.ts';

/** What PowerShell, VBScript and JScript do by objects and methods, of which no command tells. */
export const WINDOWS_CODE_SIGNS: readonly CodeSign[] = [
  codeSign(
    'evasion.logs',
    'empties the logs of events',
    0.85,
    /EventLogSession|Get-(?:WinEvent|EventLog)|Diagnostics\.EventLog/i,
    /\.ClearLog\s?\(|\bEventLog\]::Delete\s?\(/i,
  ),
  codeSign(
    'credential.ssh_key',
    'reads a file of keys or passwords',
    0.85,
    /\[(?:System\.)?IO\.File\]::(?:ReadAll\w{1,8}|Open\w{0,8}|Copy)\s?\(\s?["']?[^"'\n)]{0,200}(?:[\\/]\.ssh[\\/]id_\w|[\\/]\.aws[\\/]credentials|[\\/]Login Data\b|\.kdbx\b|ntds\.dit)/i,
  ),
  codeSign(
    'shell.obfuscated',
    'puts together the name of what it runs',
    0.82,
    /[&.]\s{0,2}\(\s{0,2}\(?\s{0,2}["']?(?:[^"'\n{]{0,12}\{\d\}){2,16}[^"'\n]{0,12}["']\s{0,2}-f|[&.]\s{0,2}\(\s{0,2}(?:["'][a-z]{1,4}["']\s{0,2}\+\s{0,2}){1,8}["'][a-z-]{1,12}["']\s{0,2}\)|\$(?:env:comspec|pshome|shellid)\[\d{1,2}[,\]]|-join\s{0,2}["']{2}\s{0,2}\)\s{0,2}\|\s{0,2}[&.]|\[char\[\]\][^\n]{0,400}-join|-join\s{0,2}\(\s{0,2}\[char\[\]\]|-bxor\b[^\n]{0,400}\b(?:iex|invoke)/i,
  ),
  codeSign(
    'shell.obfuscated',
    'puts together the name of what it runs',
    0.82,
    /\$(\w{1,32})\s{0,2}=\s{0,2}(?:["'][a-z-]{1,12}["']\s{0,2}\+\s{0,2}){1,8}["'][a-z-]{1,12}["'][\s\S]{0,400}?[&.]\s{0,2}\(?\$\1\b/i,
  ),
  codeSign(
    'destructive.files',
    'deletes all that is on every drive',
    0.88,
    /\bGet-PSDrive\b|\bgdr\b|\bGet-Volume\b|Win32_LogicalDisk|DriveInfo\]::GetDrives/i,
    /\b(?:Remove-Item|rd|ri|rm|del|rmdir)\b[^\n;|}]{0,96}\$\(?\$?(?:_|PSItem|\w{1,16})\.(?:(?:Root|RootDirectory|DeviceID)\)?|(?:DriveLetter|Name)\)?:)["']?[\\/]{0,2}\*?["'\s]/i,
  ),
  codeSign(
    'shell.obfuscated',
    'unpacks what it runs from a secure string',
    0.75,
    /SecureStringTo(?:BSTR|GlobalAlloc|CoTaskMem)|PtrToString(?:Auto|BSTR|Uni)/i,
    /\biex\b|invoke-expression|\binvoke\b|ConvertTo-SecureString[^\n]{0,400}-k(?:ey)?\b/i,
  ),
  codeSign(
    'shell.download_execute',
    'runs what it fetches',
    0.8,
    new RegExp(
      `\\.Download(?:File|String|Data)\\b|Start-BitsTransfer|${POWERSHELL_FETCH}|MSXML2\\.|WinHttp\\.|InternetExplorer\\.Application`,
      'i',
    ),
    /Start-Process|Invoke-Item|\bii\b|&\s{0,2}["'(]{0,2}\$env:(?:temp|tmp|appdata|public)|\.ResponseText|\.Run\s?\(|\.Exec\s?\(|ShellExecute|regsvr32|rundll32/i,
    /\.(?:exe|ps1|psm1|bat|dll|msi|hta|vbs|js|scr)\b/i,
  ),
  codeSign(
    'shell.proxy_execution',
    'has another program of the system run a command',
    0.82,
    /GetTypeFrom(?:ProgID|CLSID)|CreateInstance|New-Object\s{1,4}-com\w{0,12}|CreateObject|ActiveXObject|\[wmiclass\]|Win32_Process\b/i,
    /ExecuteShellCommand|ShellExecute|ActivateMicrosoftApp|DDEInitiate|ExecuteExcel4Macro|RegisterXLL|\.Navigate2?\s?\(|Document\.ActiveView|MMC20\.Application|ShellBrowserWindow|ShellWindows|Win32_Process["'\])]{0,4}[^\n]{0,40}\.?Create\b|\.AddIns?\b[^\n]{0,80}\.(?:wll|xll)/i,
  ),
  codeSign(
    'persistence.startup_folder',
    'has something start with Windows',
    0.85,
    /CreateShortcut\s?\(|\.lnk\b|Copy-Item|\.Save\s?\(/i,
    /Start Menu\\+Programs\\+Start\s?up|shell:startup|GetFolderPath\s?\(\s?["']?(?:Common)?Startup/i,
  ),
  codeSign(
    'persistence.scheduled_task',
    'makes a scheduled task',
    0.85,
    /Schedule\.Service|PS_ScheduledTask|RegisterTaskDefinition|RegisterByXml/i,
    /Register|Create|Invoke/i,
  ),
  codeSign(
    'persistence.wmi',
    'has a command run on an event of the system',
    0.88,
    /__EventFilter|CommandLineEventConsumer|ActiveScriptEventConsumer|__FilterToConsumerBinding|__IntervalTimerInstruction/i,
    /New-|Set-|Create|Put\s?\(|Instance|Register/i,
  ),
  codeSign(
    'persistence.registry_run',
    'changes a registry key from which programs are started',
    0.82,
    /Registry(?:Key)?\]?::|RegWrite|OpenSubKey|CreateSubKey|SetValue|SetEnvironmentVariable/i,
    /CurrentVersion\\+(?:Run|Winlogon|Policies)|Image File Execution|\\Services\\|InprocServer32|COR_PROFILER|COR_ENABLE|\\Shell\\Open\\Command|ms-settings|Explorer\\+Shell Folders/i,
  ),
  codeSign(
    'evasion.defenses',
    'keeps the system from recording or scanning what is run',
    0.85,
    /PSEtwLogProvider|etwProvider|EtwEventWrite|m_enabled|System\.Management\.Automation\.Tracing|\bAmsi(?:Context|Session|OpenSession|Utils)?\b|HarddiskVolume.{0,40}MsMpEng|SuspendThread[^\n]{0,200}eventlog|UnifiedAuditLogIngestionEnabled\s{0,2}:?\$?false/i,
  ),
  codeSign(
    'evasion.attributes',
    'puts something into a stream of a file that nobody sees',
    0.75,
    /\b(?:type|findstr|echo|more|cmd|get-content)\b/i,
    />\s{0,4}["']?(?:[a-z]:)?\\?[\w.\\ -]{1,200}\w:[\w.-]{1,64}\.(?:exe|dll|bat|cmd|vbs|js|ps1|hta)\b/i,
  ),
  codeSign(
    'evasion.defenses',
    'changes the insides of PowerShell',
    0.85,
    /\[Ref\]\.Assembly|\[(?:PSObject|ScriptBlock|System\.Management\.Automation\.\w{1,40})\]\.(?:Assembly|GetField)/i,
    /NonPublic/i,
    /SetValue\s?\(/i,
  ),
  codeSign(
    'shell.download_execute',
    'runs what it fetches',
    0.85,
    /\[(?:System\.)?Net\.(?:Http)?WebRequest\]::Create|Net\.Http\.HttpClient|Net\.WebClient/i,
    /ReadToEnd|StreamReader|GetStringAsync|DownloadString|OpenRead/i,
    /\biex\b|Invoke-Expression|\[scriptblock\]::Create/i,
  ),
  codeSign(
    'shell.download_execute',
    'loads a library into itself that it fetches',
    0.85,
    /\[(?:System\.)?(?:Reflection\.)?Assembly\]::Load\b/i,
    /Invoke-WebRequest|Invoke-RestMethod|\biwr\b|\birm\b|DownloadData|GetByteArrayAsync/i,
  ),
  codeSign(
    'shell.process_injection',
    'calls functions of the system that it looks up in memory',
    0.8,
    /UnsafeNativeMethods|DefineDynamicAssembly/i,
    /GetProcAddress|GetModuleHandle|GetDelegateForFunctionPointer|InMemoryModule/i,
  ),
  codeSign(
    'privilege.remote_execution',
    'puts a program on another machine by the share of its administrators',
    0.8,
    /\\\\[\w.$-]{1,64}\\(?:[A-Z]|ADMIN)\$(?![\w])/i,
    /\bcopy(?:-item)?\b|\bcp\b|xcopy|robocopy|\bmove(?:-item)?\b/i,
    /\.(?:exe|dll|ps1|bat|vbs|msi)\b/i,
  ),
  codeSign(
    'privilege.remote_execution',
    'starts a program on another machine with a login that it spells out',
    0.78,
    /New-PSSession|Invoke-Command[^\n]{0,200}-(?:ComputerName|Session)\b/i,
    /PSCredential/i,
    /\.exe\b|Start-Process|DownloadString|-ToSession\b/i,
  ),
  codeSign(
    'credential.search',
    'looks for keys over whole disks',
    0.78,
    /(?:\\?\.(?:key|pgp|gpg|ppk|p12|pem|pfx|p7b|asc|kdbx|jks|ovpn)\b[\s"',@()|]{1,6}){4}/i,
    /\bfind\s{1,4}["']?[/~$]|Get-ChildItem|\bgci\b|\bdir\b|os\.walk\s?\(|\.rglob\(/i,
  ),
  codeSign(
    'evasion.timestamps',
    // To the present one it is what `touch` does.
    "changes a file's times",
    0.75,
    /\.(?:CreationTime|LastWriteTime|LastAccessTime)(?:Utc)?\s{0,4}=(?!=|\s{0,4}\(?(?:Get-Date|\[DateTime\]::(?:Utc)?Now)\)?\s{0,4}(?:[;}"'\n]|$))|\.?SetFileTime\b|::Set(?:CreationTime|LastWriteTime|LastAccessTime)/i,
  ),
  codeSign(
    'evasion.attributes',
    'hides a file',
    0.75,
    /\.Attributes\s{0,4}(?:=(?!=)|\+=|-bor)\s{0,4}[^\n;]{0,40}(?:Hidden|System)|FileAttributes\]::Hidden[^\n]{0,40}(?:SetAttributes|;)|::SetAttributes\s?\([^\n]{0,80}Hidden/i,
  ),
  codeSign(
    'credential.account_hashes',
    'takes a copy of the directory of accounts',
    0.85,
    /HarddiskVolumeShadowCopy|Win32_ShadowCopy|\\config\\(?:SAM|SECURITY|SYSTEM)\b|NTDS\.dit/i,
    /\bCopy|\.Create\s?\(|CopyFile|OpenRead|ReadAllBytes|mklink|VolumeShadow/i,
  ),
  codeSign(
    'credential.account_hashes',
    'reads a disk past its file system',
    0.75,
    /\\\\\.\\+(?:[A-Z]:|PhysicalDrive\d)/i,
    /FileStream|OpenRead|CreateFile|ReadAllBytes|dd\b/i,
  ),
  codeSign(
    'credential.keyring',
    'asks for tickets or keys that it has no use for',
    0.82,
    /KerberosRequestorSecurityToken|ProtectedData\]?::Unprotect|CredEnumerate|CredRead\b|PasswordVault|VaultEnumerate|LsaRetrievePrivateData|DirectoryReplication|DRSGetNCChanges/i,
  ),
  codeSign(
    'credential.process_memory',
    "takes a copy of a process's memory",
    0.88,
    /MiniDumpWriteDump|MiniDumpWithFullMemory|SeDebugPrivilege[^\n]{0,400}lsass|lsass[^\n]{0,80}(?:dump|\.dmp)|NtReadVirtualMemory[^\n]{0,200}lsass/i,
  ),
  codeSign(
    'collection.password_prompt',
    'asks a person for a password',
    0.82,
    /PromptForCredential|CredUIPromptFor|Get-Credential\b/i,
    /GetNetworkCredential|\.Password\b|ConvertFrom-SecureString/i,
  ),
  codeSign(
    'collection.screen',
    'records the screen',
    0.78,
    /CopyFromScreen|BitBlt|GetDesktopWindow[^\n]{0,200}GetWindowDC/i,
  ),
  codeSign(
    'collection.audio',
    'records sound',
    0.75,
    /mciSendString[^\n]{0,200}(?:record|waveaudio)|WindowsAudioDevice|waveInOpen/i,
  ),
  codeSign(
    'collection.mail',
    "reads a person's mail",
    0.78,
    /Outlook\.Application|Microsoft\.Office\.Interop\.Outlook|EWS\.WebServices|ExchangeService\b/i,
    /GetDefaultFolder|\.Items\b|FindItems|olFolder/i,
  ),
  codeSign(
    'exfiltration.command',
    'sends files to another machine',
    0.75,
    /\.Upload(?:File|Data|String|Values)(?:Async)?\s?\(|FtpWebRequest|WebRequestMethods\+Ftp/i,
    /Get-Content|Get-ChildItem|Get-Item\b|\bdir\b|ReadAll|OpenRead|UploadFile/i,
  ),
  codeSign(
    'recon.domain',
    'looks a domain over for a way in',
    0.75,
    /\[adsisearcher\]|DirectorySearcher|root\\+directory\\+ldap/i,
    /FindAll|FindOne|objectc|class/i,
  ),
  codeSign(
    'recon.attack_tool',
    'tries one password after the other',
    0.8,
    /DirectoryServices|LdapConnection|ValidateCredentials|Connect-(?:AzureAD|AzAccount|MsolService|ExchangeOnline)|Net\.NetworkCredential|net\s{1,4}use\b/i,
    /foreach|for\s?\(|ForEach-Object|for \/f|while/i,
    /passwords?\b[^\n]{0,80}(?:split|Get-Content|in\b)|\$(?:pass|pwd|password)s?\b[^\n]{0,40}\bin\b|passwords?\.txt|userlist|spray|brute/i,
  ),
  codeSign(
    'shell.process_injection',
    'puts code into another process',
    0.85,
    /OpenProcess|VirtualAllocEx|NtCreateThreadEx|SetThreadContext|RtlCreateUserThread|NtQueueApcThread|ZwUnmapViewOfSection|EnumSystemLocales|CreateThreadpoolWait|GetDelegateForFunctionPointer/i,
    /DllImport|GetProcAddress|kernel32|ntdll|Marshal\]?::/i,
  ),
  codeSign(
    'persistence.web_shell',
    'writes a page that runs what its visitors send',
    0.88,
    /<\?(?:php|=)[\s\S]{0,80}`[^`\n]{0,80}\$_(?:GET|POST|REQUEST|COOKIE)|<\?(?:php|=)?[\s\S]{0,200}\b(?:system|exec|passthru|shell_exec|eval|popen|assert|proc_open|include)\s{0,4}\(?[^\n]{0,40}\$_(?:GET|POST|REQUEST|COOKIE|SERVER)|<%[\s\S]{0,400}(?:Runtime\.getRuntime\(\)\.exec|Process\.Start|WScript\.Shell|eval\s?\(?\s?Request|ProcessBuilder)|Request\.(?:Item|Form|QueryString)[^\n]{0,80}(?:eval|Execute)/i,
  ),
];

/** A part of every text that some of these signs can match: most texts end here. */
export const mayHoldWindowsSign = hint(
  `.clearlog io.file] nonpublic unsafenative definedynamic pscredential comspec[ pshome[ shellid[ -join -bxor securestringto
  ptrtostring .download invoke-webrequest invoke-restmethod start-bitstransfer msxml2 winhttp internetexplorer gettypefrom
  createinstance -com createobject activexobject wmiclass win32_process startup schedule eventfilter eventconsumer
  filtertoconsumer intervaltimer registry regwrite subkey setenvironmentvariable etw m_enabled automation.tracing amsi
  msmpeng suspendthread unifiedaudit writetime accesstime creationtime setfiletime attributes shadowcopy \\config\\ ntds
  \\\\.\\ kerberosrequestor protecteddata credenum credread passwordvault vaultenum lsaretrieve directoryreplication drsget
  minidump lsass promptfor get-credential copyfromscreen bitblt getdesktopwindow mcisend windowsaudio waveinopen outlook ews.
  exchangeservice directoryservices ldapconnection validatecredentials connect- networkcredential openprocess virtualalloc
  ntcreatethread setthreadcontext rtlcreateuser ntqueueapc zwunmap enumsystemlocales threadpoolwait getdelegatefor <%
  request. .upload ftp adsisearcher directorysearcher psdrive logicaldisk get-volume getdrives`,
  /:[\w.-]{1,64}\.(?:exe|dll|bat|cmd|vbs|js|ps1|hta)\b|net\.\w{0,4}\.?(?:http|web)|[A-Z]\$|\.(?:ppk|p12|pfx|p7b|kdbx|pem)\b|\}["']\s{0,2}-f|\+\s{0,2}["'][a-z-]{1,12}["']\s{0,2}[);]|\biwr\b|\birm\b|start up|net\s{1,4}use|\$_(?:GET|POST|REQUEST|COOKIE|SERVER)|directory\\+ldap|ssembly\]::load\b/i,
);
