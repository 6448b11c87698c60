const WORDS = `
  add-content ac
  clear-content clc
  clear-item cli
  clear-itemproperty clp
  compare-object diff compare
  copy-item cp copy cpi
  copy-itemproperty cpp
  enter-pssession etsn
  expand-archive
  foreach-object %
  get-childitem gci ls dir
  get-ciminstance gcim
  get-clipboard gcb
  get-content gc cat type
  get-item gi
  get-itemproperty gp
  get-process gps ps
  get-service gsv
  get-wmiobject gwmi
  import-module ipmo
  invoke-cimmethod icim
  invoke-command icm
  invoke-expression iex
  invoke-item ii
  invoke-restmethod irm
  invoke-webrequest iwr wget curl
  invoke-wmimethod iwmi
  move-item mv move mi
  new-ciminstance ncim
  new-item ni
  new-psdrive ndr mount
  new-pssession nsn
  remove-item rm del erase ri rd rmdir
  remove-itemproperty rp
  rename-item ren rni
  rename-itemproperty rnp
  select-string sls
  set-ciminstance scim
  set-clipboard scb
  set-content sc
  set-item si
  set-itemproperty sp
  set-location cd sl chdir
  set-service
  set-wmiinstance swmi
  start-job sajb
  start-process saps start
  start-service sasv
  stop-process kill spps
  stop-service spsv
  tee-object tee`;

/** PowerShell's aliases, to the cmdlet they stand for. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  WORDS.trim()
    .split('\n')
    .flatMap((line): [string, string][] => {
      const [cmdlet = '', ...aliases] = line.trim().split(' ');
      return aliases.map((alias) => [alias, cmdlet]);
    }),
);

/** Words behind `sc` that only the control program of services knows: to PowerShell, `sc` is `Set-Content`. */
const SERVICE_VERB =
  /^(?:\\\\.*|create|config|delete|start|stop|pause|continue|query|queryex|qc|qdescription|failure|failureflag|sdset|sdshow|description|privs|sidtype|triggerinfo|control)$/i;

/** What a command of this name is, by `written`, the word as it stands there, and `next`, the word behind it. */
export function cmdletOf(name: string, written: string, next: string | undefined): string {
  // With its ending it is the program of that name.
  if (/\.exe$/i.test(written) || (name === 'sc' && SERVICE_VERB.test(next ?? ''))) return name;
  return ALIASES.get(name) ?? name;
}
