import { inspect, unlimited } from './src/detection/pipeline.ts';
import { ALONE, builtinEngine } from './test/support/engine.ts';
import { bash } from './test/support/events.ts';
import { cpuMsOf } from './test/support/timing.ts';
import * as ev from './test/support/events.ts';
const units=process.argv.slice(2).length?process.argv.slice(2):['do ','if ','if not ','@do ','@if ','try ','else ','{{','‹/','call ','& ','. ','/i ','if exist ','if a==b ','$a ','$a = ','sudo ','env ','nice ','command ','exec ','nohup ','timeout 5 ','xargs ','$A ','${A} ','busybox ','eval ','cmd /c ','iex ','powershell -c ','start-process ','find -exec ','git -c ','ssh a ','parallel ','set x=','%a','@"\n','$(','<(','$((','((','{','"$(', '`','sh <<< ','r$@m ','r${Z}m ','$((1+1))','a$((1','trap ','-- ','sudo -- ','env A=1 ','{a,b}','%a% ','("', '|','| sh ','&&do ','^','$env:a ','$@','s$1h ','docker exec c ','kubectl exec p -- '];
for (const u of units) {
 for (const name of ['PowerShell','Bash']) {
  const mk=(n:number)=>({...bash(u.repeat(Math.ceil(n/u.length)).slice(0,n)), tool:{name,input:{command:u.repeat(Math.ceil(n/u.length)).slice(0,n)}}}) as ReturnType<typeof bash>;
  const t16=cpuMsOf(()=>inspect(mk(16000),ALONE,builtinEngine,unlimited),2);
  const t64=cpuMsOf(()=>inspect(mk(65000),ALONE,builtinEngine,unlimited),2);
  if (t64>60) console.log(JSON.stringify(u),name,t16.toFixed(0),t64.toFixed(0), t64>5*t16?'!!':'');
 }
}
