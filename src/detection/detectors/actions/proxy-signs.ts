import { indexSigns } from './command-signs.ts';
import { signsOf } from './sign-makers.ts';

const runs = signsOf('shell.proxy_execution', 'runs a program by a tool that is for something else');
const fetches = signsOf('shell.download_execute', 'fetches a program by a tool that is for something else');
const copies = signsOf('credential.process_memory', "takes a copy of a process's memory", 0.85, 'critical');

const PROGRAM =
  '(?:cmd|powershell|pwsh|mshta|rundll32|regsvr32|wscript|cscript|calc|\\S+\\.(?:exe|bat|cmd|com|scr|ps1))';
const SCRATCH = '\\\\(?:temp|tmp|appdata|users\\\\public|programdata|perflogs|downloads|\\$recycle\\.bin)\\\\';

/** Programs that come with Windows or with its developers' tools, and by which others run theirs past a list of what may run. */
export const PROXY_SIGNS = indexSigns([
  // Nobody who is not up to something starts these from a command line.
  runs(
    'installutil regasm regsvcs odbcconf pcalua cmstp msxsl presentationhost infdefaultinstall ieexec xwizard syncappvpublishingserver mavinject mavinject32 mavinject64 runscripthelper microsoft.workflow.compiler scriptrunner appvlp tttracer ttdinject verclsid extexport gpscript ieadvpack msdt offlinescannershell pcwrun rasautou register-cimprovider runonce settingsynchost wlrmdr wuauclt devtoolslauncher dxcap intellitrace mftrace rcsi sqltoolsps testwindowremoteagent vsdiagnostics vsiisexelauncher visualuiaverifynative vsjitdebugger vslaunchbrowser xbootmgrsleep acccheckconsole agentexecutor bginfo coregen defaultpack fsianycpu pixtool vsls-agent wfmformat workfolders unregmp2 sdbinst atbroker iscsicpl provlaunch eudcedit wbemtest cl_invocation.ps1 cl_loadassembly.ps1 cl_mutexverifiers.ps1 utilityfunctions.ps1 syncinvoke loadassemblyfrompath tracker openconsole msoxmled stordiag ie4uinit certoc dfshim launchforDeploy pester.bat'.toLowerCase(),
    /\S/,
    /^[-/](?:help|v|version)$/,
  ),
  runs(
    'rundll32',
    /\S/,
    /user32(?:\.dll)?,? ?lockworkstation|powrprof|printui|inetcpl|^(?:sysdm|timedate|desk|mmsys|appwiz|intl|powercfg)\.cpl(?:,[a-z]{1,32})?$|^(?:c:\\windows\\system32\\)?shell32\.dll,(?:control_rundll|options_rundll)(?: (?:sysdm|timedate|desk|main|mmsys|appwiz|intl|powercfg|ncpa|firewall|hdwwiz|joy|inetcpl)\.cpl[\w,@ ]{0,32})?$/,
  ),
  runs('regsvr32', /\S/, /^(?:\/s )?[\w.-]+\.dll$/),
  runs('mshta', /\S/),
  runs('wscript cscript', /\.(?:jse?|vb[es]|ws[fhc]|hta|sct)\b|:\S+$/),
  runs('hh', /https?:|\.chm|ms-its|\.html?\b/),
  runs('control', /\.cpl\b|\.dll\b|:\w/),
  runs('explorer', new RegExp(`${PROGRAM}|/root,|shell:::`)),
  runs('conhost', /--headless|^(?:cmd|powershell|pwsh)\b|^[^-0]\S*\.exe/),
  runs(
    'msbuild',
    new RegExp(
      `${SCRATCH}|https?:|^\\\\\\\\|\\.xml\\b|[-/](?:distributedlogger|dl|logger|l):\\S*\\.dll|\\.(?:txt|jpg|png|log)\\b`,
    ),
  ),
  runs(
    'msiexec',
    new RegExp(
      `(?:https?:|\\\\\\\\)\\S+|(?:^| )[-/][yz]\\b|[-/](?:i|package|a|update|p)\\b.*(?:${SCRATCH}|\\.(?:png|jpg|txt|dat)\\b|t1\\d{3})|[-/]q\\S* .*\\.dll`,
    ),
  ),
  runs('forfiles', new RegExp(`[-/]c\\b.*${PROGRAM}`)),
  runs('winrm', /\binvoke create\b|\bcreate wmicimv2/),
  runs('cdb windbg ntsd kd', /(?:^| )-(?:cf|pd|pn|g)\b|\.shell/),
  runs('csi te wfc remote', /^\S+\.(?:csx?|wsc|xoml)\b|^\/s\b/),
  runs('msdeploy', /runcommand/),
  runs('update squirrel', /--(?:processstart|update(?:rollback)?=|createshortcut)/),
  fetches('squirrel update', /--download/),
  runs('sftp', /(?:^| )-d ?["']?(?:cmd|powershell|(?:\/\S+\/)?(?:ba)?sh)\b/),
  runs(
    'ssh sftp scp',
    /(?:^| )-o ?["']?(?:proxycommand|localcommand|knownhostscommand)=["']?\s?(?:cmd|powershell|pwsh|mshta|rundll32|\S+\.(?:exe|bat|ps1))\b|pkcs11provider=\S+\.dll|(?:^| )-s ["']?(?:cmd|powershell)/,
  ),
  // A program at the other end is named by its path; what holds marks of the shell is something else.
  runs('git', /--(?:upload|receive)-pack[= ]["']?[^ ]*(?: [^-][^ ]*){0,6}[;|&$`#>]|(?:^| )["']?ext::(?:ba|da|z)?sh\b/),
  runs('git', /^grep\b.*(?:--open-files-in-pager=|(?:^| )-o["']?)[^ ]*(?: [^ ]+){0,4}[;|&$`#]/),
  runs(
    'hg',
    /--config[= ]["']?(?:hooks\.[\w.-]+=|alias\.[\w.-]+=["']?!|ui\.ssh=)["']?\S*(?:sh\b|curl|wget|nc|id\b|[;|&$`])|--config[= ]["']?alias\.[\w.-]+=["']?!/,
  ),
  runs('gcc g++ cc clang', /(?:^| )-wrapper (?:\/\S{0,40}\/)?(?:ba|da|z)?sh\b/),
  runs('logrotate', /(?:^| )(?:-m ?|--mail[= ])["']?\S*\/(?!s?mailx?\b)\S+ \S/),
  runs('ssh-keygen', /(?:^| )-d ?(?!\/(?:usr|opt|lib\d*|nix)\/)\S+\.(?:so|dylib)\b/),
  runs('ssh', /localcommand[= ]["']?(?:\/\S{0,40}\/)?(?:ba|da|z|k)?sh\b/),
  runs('sendmail exim exim4', /\$\{run\{/),
  runs('lftp', /(?:^| )-[ec] ?["']?!/),
  runs('make gmake', /--eval[= ]?\S*[\s\S]{0,16}\/bin\/(?:ba|da|z)?sh\b/),
  runs('mpiexec', /^(?:cmd|powershell)/),
  runs('sqlps', /\S/),
  runs('wt', /\b(?:cmd|powershell)\b.*\/c\b/),
  runs('mmc', /-embedding|\\\\|https?:|\.msc\b.*(?:temp|users)/),
  runs('logger', /\brunw\b|^(?:cmd|powershell)\b.*\/c\b/),
  runs('wsb', /logoncommand|exec -r system/),
  runs('manage-bde.wsf pubprn.vbs slmgr.vbs winrm.vbs', /\S/),
  runs('winword excel powerpnt msaccess visio outlook', /(?:^| )\/l \S+|\.(?:wll|xll|dll)\b/),
  fetches('winword excel powerpnt msaccess mspub visio winproj msohtmed protocolhandler infopath onenote', /https?:/),
  runs(
    'chrome chromium chromium-browser google-chrome msedge msedgewebview2 brave opera vivaldi teams mscopilot_proxy',
    /--(?:gpu-launcher|utility-cmd-prefix|renderer-cmd-prefix|ppapi-plugin-launcher|browser-subprocess-path)=/,
  ),
  runs('dnscmd', /serverlevelplugindll/),
  runs('netsh', /\badd helper\b/),
  runs('invoke-wmimethod invoke-cimmethod', /win32_process\b.*\bcreate\b|\bcreate\b.*win32_process\b/),
  fetches(
    'desktopimgdownldr gfxdownloadwrapper imewdbld cmdl32 configsecuritypolicy printbrm devinit ieframe',
    /https?:|\\\\|\S+ \S+/,
  ),
  fetches('certoc', /-getcacaps/),
  fetches('certreq', /-post\b/),
  fetches(
    'extrac32 expand diantz makecab replace xcopy robocopy esentutl findstr print',
    /^(?:\S+ ){0,4}\\\\[\w.-]+\\(?:[a-z]|ipc|admin)\$/,
  ),
  fetches('sqlcmd', /-i ?https?:/),
  fetches('ldifde', /-i\b.*-f\b/),
  copies('sqldumper', /\d/),
  copies('werfaultsecure', /\/pid\b/),
  copies('createdump dumpminitool dump64 adplus rdrleakdiag', /\S/),
  copies('tasklist', /\/m:? ?lsass/),
]);
