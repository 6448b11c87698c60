import t from 'tap';
import { inspect, unlimited } from '../../src/detection/pipeline.ts';
import { ALONE, builtinEngine } from '../support/engine.ts';
import { bash, toolInvocation } from '../support/events.ts';

/** Code in place that says in two steps what it does. */

const actionOf = (command: string): string => inspect(bash(command), ALONE, builtinEngine, unlimited).action;

t.test('a name in the middle hides nothing', async (t) => {
  for (const command of [
    `python3 -c "import os; c='rm -rf /'; os.system(c)"`,
    `python3 -c "import subprocess; cmd='rm -rf ~'; subprocess.run(cmd, shell=True)"`,
    `python3 -c "import shutil; t='/'; shutil.rmtree(t)"`,
    `python3 -c "p='/root/.ssh/id_rsa'; print(open(p).read())"`,
    `python3 - <<'EOF'\np = '.env'\nwith open(p) as f:\n    print(f.read())\nEOF`,
    `python3 -c "from pathlib import Path; print((Path.home()/'.ssh'/'id_rsa').read_text())"`,
    `node -e "const p = require('os').homedir() + '/.aws/credentials'; console.log(fs.readFileSync(p, 'utf8'))"`,
    `node -e "const c = 'rm -rf /'; require('child_process').execSync(c)"`,
    `node -e "require('fs/promises').rm('/', { recursive: true })"`,
    `perl -e 'my $c = "rm -rf /"; system($c)'`,
    `ruby -e 'c = "rm -rf /"; system c'`,
    `php -r '$c = "rm -rf /"; system($c);'`,
    `python3 -c "open('/etc/sudoers.d/a', 'w+').write('ann ALL=(ALL) NOPASSWD: ALL')"`,
    `python3 -c "open('/root/.ssh/authorized_keys', 'a').write(key)"`,
    `python3 -c "from pathlib import Path; p = Path('/etc/fstab'); p.unlink()"`,
    `python3 -c "from pathlib import Path; Path('/etc/fstab').unlink()"`,
    `python3 -c "from pathlib import Path; Path('/etc/cron.d/a').write_text('* * * * * root /opt/a')"`,
    `python3 -c "import shutil; shutil.copy('/etc/shadow', 'a')"`,
    `python3 - <<'EOF'\nwith open('/root/.bashrc', 'a') as f:\n    f.write('alias ll="rm -rf /srv"')\nEOF`,
    `node -e "fs.appendFileSync('/etc/sudoers', 'ann ALL=(ALL) NOPASSWD: ALL')"`,
    `awk 'BEGIN { print "ann ALL=(ALL) NOPASSWD: ALL" > "/etc/sudoers.d/a" }'`,
  ]) {
    t.equal(actionOf(command), 'block', command);
  }
});

t.test('ordinary scripts stay undisturbed', async (t) => {
  for (const command of [
    `python3 -c "import shutil; t='build'; shutil.rmtree(t, ignore_errors=True)"`,
    `python3 -c "import os; c='ls -la'; os.system(c)"`,
    `python3 -c "p='src/a.py'; print(open(p).read())"`,
    `python3 -c "import os; root='/'; print(os.listdir(root))"`,
    `python3 - <<'EOF'\nroot = '/'\nparts = p.split(root)\ndef clean(root):\n    shutil.rmtree(root)\nclean('build')\nEOF`,
    `node -e "const d = path.join(os.homedir(), 'projects', 'app', 'dist'); fs.rmSync(d, { recursive: true })"`,
    `node -e "const sep = '/'; fs.rmSync(dir.split(sep).pop(), { recursive: true })"`,
    `node -e "const home = os.homedir(); console.log(home + '/.npmrc is read by npm')"`,
    `perl -e 'my $d = "/"; my $n = join($d, @a); unlink $n'`,
    `python3 -c "open('out.txt', 'w').write('a'); open('/etc/os-release').read()"`,
    `python3 -c "from pathlib import Path; p = Path('a.txt'); p.write_text('/etc/fstab'); p.unlink()"`,
    `python3 -c "import shutil, os; shutil.copy('a', 'b'); os.rename('b', 'c')"`,
    `python3 -c "import socket, subprocess; p = subprocess.Popen(['node', 'a.js']); s = socket.create_connection(('127.0.0.1', 80)); s.sendall(b'x'); print(s.recv(9))"`,
    `awk '{ if ($1 > "/etc") print }' a.txt`,
    `ruby -e 'root = "/"; Dir.glob("*").each { |root| File.delete(root) }'`,
  ]) {
    t.equal(actionOf(command), 'allow', command);
  }
  const code = "const root = '/';\nexport function clean(root) {\n  fs.rmSync(root, { recursive: true });\n}\n";
  t.equal(inspect(toolInvocation('execute_code', { code }), ALONE, builtinEngine, unlimited).action, 'allow');
});
