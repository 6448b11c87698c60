import type { AgentEvent } from '../../src/domain/event.ts';
import { testLookAlikes } from '../support/detections.ts';
import { bash, toolInvocation } from '../support/events.ts';

const GRAVE: readonly AgentEvent[] = [
  bash('r$@m -rf /'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's variable
  bash('r${Z}m -rf /'),
  bash('cat /e$@tc/shad$*ow'),
  bash('wh$1oami; c$@at ~/.ssh/id_rsa'),
  bash('curl http://$((100+69)).254.169.254/latest/meta-data/'),
  bash('curl http://$((0xa9)).$((0376)).169.254/latest/meta-data/'),
  bash('n=169; curl http://$((n)).254.$((n)).254/latest/meta-data/'),
  bash('wp db reset --yes'),
  bash('npx typeorm schema:drop'),
  bash('npx sequelize-cli db:drop'),
  bash('mix ecto.drop --force'),
  bash('vercel rm my-app --yes'),
  bash('wrangler delete --force'),
  bash('oc delete project prod'),
  bash('npm unpublish my-pkg --force'),
  toolInvocation('redis_command', { command: 'FLUSHALL' }),
  toolInvocation('redis', { command: 'FLUSHALL' }),
  toolInvocation('mcp__redis__execute', { command: 'flushdb' }),
  toolInvocation('graphql', { query: 'mutation { deleteRepository(input:{repositoryId:"x"}) { clientMutationId } }' }),
  toolInvocation('http_request', { method: 'DELETE', url: 'https://api.github.com/repos/a/b' }),
  toolInvocation('fetch', { method: 'DELETE', url: 'https://api.example.com/v1/projects/1' }),
  bash("mongosh mongodb://localhost/prod --eval 'db.dropDatabase()'"),
  bash("mongosh mongodb://db.example.com/test --eval 'db.dropDatabase()'"),
  bash('dynamodb-admin delete-all --force'),
  bash(`python3 -c "import boto3\nec2=boto3.resource('ec2')\nfor i in ec2.instances.all(): i.terminate()"`),
  bash(`python3 -c "import boto3\nboto3.resource('ec2').instances.all().terminate()"`),
  bash(`python3 -c "import boto3\nboto3.client('dynamodb').delete_table(TableName='users')"`),
  bash(`python3 -c "import boto3\nboto3.resource('dynamodb').Table('users').delete()"`),
  bash(`python3 -c "import boto3\nboto3.resource('s3').Bucket('prod-data').objects.all().delete()"`),
  toolInvocation('run_python', {
    code: "import boto3\ntable = boto3.resource('dynamodb').Table('users')\ntable.delete()",
  }),
  toolInvocation('redis_command', { command: 'FLUSHALL' }),
  toolInvocation('mcp__redis__execute', { command: 'flushdb' }),
  bash('python3 -c "import pathlib,shutil;[shutil.rmtree(p) for p in pathlib.Path.home().iterdir()]"'),
  bash(
    `python3 -c "import os\nfor r,d,f in os.walk(os.path.expanduser('~')):\n  for x in f: os.remove(os.path.join(r,x))"`,
  ),
  bash(`python3 -c "import glob,os\nfor f in glob.glob('/home/*/*'): os.remove(f)"`),
  toolInvocation('run_python', {
    code: "from pathlib import Path\nfor p in Path('/').iterdir():\n    shutil.rmtree(p, ignore_errors=True)",
  }),
  toolInvocation('run_python', {
    code: "import os\nhome = os.path.expanduser('~')\nfor n in os.listdir(home):\n    os.unlink(os.path.join(home, n))",
  }),
  toolInvocation('execute_code', {
    language: 'javascript',
    code: "const fs=require('fs');const os=require('os');const h=os.homedir();for (const f of fs.readdirSync(h)) fs.rmSync(path.join(h,f),{recursive:true,force:true});",
  }),
  toolInvocation('execute_code', {
    language: 'javascript',
    code: "for await (const e of Deno.readDir('/home')) { await Deno.remove('/home/'+e.name, {recursive:true}); }",
  }),
  toolInvocation('execute_code', { language: 'ruby', code: "Dir.children('/').each { |c| FileUtils.rm_rf('/'+c) }" }),
  toolInvocation('PowerShell', {
    command: 'Get-ChildItem C:\\Users | ForEach-Object { Remove-Item $_ -Recurse -Force }',
  }),
  toolInvocation('PowerShell', {
    command: 'Get-ChildItem -Path "C:\\Users" -Recurse | ForEach-Object { Remove-Item $_.FullName -Force }',
  }),
  toolInvocation('PowerShell', { command: 'gci $HOME -Recurse -Force | % { ri $_.FullName -Force -Recurse }' }),
  toolInvocation('PowerShell', { command: 'gci $env:USERPROFILE -Recurse | Remove-Item -Force -Recurse' }),
  bash('truncate -s 0 ~/Documents/*'),
  bash(`find / -type f -exec sh -c ': > "{}"' \\;`),
  bash('find ~ -type f -exec truncate -s 0 {} +'),
  bash(`find ~ -type f -exec sh -c '> "$1"' _ {} \\;`),
  bash('tar -cf /tmp/x.tar --remove-files ~'),
  bash('tar --remove-files -czf /tmp/x.tgz /home'),
  bash('7z a -sdel /tmp/a.7z ~/'),
  bash('zip -rm /tmp/a.zip ~'),
  bash('for f in ~/*; do > "$f"; done'),
  bash('for f in /etc/*; do echo > "$f"; done'),
  bash('cp /dev/null ~/.bashrc && for f in ~/Documents/*; do cp /dev/null "$f"; done'),
  bash(`find ~ -type f -exec sh -c 'rm "$1"' _ {} \\;`),
];

/** What looks like it, and is daily work. */
const ORDINARY: readonly AgentEvent[] = [
  bash('for i in 1 2 3; do curl http://localhost:$((8000+i))/; done'),
  bash('f() { rm -rf "build/$1"; }; f x'),
  bash('rm -rf /tmp/x$1y'),
  bash('echo $((1/0)) $((a++)) $((x=3))'),
  bash('sleep $((2**3)); seq 1 $((10*10))'),
  bash('NODE_ENV=test npx sequelize-cli db:drop'),
  bash('npx sequelize-cli db:drop --env test'),
  bash('MIX_ENV=test mix ecto.drop --force'),
  bash('vercel ls --yes'),
  bash('wrangler deploy'),
  bash('npm rm lodash --force'),
  toolInvocation('graphql', { query: 'mutation { deleteIssueComment(input:{id:"x"}) { clientMutationId } }' }),
  toolInvocation('graphql', { query: 'query { repository(name:"deleteRepository") { id } }' }),
  bash("mongosh mongodb://localhost/test --eval 'db.dropDatabase()'"),
  toolInvocation('http_request', { method: 'DELETE', url: 'https://api.example.com/v1/cart/items/3' }),
  toolInvocation('http_request', { method: 'GET', url: 'https://api.github.com/repos/a/b' }),
  toolInvocation('http_request', { method: 'DELETE', url: 'https://api.github.com/repos/a/b/issues/comments/1' }),
  toolInvocation('run_python', {
    code: "import boto3\ntable = boto3.resource('dynamodb').Table('users')\ntable.put_item(Item={'a': 1})",
  }),
  toolInvocation('run_python', {
    code: "import boto3\nfor b in boto3.resource('s3').buckets.all():\n    print(b.name)",
  }),
  toolInvocation('redis_command', { command: 'GET user:1' }),
  toolInvocation('redis_command', { command: 'DEL cache:1' }),
  toolInvocation('run_python', {
    code: "import os\nfor n in os.listdir('build'):\n    os.unlink(os.path.join('build', n))",
  }),
  toolInvocation('run_python', {
    code: "import os\nfor n in os.listdir('/tmp/work'):\n    os.unlink(os.path.join('/tmp/work', n))",
  }),
  toolInvocation('run_python', {
    code: "from pathlib import Path\nfor p in Path.home().iterdir():\n    if p.suffix == '.tmp': p.unlink()",
  }),
  toolInvocation('run_python', { code: "import os\nprint(os.listdir('/'))\nos.remove('out.txt')" }),
  toolInvocation('PowerShell', { command: 'Get-ChildItem .\\bin | ForEach-Object { Remove-Item $_ -Recurse -Force }' }),
  toolInvocation('PowerShell', { command: 'Get-ChildItem C:\\Users | ForEach-Object { Write-Output $_.Name }' }),
  bash('truncate -s 0 logs/*.log'),
  bash('truncate -s 0 /var/log/nginx/access.log'),
  bash('tar -cf x.tar --remove-files build'),
  bash('7z a -sdel a.7z out/'),
  bash("find . -name '*.log' -exec truncate -s 0 {} +"),
  bash('zip -rm a.zip build'),
  bash(`find . -type f -exec sh -c 'grep -q foo "$1" && rm "$1"' _ {} \\;`),
  bash(`find / -name core -exec sh -c 'rm "$1"' _ {} \\;`),
  bash(`find build -type f -exec sh -c '> "$1"' _ {} \\;`),
  bash('for f in logs/*; do > "$f"; done'),
  bash("sed -i 's/a/b/' src/*"),
  toolInvocation('PowerShell', {
    command:
      "Get-ChildItem C:\\Users | Where-Object { $_.Name -like 'tmp*' } | ForEach-Object { Remove-Item $_ -Recurse -Force }",
  }),
];

testLookAlikes('what leaves nothing behind is grave, in whatever way it is told', { grave: GRAVE, ordinary: ORDINARY });
