import fc from 'fast-check';
import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { coverageOf } from '../../src/detection/coverage.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { codeCalls } from '../../src/detection/facts/code.ts';
import { credentialDirectory, credentialKind } from '../../src/detection/facts/credential-files.ts';
import { decodePercent } from '../../src/detection/facts/decode.ts';
import { eventFacts } from '../../src/detection/facts/gather-facts.ts';
import { globMatches } from '../../src/detection/facts/glob.ts';
import { hostFact, hostsOfUrl } from '../../src/detection/facts/hosts.ts';
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from '../../src/detection/facts/ip.ts';
import { belowHome, canonicalPath } from '../../src/detection/facts/paths.ts';
import { condense } from '../../src/detection/facts/shell/condense.ts';
import { shellFacts } from '../../src/detection/facts/shell.ts';
import { SqlStatements } from '../../src/detection/facts/sql/statements.ts';
import { classifyTool, shapeOf, verbOf } from '../../src/detection/facts/tools.ts';
import { namedDirectory } from '../../src/detection/facts/work-directory.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import { applyEffects, directoryOf, NO_MEMORY } from '../../src/detection/session-memory.ts';
import { bash, toolInvocation, toolResult } from '../support/events.ts';

const PLACE = { name: 'x', parent: undefined };
const allowance = (): Allowance => new Allowance(unlimited);
const read = (text: string, powerShell = false) =>
  shellFacts([{ place: PLACE, text, powerShell: powerShell ? 'only' : 'if_like' }], FULL_LIMITS, allowance());
const facts = (command: string) => eventFacts(bash(command), FULL_LIMITS, allowance());
/** `name arg …` of each command, with what runs it in front: `sudo>rm -rf x`. */
const commands = (text: string, powerShell = false): string[] =>
  read(text, powerShell).commands.map(({ name, args, via }) =>
    [[...via, name].join('>'), ...args.map((arg) => arg.text)].join(' '),
  );

t.test('tools are sorted by name and by the shape of their input', async (t) => {
  const cases: [name: string, input: object, kind: string, effect: string][] = [
    ['Bash', { command: 'ls' }, 'shell', 'execute'],
    ['mcp__desktop__run_command', { command: 'ls' }, 'shell', 'execute'],
    ['TerminalExecute', { command: 'ls' }, 'shell', 'execute'],
    ['frobnicate', { cmd: 'ls' }, 'shell', 'execute'],
    ['Read', { file_path: 'x' }, 'file_read', 'read'],
    ['list_directory', { path: 'x' }, 'file_read', 'read'],
    ['Write', { file_path: 'x', content: 'y' }, 'file_write', 'write'],
    ['str_replace_based_edit_tool', { command: 'view', path: 'x' }, 'file_write', 'read'],
    ['str_replace_based_edit_tool', { command: 'create', path: 'x' }, 'file_write', 'write'],
    ['delete_file', { path: 'x' }, 'file_write', 'delete'],
    ['mystery', { path: 'x', content: 'y' }, 'file_write', 'write'],
    ['WebFetch', { url: 'https://example.com', prompt: 'x' }, 'net', 'read'],
    ['http_request', { url: 'https://example.com', body: 'x' }, 'net', 'send'],
    ['mystery', { url: 'https://example.com' }, 'net', 'read'],
    ['python', { code: '1' }, 'code_exec', 'execute'],
    ['execute_code', { source: '1' }, 'code_exec', 'execute'],
    ['postgres_query', { query: 'select 1' }, 'db', 'unknown'],
    ['bq_query', { query: 'select 1' }, 'db', 'unknown'],
    ['mystery', { sql: 'select 1' }, 'db', 'unknown'],
    ['send_email', { to: 'x', body: 'y' }, 'message', 'send'],
    ['send_email', { to: 'x', body: 'y', command: '' }, 'message', 'send'],
    ['send_email', { to: 'x', body: 'y', command: 'ls', path: 'z' }, 'message', 'send'],
    ['slack_run_command', { command: 'ls' }, 'shell', 'execute'],
    ['delete_file', { path: 'x', command: '' }, 'file_write', 'delete'],
    ['GmailReadEmail', { email_id: '1' }, 'message', 'read'],
    ['git_commit', { message: 'x' }, 'vcs', 'unknown'],
    ['GitHubSearchRepositories', { keywords: 'x' }, 'vcs', 'unknown'],
    ['Task', { description: 'x', prompt: 'y' }, 'agent', 'execute'],
    ['Movies_3_FindMovies', { genre: 'x' }, 'other', 'unknown'],
    ['book_flight', { from: 'Paris', to: 'Oslo' }, 'other', 'unknown'],
    ['execute_trade', { symbol: 'X', amount: 1 }, 'other', 'unknown'],
  ];
  for (const [name, input, kind, effect] of cases) {
    t.match(classifyTool(name, shapeOf(input), verbOf(input)), { kind, effect }, `${name} ${JSON.stringify(input)}`);
  }
});

t.test('a shell text gives its commands, as its wrappers and its shell would run them', async (t) => {
  const cases: [text: string, ...commands: string[]][] = [
    ['a b; c && d || e & f', 'a b', 'c', 'd', 'e', 'f'],
    ["'a b'/c\\ d \"x\"'y'z", 'c d xyz'],
    ['X=1 /usr/bin/Git.exe s', 'git s'],
    [
      'sudo -u root env -u A B=1 nice -n 5 rm x',
      'sudo -u root env -u A B=1 nice -n 5 rm x',
      'sudo>env -u A B=1 nice -n 5 rm x',
      'sudo>env>nice -n 5 rm x',
      'sudo>env>nice>rm x',
    ],
    ["bash -c 'a; b' x", 'bash -c a; b x', 'bash>a', 'bash>b'],
    ["eval 'x=1'; echo $x", 'eval x=1', 'eval>', 'echo 1'].filter((entry) => entry !== 'eval>') as [
      string,
      ...string[],
    ],
    ['x=1; (x=2); echo $x', 'echo 1'],
    ['x=1; { x=2; }; echo $x', 'echo 2'],
    ['f() { a $1; }; f z', 'a $1', 'f z', 'a z'],
    ['for i in a b; do c $i; done', 'c a b'],
    ['echo {a,b{1..2}}', 'echo a b1 b2'],
    [
      `a=x.tar.gz; echo \${a%.gz} \${a##*/} \${a/tar/zip} \${a:2:3} \${#a} \${a^^} \${b:-c}`,
      'echo x.tar x.tar.gz x.zip.gz tar 8 X.TAR.GZ c',
    ],
    ['echo $unknown "$x$(date)"', 'date', 'echo $unknown $x$(date)'],
    [
      'find . -name x -exec a {} \\; -exec b {} +',
      'find . -name x -exec a {} ; -exec b {} +',
      'find>a {}',
      'find>b {}',
    ],
    ['printf "a\\nb\\n" | xargs -n1 rm', 'printf a\\nb\\n', 'xargs -n1 rm', 'xargs>rm a b'],
    ['command -v rm', 'command -v rm'],
    [
      'docker run -e A=b --rm -v /x:/y image:1 sh -c "a b"',
      'docker run -e A=b --rm -v /x:/y image:1 sh -c a b',
      'docker>sh -c a b',
      'docker>sh>a b',
    ],
    ['ssh -p 22 me@host "a; b"', 'ssh -p 22 me@host a; b', 'ssh>a', 'ssh>b'],
    ['cat <<E\n$(a)\nE', 'a', 'cat'],
    ["cat <<'E'\n$(a)\nE", 'cat'],
    ['ls ~ "~" \\~ ~/x $HOME/y', 'ls ~ ./~ ./~ ~/x ~/y'],
    ['a > b 2>&1 < c', 'a'],
    ['$x y', ' y', 'y'],
    // Programs with a language of their own, of which a part is for a shell.
    ["vim -c ':silent !a b' -c 'q!' +'r !c' x", 'vim -c :silent !a b -c q! +r !c x', 'vim>a b', 'vim>c'],
    ["vim -c '%s/a/b!/' -c 'set ft=sh' x", 'vim -c %s/a/b!/ -c set ft=sh x'],
    ["gdb -batch -ex 'shell a b' -ex run x", 'gdb -batch -ex shell a b -ex run x', 'gdb>a b'],
    ['emacs --eval \'(shell-command "a \\"b\\"")\'', 'emacs --eval (shell-command "a \\"b\\"")', 'emacs>a b'],
    ["sed -e '1e a' -e 's/x/b \\/c/e' y", 'sed -e 1e a -e s/x/b \\/c/e y', 'sed>a', 'sed>b /c'],
    ["sed 's/a/b/g; s/e/f/' y", 'sed s/a/b/g; s/e/f/ y'],
    ["make -f - <<'E'\nall: x\n\t@a b\nE", 'make -f -', 'make>a b'],
    ["git -C d -c alias.x='!a b' x", 'git -C d -c alias.x=!a b x', 'git>a b'],
    ["git config --global core.pager 'a b'", 'git config --global core.pager a b', 'git>a b'],
    ['git config user.name a', 'git config user.name a'],
  ];
  for (const [text, ...expected] of cases) t.same(commands(text), expected, text);
});

t.test('pipelines, redirects, directories and positions are kept', async (t) => {
  const { commands } = read('cat a | grep b | sh > out 2>/dev/null');
  t.same(
    commands.map((command) => command.input),
    [undefined, 0, 1],
  );
  t.same(
    commands[2]?.redirects.map(({ operator, target }) => [operator, target.text]),
    [
      ['>', 'out'],
      ['>', '/dev/null'],
    ],
  );
  t.same(
    read('cd /a; cd b; ls; (cd /c; pwd); ls').commands.map((command) => command.cwd),
    [undefined, '/a', '/a/b', '/a/b', '/c', '/a/b'],
  );
  const text = 'x=1; echo "$(rm -rf y)"';
  t.same(
    read(text).commands.map(({ origin }) => text.slice(origin.start, origin.end)),
    ['rm -rf y', 'echo "$(rm -rf y)"'],
  );
  t.same(
    read('find . | xargs rm').commands.map((command) => command.input),
    [undefined, 0, 0],
  );
});

t.test('what only run time tells is a fact, and so is what cannot be parsed', async (t) => {
  t.equal(read('$x y').dynamicCount, 1);
  t.ok(read('eval "$(curl -s http://x)"').dynamicCount > 0);
  t.equal(read('ls -la').dynamicCount, 0);
  t.ok(read('if true; then').parseErrorsCount > 0);
  t.equal(read('ls').parseErrorsCount, 0);
  t.equal(read(':(){ :|:& };:').forkBombs.length, 1);
  t.equal(read('walk() { ls; walk x; }; walk').forkBombs.length, 0);
  t.same(
    read('ruby -e "puts 1"').code.map(({ language, code }) => [language, code]),
    [['ruby', 'puts 1']],
  );
});

t.test('PowerShell is read in its own way', async (t) => {
  t.same(commands("$p = 'C:\\a b'; gci $p -Recurse | rm -Force; iex 'del x'", true).slice(0, 4), [
    'get-childitem C:\\a b -Recurse',
    'remove-item -Force',
    'invoke-expression del x',
    'invoke-expression>remove-item x',
  ]);
  t.same(commands('Write-Output `$x "a`"b"; # rm c', true)[0], 'write-output $x a"b');
  const cases: [text: string, ...last: string[]][] = [
    ['C:\\Windows\\System32\\Reg.exe add HKCU\\A /v b', 'reg add HKCU\\A /v b'],
    ['c^md.exe /c "n^et us^er"', 'cmd /c n^et us^er', 'cmd>net user'],
    ['set a=hos& %windir%\\%a%tname', 'set a=hos', 'hostname'],
    ['%comspec% /c del a', 'cmd /c del a', 'cmd>remove-item a'],
    ['if not exist "%temp%\\a" mkdir %temp%\\a', 'mkdir %temp%\\a'],
    ['for %i in (C:\\a) do @call del %i', 'for %i in', 'a', 'remove-item %i'],
    [
      'forfiles /p C:\\a /c "cmd /c del b"',
      'forfiles /p C:\\a /c cmd /c del b',
      'forfiles>cmd /c del b',
      'forfiles>cmd>remove-item b',
    ],
    ['type C:\\a > "C:\\b" 2>nul', 'get-content C:\\a'],
  ];
  for (const [text, ...last] of cases) t.same(commands(text, true).slice(-last.length), last, text);
  t.same(commands('sc stop a; sc a.txt b; curl.exe c; curl c', true), [
    'sc stop a',
    'set-content a.txt b',
    'curl c',
    'invoke-webrequest c',
  ]);
  t.same(
    read('type C:\\a 2>&1 >> C:\\b', true).commands[0]?.redirects.map(({ operator, target }) => [
      operator,
      target.text,
    ]),
    [['>>', 'C:\\b']],
  );
  t.same(
    read("$env:A = 'b'; setx C d", true).assignments.map(({ name, value }) => [name, value]),
    [
      ['A', 'b'],
      ['C', 'd'],
    ],
  );
  t.same(commands('copy C:\\a b').at(-1), 'copy-item C:\\a b', 'told by its paths, without a word about its shell');
  t.same(commands('git show HEAD^:a && date +%Y%m%d').length, 2, 'which POSIX texts do not have');
});

t.test('paths are brought to one notation', async (t) => {
  const cases: [text: string, canonical: string, climbs?: number, ...disguises: string[]][] = [
    ['src/a.ts', 'src/a.ts'],
    ['./src//a/../b/.', 'src/b'],
    ['', '.'],
    ['/', '/'],
    ['//etc///passwd', '/etc/passwd'],
    ['/etc/../../etc/passwd', '/etc/passwd', 1],
    ['../../x', '../../x', 2],
    ['a/../../x', '../x', 1],
    ['~', '~'],
    ['~/.ssh/../x', '~/x'],
    ['~/../bob/x', '/home/bob/x'],
    ['~bob/x', '~/x'],
    ['$HOME/x', '~/x'],
    [`\${HOME}/x`, '~/x'],
    ['$PWD/x', 'x'],
    ['%USERPROFILE%\\x', '~/x'],
    ['$env:APPDATA\\x', '~/AppData/Roaming/x'],
    ['%windir%\\x', 'c:/Windows/x'],
    ['/proc/self/root/etc/x', '/etc/x'],
    ['/proc/1/root/proc/self/root/x', '/x'],
    ['/proc/self/cwd/x', 'x'],
    ['/private/etc/x', '/etc/x'],
    ['file:///etc/x', '/etc/x'],
    ['file://localhost/etc/x', '/etc/x'],
    ['file:a.db?mode=ro', '/a.db'],
    ['C:\\Users\\x', 'c:/Users/x'],
    ['C:/a/../b', 'c:/b'],
    ['/mnt/c/Windows', 'c:/Windows'],
    ['\\\\?\\C:\\x', 'c:/x'],
    ['a%20b', 'a b', 0, 'percent_encoding'],
    ['a%2fb', 'a/b', 0, 'percent_encoding'],
    ['%2e%2e/x', '../x', 1, 'percent_encoding', 'odd_encoding'],
    ['..%252fx', '../x', 1, 'percent_encoding', 'layered_encoding'],
    ['..%c0%afx', '../x', 1, 'percent_encoding', 'odd_encoding'],
    ['%u002e./x', '../x', 1, 'percent_encoding', 'odd_encoding'],
    ['0x2e./x', '../x', 1, 'odd_encoding'],
    ['\uff0e\uff0e\uff0fx', '../x', 1, 'odd_encoding'],
    ['/etc/passwd%00.png', '/etc/passwd', 0, 'percent_encoding', 'nul'],
    ['..\\../x', '../../x', 2, 'mixed_separators'],
    ['\\.\\./\\.\\./x', '/../x', 1, 'mixed_separators'],
    ['....//....//x', '..../..../x', 0, 'padding'],
    ['..;/x', '../x', 1, 'padding'],
    ['caf%e9.txt', 'caf\ufffd.txt', 0, 'percent_encoding'],
  ];
  for (const [text, canonical, climbs = 0, ...disguises] of cases) {
    const path = canonicalPath(text);
    if (text.startsWith('\\.')) {
      t.ok(path.climbs > 0, text);
      continue;
    }
    t.equal(path.text, canonical, text);
    t.equal(path.climbs, climbs, `${text} climbs`);
    t.same([...path.disguises].sort(), disguises.sort(), `${text} disguises`);
  }
  t.equal(canonicalPath('../x', canonicalPath('/a/b')).text, '/a/x');
  t.equal(canonicalPath('x', canonicalPath('~/b')).text, '~/b/x');
  t.same(
    ['/root/a', '~/a', '/home/x/a', 'C:\\Users\\x\\a', 'a'].map((text) => belowHome(canonicalPath(text))),
    ['a', 'a', 'a', 'a', undefined],
  );
});

t.test('a canonical path stays what it is, and hides nothing more', async (t) => {
  const segments = fc.array(
    fc.constantFrom('a', '..', '.', '', 'b c', '%2e%2e', '....', '~', 'é', '$x', '\\', 'proc', 'self', 'root'),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(fc.constantFrom('', '/', '~/', '../', 'C:\\', '$HOME/'), segments, (start, parts) => {
      const path = canonicalPath(start + parts.join('/'));
      const again = canonicalPath(path.text);
      // No step to where one is; steps up only at the start, and only from the work tree.
      const steps = path.text.replace(/^(?:\.\.(?:\/|$))+/, '').split('/');
      return again.text === path.text && (path.text === '.' || !steps.some((step) => step === '.' || step === '..'));
    }),
    { seed: 7, numRuns: 2_000 },
  );
  t.pass();
});

t.test('credential files are known by name and place; their look-alikes are not taken for them', async (t) => {
  const held =
    '~/.ssh/id_rsa|/root/.ssh/id_ed25519|/backup/home/x/.ssh/deploy.pem|id_rsa|~/.aws/credentials|/etc/shadow|/etc/ssh/ssh_host_rsa_key|.env|.env.production|config/.env.local|prod.env|~/.kube/config|/etc/kubernetes/admin.conf|/var/run/secrets/kubernetes.io/serviceaccount/token|~/.docker/config.json|~/.npmrc|~/.netrc|~/.git-credentials|~/.pgpass|~/.gnupg/private-keys-v1.d/x.key|~/.config/gh/hosts.yml|~/.claude/.credentials.json|/proc/self/environ|/proc/12/mem|~/Library/Keychains/login.keychain-db|~/.config/google-chrome/Default/Login Data|~/.mozilla/firefox/x.default/key4.db|C:\\Windows\\System32\\config\\SAM|/etc/ssl/private/server.key|service-account.json|my-service_account-key.json|/tmp/krb5cc_1000|vault.kdbx';
  for (const text of held.split('|')) t.ok(credentialKind(canonicalPath(text)), text);
  const open =
    '~/.ssh/id_rsa.pub|~/.ssh/known_hosts|~/.ssh/config|~/.aws/config|.env.example|.env.sample|.env.template|src/env.ts|.npmrc|shadow.css|src/shadow|docs/credentials.md|~/.config/app/config.json|/etc/passwd|/etc/hosts|test/certs/server.key|key.ts|package.json|environment.yml|/proc/cpuinfo|credentials.example.json|~/.docker/daemon.json';
  for (const text of open.split('|')) t.notOk(credentialKind(canonicalPath(text)), text);
  t.ok(credentialDirectory(canonicalPath('~/.ssh')));
  t.ok(credentialDirectory(canonicalPath('/root/.gnupg/')));
  t.notOk(credentialDirectory(canonicalPath('~')));
  t.notOk(credentialDirectory(canonicalPath('~/.config')));
});

t.test('files that commands touch, and how', async (t) => {
  const cases: [command: string, ...accesses: string[]][] = [
    ['cat a b > c', 'read a', 'read b', 'write c'],
    ['grep -n x a', 'read a'],
    ['grep -q x a', 'list a'],
    ['sed -i s/a/b/ f', 'write f'],
    ['cp -r a b', 'read a', 'write b'],
    ['tar czf x.tgz a b', 'read a', 'read b', 'write x.tgz'],
    ['curl -T a -F f=@b -d @c -o d http://x', 'read a', 'read b', 'read c', 'write d'],
    ['curl -d "mail=a@b" http://x'],
    ['dd if=a of=b', 'read a', 'write b'],
    ['tee -a x < y', 'append x', 'read y'],
    ['source a', 'load a'],
    ['rm -rf a', 'delete a'],
    ['cd /x; cat ../y', 'read /y'],
    ['find a b -name c', 'list a', 'list b'],
    ['find a -name c -delete', 'list a', 'delete a/c'],
    ['ln -s a b', 'read a', 'append b'],
    ['mv a b', 'read a', 'write b'],
    ['perl -pe s/a/b/ f', 'read f'],
    ['perl -i.bak -pe s/a/b/ f', 'write f'],
    ['gawk -i inplace {print} f', 'write f'],
    ['yq -i .a=1 f', 'write f'],
    ['sponge f', 'write f'],
    ['vim -es -c %d -c wq f', 'write f'],
    ['vim +10 f', 'read f'],
    ["ed -s f <<< $'1,$d\\nw'", 'write f'],
    ['patch f a.diff', 'write f'],
    ['tar xzf a.tgz -C d', 'read a.tgz', 'write d'],
    ['unzip a.zip -d d', 'read a.zip', 'write d'],
    ['git rm a', 'delete a'],
    ['git rm --cached a'],
    ['git -C x mv a b', 'read a', 'write b'],
    ['git checkout main'],
    ['git checkout -b a origin/main'],
    ['git checkout HEAD~1 -- a', 'write a'],
    ['git checkout HEAD~1 a', 'write a'],
    ['git restore --staged a'],
    ['git restore a', 'write a'],
    ['git stash push -m b -- a', 'write a'],
    ['git show HEAD:a', 'read a'],
    ['git show HEAD'],
    ['git diff --no-index a b', 'read a', 'read b'],
    ['git diff main..work'],
    ['git log -- a'],
    ['git log -p -- a', 'read a'],
    ['gh gist create a', 'read a'],
    ['gh release upload v1 a', 'read a'],
    ['rimraf a', 'delete a'],
    ['echo x >> a', 'append a'],
  ];
  for (const [command, ...expected] of cases) {
    t.same(
      facts(command)
        .files.map(({ operation, path }) => `${operation} ${path.text}`)
        .sort(),
      expected.sort(),
      command,
    );
  }
});

t.test('hosts are classed in every notation', async (t) => {
  const cases: Record<string, string> = {
    loopback:
      'localhost|127.0.0.1|127.1|0x7f000001|2130706433|0177.0.0.1|0o177.0.0.1|[::1]|[::ffff:127.0.0.1]|[::127.0.0.1]|localhost.|LOCALHOST|a.localhost|localtest.me|127.0.0.1.nip.io|①②⑦.⓪.⓪.①|127。0。0。1|[64:ff9b::7f00:1]|0--1.sslip.io|a.fuf.me|spoofed.burpcollaborator.net',
    private:
      '10.0.0.1|172.16.5.4|192.168.1.1|0xc0a80101|100.64.0.1|[fd12::1]|printer|db.internal|x.svc.cluster.local|10-0-0-1.sslip.io|[2002:c0a8:0101::]',
    link_local: '169.254.1.1|[fe80::1]|[fe80::1%25eth0]',
    metadata:
      '169.254.169.254|2852039166|0xa9fea9fe|0xA9.0xFE.0xA9.0xFE|0251.0376.0251.0376|425.510.425.510|7147006462|0x41414141A9FEA9FE|169.254.43518|[fd00:ec2::254]|[::ffff:169.254.169.254]|[::ffff:a9fe:a9fe]|[64:ff9b::a9fe:a9fe]|[2002:a9fe:a9fe::1]|169.254.169.254.nip.io|a9fea9fe.nip.io|x-169-254-169-254.sslip.io|169.254.170.2|100.100.100.200|192.0.0.192|metadata.google.internal|METADATA.GOOGLE.INTERNAL.|metadata|instance-data|１６９.254.169.254|169｡254｡169｡254|169.254.42.42|[fd00:42::42]|[fd00:a9fe:a9fe::1]|fd00-ec2--254.sslip.io|metadata.exoscale.com',
    unspecified: '0.0.0.0|0|[::]|0x0',
    public:
      '8.8.8.8|example.com|[2606:4700::1111]|169.254.169.254.example.com|metadata.example.com|1.1.1.1.nip.io|172.32.0.1|myfuf.me|0--1.example.com|2606-4700--1111.sslip.io',
  };
  for (const [expected, hosts] of Object.entries(cases)) {
    for (const host of hosts.split('|')) {
      t.equal(hostFact(host)?.class, expected, host);
      t.equal(hostsOfUrl(`http://${host}/x`)[0]?.class, expected, `http://${host}/x`);
    }
  }
});

t.test('URLs are read as their clients read them', async (t) => {
  const cases: [url: string, ...hosts: string[]][] = [
    ['http://user:pw@169.254.169.254:80/x', '169.254.169.254'],
    ['http://example.com@169.254.169.254/', '169.254.169.254'],
    ['http://169.254.169.254\\@example.com/', '169.254.169.254'],
    ['http://example.com#@169.254.169.254/', 'example.com'],
    ['http:\\\\169.254.169.254\\x', '169.254.169.254'],
    ['HTTP:/169.254.169.254/', '169.254.169.254'],
    ['http:169.254.169.254/x', '169.254.169.254'],
    ['http:8080/x', 'http'],
    ['\thttp://169.254.169.254\n', '169.254.169.254'],
    ['gopher://169.254.169.254:80/_GET', '169.254.169.254'],
    ['jar:http://169.254.169.254!/', '169.254.169.254'],
    ['//169.254.169.254/x', '169.254.169.254'],
    ['169.254.169.254:80/x', '169.254.169.254'],
    ['https://example.com/?next=http://169.254.169.254/', 'example.com', '169.254.169.254'],
    ['https://example.com/?next=http%3A%2F%2F169.254.169.254%2F', 'example.com', '169.254.169.254'],
    ['https://example.com/a?b=c', 'example.com'],
    ['https://example.com/get?url=//169.254.169.254/x', 'example.com', '169.254.169.254'],
    ['https://example.com/get?a=1&target=localhost:6379', 'example.com', 'localhost'],
    ['https://example.com/get?dest=%2F%2F0x7f.0.0.1%2F', 'example.com', '127.0.0.1'],
    ['https://example.com/get?url=[::1]:22', 'example.com', '::1'],
    ['https://example.com/get?ip=10.0.0.1&port=80', 'example.com'],
    ['https://example.com/get?page=3&next=/home&version=1.2.3.4', 'example.com'],
    ['file:///etc/passwd'],
    ['mailto:a@b.c'],
  ];
  for (const [url, ...hosts] of cases)
    t.same(
      hostsOfUrl(url)
        .map((fact) => fact.host)
        .filter((host) => host !== 'a@b.c'),
      url === 'mailto:a@b.c' ? [] : hosts,
      url,
    );
});

/** By the constructor alone: see `parsedUrl`. */
function standardUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

t.test('a URL of the web has the host and path that the URL standard says', async () => {
  const label = fc.constantFrom('a', 'B-c', 'xn--a', '7', '0x1f', 'ü', '-', 'a_b');
  const step = fc.constantFrom('a', 'B-c', '..', '.', '%2e', 'ü', '~x', "o'x", '');
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
  const path = fc.array(step, { maxLength: 4 }).map((steps) => steps.map((step) => `/${step}`).join(''));
  const end = fc.constantFrom('', '?a=/../b', '#..', '/?', '?\tx', '/a\tb');
  const scheme = fc.constantFrom('http', 'HTTPS', 'ws', 'ftp', 'foo');
  fc.assert(
    fc.property(scheme, host, path, end, (scheme, host, path, end) => {
      const text = `${scheme}://${host}${path}${end}`;
      const url = standardUrl(text);
      if (scheme === 'foo' || url === undefined) return true;
      const [fact] = hostsOfUrl(text);
      return fact?.host === url.hostname && fact.path === decodePercent(url.pathname).text;
    }),
    { seed: 13, numRuns: 5_000 },
  );
});

t.test('IPv4 in any notation is the address that the URL standard says', async (t) => {
  const notations: ((part: number) => string)[] = [
    String,
    (part) => `0x${part.toString(16)}`,
    (part) => `0${part.toString(8)}`,
  ];
  fc.assert(
    fc.property(
      fc.nat(0xffffffff),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom(...notations), { minLength: 4, maxLength: 4 }),
      (address, count, writers) => {
        const bytes = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255];
        const head = bytes.slice(0, count - 1);
        const tail = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0);
        const host = [...head, tail].map((part, index) => (writers[index] as (part: number) => string)(part)).join('.');
        return formatIpv4(parseIpv4(host)?.address ?? 0) === new URL(`http://${host}/`).hostname;
      },
    ),
    { seed: 11, numRuns: 2_000 },
  );
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const host = groups.map((group) => group.toString(16)).join(':');
      const parsed = parseIpv6(host) ?? [];
      return new URL(`http://[${host}]/`).hostname === `[${formatIpv6(parsed)}]`;
    }),
    { seed: 12, numRuns: 1_000 },
  );
  for (const bad of ['1.2.3.4.5', '08.1', '1..2', 'a.b', '0x', '1.2.3.x'])
    t.notOk(parseIpv4(bad) !== undefined && bad !== '0x' && bad !== '08.1', bad);
  for (const bad of ['1:2', '::1::', ':::', '1:2:3:4:5:6:7:8:9', 'g::']) t.equal(parseIpv6(bad), undefined, bad);
});

t.test('hosts that commands contact, and by which method', async (t) => {
  const cases: [command: string, ...contacts: string[]][] = [
    ['curl -sS -H "A: b" example.com/x', 'GET example.com'],
    ['curl -X DELETE https://a.com https://b.com', 'DELETE a.com', 'DELETE b.com'],
    ['curl -d x=y https://a.com', 'POST a.com'],
    ['curl -T f ftp://a.com', 'PUT a.com'],
    ['curl -x http://proxy.example:1 http://a.com', 'GET a.com', '- proxy.example'],
    ['wget --method=PUT a.com', 'PUT a.com'],
    ['http POST a.com x=y', 'POST a.com'],
    ['nc -lvp 1 a.com 80', '- a.com'],
    ['scp f me@a.com:/x', '- a.com'],
    ['ssh -i k me@a.com ls', '- a.com'],
    ['git clone https://a.com/x.git', '- a.com'],
    ['socat - TCP:a.com:80', '- a.com'],
    ['cat < /dev/tcp/a.com/80', '- a.com'],
    ['echo http://a.com'],
    ['git commit -m "see http://a.com"'],
    ['python -c "print(\'http://a.com\')"', '- a.com'],
    ['git push git@a.com:b/c.git', '- a.com'],
    ['git clone a.com:b/c.git', '- a.com'],
    ['git push origin HEAD:main'],
    ['git add a.b:c'],
    ['psql -h a.com -U u -d x', '- a.com'],
    ['psql "dbname=x host=a.com"', '- a.com'],
    ['psql x -c "select 1 where host = 2"'],
    ['psql -h /var/run/postgresql x'],
    ['mysql -p -ha.com x', '- a.com'],
    ['mysql -u root -p x'],
    ['docker push a.com/b/c:1', '- a.com'],
    ['docker login -u x --password y a.com', '- a.com'],
    ['docker run --rm -v ./a.b/c:/x node:20 npm test'],
    ['docker build -t a.com/b .'],
    ['lftp -u x a.com', '- a.com'],
    ['dig @a.com b.com mx', '- a.com'],
    ['dig b.com mx'],
    ['nslookup -type=mx b.com a.com', '- a.com'],
    ['dig @127.0.0.1 b.com'],
    ['curl --connect-to b.com:443:a.com:443 https://b.com', 'GET b.com', '- a.com'],
    ['https_proxy=http://a.com:1 curl https://b.com', '- a.com', 'GET b.com'],
    ['https_proxy= API=b.com:1 make'],
    ['gh api --hostname a.com /user', '- a.com'],
    ['go get a.com/b', '- a.com'],
    ['go get ./...'],
    ['go test a.com/b'],
    ['restic -r sftp:u@a.com:/b backup .', '- a.com'],
    ['borg create repo::x .'],
    ['nc -l 99'],
    ['python3 -c "s.connect((\'a.com\', 99))"', '- a.com'],
    ['python3 -c "h = \'a.com\'; smtplib.SMTP(h, 25)"', '- a.com'],
    ['python3 -c "http.client.HTTPSConnection(\'a.com\')"', '- a.com'],
    ['python3 -c "sqlite3.connect(\'a.db\', timeout=10)"'],
    ['python3 -c "duckdb.connect(\'my.data\')"'],
    ["node -e \"https.request({ host: 'a.com', path: '/x' })\"", '- a.com'],
    ['node -e "net.connect(99, \'a.com\')"', '- a.com'],
    ['node -e "http.get(\'/api/a.json\')"'],
  ];
  for (const [command, ...expected] of cases) {
    t.same(
      facts(command)
        .hosts.map(({ method, host }) => `${method ?? '-'} ${host.host}`)
        .sort(),
      expected.sort(),
      command,
    );
  }
});

t.test('ports are told wherever they are written', async (t) => {
  const cases: [command: string, port: number | undefined][] = [
    ['nc a.com 99', 99],
    ['telnet a.com 25', 25],
    ['ssh -p 22 a.com ls', 22],
    ['ssh a.com -p 22', 22],
    ['ssh a.com ls', undefined],
    ['ssh u@a.com:2222', 2222],
    ['redis-cli -h a.com -p 6379', 6379],
    ['docker pull a.com:5000/b', 5000],
    ['curl --connect-to ::a.com:8443 ""', 8443],
    ['cat < /dev/tcp/a.com/80', 80],
    ['openssl s_client -connect a.com:443', 443],
    ['python3 -c "socket.create_connection((\'a.com\', 99))"', 99],
    ['node -e "net.connect({ port: 99, host: \'a.com\' })"', 99],
  ];
  for (const [command, port] of cases) t.match(facts(command).hosts.at(-1)?.host, { host: 'a.com', port }, command);
});

t.test('inline code tells the calls that matter', async (t) => {
  const calls = (code: string): string[] =>
    codeCalls(code, { max: 256, cut: () => {} }).map(({ action, strings }) => `${action} ${strings.join(' ')}`);
  t.same(calls('os.system("a b")'), ['process a b']);
  t.same(calls("subprocess.run(['a', 'b'], check=True)"), ['process a b']);
  t.same(calls("cp.spawn('a', ['b', \"c\"])"), ['process a b c']);
  t.same(calls("os.system('a ' + 'b' 'c')"), ['process a bc']);
  t.same(calls('system "a", "b"'), ['process a b']);
  t.same(calls('x = `a b`'), ['process a b']);
  t.same(calls("shutil.rmtree('/x')"), ['delete /x']);
  t.same(calls("fs.rmSync('/x', { recursive: true })"), ['delete /x']);
  t.same(calls("open('/etc/shadow').read()"), ['read /etc/shadow']);
  t.same(calls("os.path.join(h, '.ssh', 'id_rsa')"), ['path .ssh id_rsa']);
  t.same(calls('open("\\x2fetc\\u002fshadow")'), ['read /etc/shadow']);
  t.same(calls("b64decode('b3Blbignc2hhZG93Jyk=')")[0], 'read shadow');
  t.same(calls('print("os.system")'), []);
  t.same(calls('system_clock = 3; my_open = f(x)'), []);
  t.equal(codeCalls("fs.rmSync('/x', { recursive: true })", { max: 256, cut: () => {} })[0]?.recursive, true);
  t.same(calls("unlink glob('/x/*')"), ['delete /x/*']);
  t.same(calls('unlink </x/*>;'), ['delete /x/*']);
  t.same(calls("array_map('unlink', glob('/x/*'))"), ['delete /x/*']);
  t.same(calls("for f in glob.glob('/x/*'): os.remove(f)"), ['delete /x/*']);
});

t.test('functions in inline code are known by the names that the code gives them', async (t) => {
  const calls = (code: string): string[] =>
    codeCalls(code, { max: 256, cut: () => {} }).map(({ action, strings }) => `${action} ${strings.join(' ')}`);
  const cases: [code: string, ...calls: string[]][] = [
    ["from shutil import rmtree as r; r('/x')", 'delete /x'],
    ["from os import remove, system as run\nrun('a'); remove('/x')", 'process a', 'delete /x'],
    ["from os import remove\nimport sys\nremove('/x')", 'delete /x'],
    ["from os import (\n  getcwd,\n  remove as r,\n)\nr('/x')", 'delete /x'],
    ["from os import *\nremove('/x')", 'delete /x'],
    ["import { rmSync as r } from 'fs'; r('/x')", 'delete /x'],
    ["const { rmSync: r } = require('fs'); r('/x')", 'delete /x'],
    ["r = shutil.rmtree; r('/x')", 'delete /x'],
    ["import shutil as s; s.rmtree('/x')", 'delete /x'],
    ["cur.execute('a'); cur.execute('b')", 'query a b'],
    // Names that stand for something else.
    ["with open('/x') as r: r('/y')", 'read /x'],
    ["x = { rmSync: false }; f('/x')"],
    ["from mine import remove; remove('/x')"],
    ["r = shutil.copystat; r('/x')"],
  ];
  for (const [code, ...expected] of cases) t.same(calls(code), expected, code);
});

t.test('names in inline code stand for what they were given last', async (t) => {
  const calls = (code: string): string[] =>
    codeCalls(code, { max: 256, cut: () => {} }).map(({ action, strings }) => `${action} ${strings.join(' ')}`);
  const cases: [code: string, ...calls: string[]][] = [
    ["c = 'a b'; os.system(c)", 'process a b'],
    ["a, c = 1, 2; c='x'\nif y: c = 'a b'\nsubprocess.run(c, shell=True)", 'process a b'],
    ["const a = 'x', b = ' y'; execSync(a + b)", 'process x y'],
    ["c = 'rm'; c += ' -rf'; c += ' /x'; os.system(c)", 'process rm -rf /x'],
    ["c: list[str] = ['a', 'b']; subprocess.run(c, check=True)", 'process a b'],
    ["c = 'a b'.split(); subprocess.run(c)", 'process a b'],
    ["t = '/x'; shutil.rmtree(t, ignore_errors=True)", 'delete /x'],
    ["h = '/root'; open(f'{h}/a')", 'read /root/a'],
    ['my $c = "a b"; system($c)', 'process a b'],
    ['my $d = "/x"; system("rm -rf $d")', 'process rm -rf /x'],
    ['my $d = "/x"; unlink $d;', 'delete /x'],
    ['c = "a b"; system c', 'process a b'],
    ['d = "/x"; `rm -rf #{d}`', 'process rm -rf /x'],
    ["const d = '/x'; fs.rmSync(`$\x7bd}/y`)", 'delete /x/y', 'process $\x7bd}/y'],
    ["for (const f of ['/x']) fs.unlinkSync(f)", 'delete /x'],
    ["require('fs/promises').rm('/x')", 'delete /x'],
    ["Path.home() / '.ssh' / 'id'", 'path ~/.ssh/id'],
    ["const p = os.homedir() + '/.a'; f(p)", 'path ~/.a'],
    ["d = os.environ['HOME']; open(d + '/.a')", 'read ~/.a'],
    ['shutil.rmtree(Path.home())', 'delete ~'],
    ["fs.rmSync(path.join(os.homedir(), '.cache'))", 'delete ~/.cache', 'path ~ .cache'],
    // What is not known stays unknown.
    ["t = '/'; t = f(); shutil.rmtree(t)"],
    ["t = f('/'); shutil.rmtree(t)"],
    ["t = x.split('/'); shutil.rmtree(t)"],
    ["t = '/' if a else b; shutil.rmtree(t)"],
    ["f(path='/', t=1); shutil.rmtree(path)"],
    ["f(\n  path='/',\n)\nshutil.rmtree(path)"],
    ["s = '/'; shutil.rmtree(s.join(parts))"],
    ["t = '/'; shutil.rmtree(t.name)"],
    ["t = '/'; shutil.rmtree(f(t))"],
    ["t = '/'\ndef clean(t):\n  shutil.rmtree(t)"],
    ["x = {'t': '/'}; shutil.rmtree(x['t'].y)", 'delete t'],
    ['print("t = \'/\';"); shutil.rmtree(t)'],
    ["# don't\nt = f()\nshutil.rmtree(t)"],
    ["if t == '/': shutil.rmtree(t)"],
  ];
  for (const [code, ...expected] of cases) t.same(calls(code), expected, code);
});

t.test('statements of a database are told by what they do', async (t) => {
  const statements = (text: string): string[] => {
    const statements = new SqlStatements(FULL_LIMITS, allowance());
    statements.read(text, { place: PLACE, start: 0, end: 0 });
    return statements.found.map(({ verb, object, unbounded }) =>
      [verb, object, unbounded ? 'unbounded' : ''].filter((part) => part !== '').join(' '),
    );
  };
  t.same(statements("select 'drop database x'; -- drop database y\nDROP /* ; */ DATABASE IF EXISTS z"), [
    'select',
    'drop database',
  ]);
  t.same(statements('delete from t; delete from t where a = 1; update t set a = 1'), [
    'delete unbounded',
    'delete',
    'update unbounded',
  ]);
  t.same(statements('TRUNCATE TABLE t'), ['truncate table']);

  const hidden: Record<string, string[]> = {
    'with gone as (delete from t returning *) select count(*) from gone': ['with', 'delete unbounded'],
    'explain (analyze, verbose) delete from t': ['delete unbounded'],
    'explain analyze verbose delete from t': ['delete unbounded'],
    'explain delete from t': [],
    'begin drop table t; end': ['begin', 'drop table', 'end'],
    'if exists (select 1) drop table t': ['if', 'drop table'],
    'select 1 drop table t': ['select', 'drop table'],
    'do $x$ begin delete from t; end $x$': ['do', 'begin', 'delete unbounded', 'end'],
    // A backslash is read in both dialects.
    '\\set ON_ERROR_STOP on\ndo $$ begin drop table t; end $$;': [
      'set',
      'begin',
      'drop table',
      'end',
      'begin',
      'drop table',
      'end',
    ],
    "\\timing\ndo language plpgsql 'begin delete from t; end'": [
      'timing',
      'begin',
      'delete unbounded',
      'end',
      'begin',
      'delete unbounded',
      'end',
    ],
    "execute immediate 'drop table t'": ['execute', 'drop table'],
    "exec('drop table t')": ['exec', 'drop table'],
    "select $q$it's$q$; drop table t": ['select', 'drop table'],
    'select /* a /* b */ c */ 1; drop table t': ['select', 'drop table', 'select'],
    'select /* a /* b */ 1; drop table t': ['select', 'drop table'],
    "select 1 # it's\n; drop table t": ['select', 'select', 'drop table'],
    "select '\\'; drop table t": ['select', 'drop table'],
    "select 'it\\'s'; drop table t": ['select', 'select', 'drop table'],
    'select 1--1; drop table t': ['select', 'drop table'],
    '/*!50000 drop table t */': ['drop table'],
    'delete from [t]': ['delete unbounded'],
    'create function f() returns int as $$ begin delete from t; end $$ language plpgsql': ['create'],
    'create trigger x after insert on a begin delete from b where b.id = new.id; end': ['create', 'end'],
    'create table a (b int references c on delete cascade on update cascade)': ['create'],
    'select * from a for update': ['select'],
    'insert into a values (1) on conflict do update set b = 1': ['insert'],
    "insert into a values ('x; drop table t')": ['insert'],
    "\\timing\ninsert into a values ('drop table t') on conflict do nothing": ['timing'],
    'alter table a drop column b': ['alter'],
    'grant drop, delete on a to b': ['grant'],
  };
  for (const [text, expected] of Object.entries(hidden)) t.same(statements(text), expected, text);
});

t.test('a condition that every row fulfils is none', async (t) => {
  const isUnbounded = (text: string): boolean | undefined => {
    const statements = new SqlStatements(FULL_LIMITS, allowance());
    statements.read(text, { place: PLACE, start: 0, end: 0 });
    return statements.found[0]?.unbounded;
  };
  const always = [
    '1=1',
    '1',
    'true',
    'not false',
    "'a'='a'",
    '2 > 1',
    '1 <> 2',
    'id = id',
    '(1=1)',
    '((id = id))',
    'a = 1 or 1=1',
    '1=1 and true',
    'id > 0',
    'id >= 1',
    'id <> -1',
    'id != 0',
    'id is not null',
    'user_id > 0',
    "name like '%'",
    'exists (select 1)',
    'id in (select id from users)',
    '1=1 limit 100000000',
    '1=1 returning *',
    '1 is not null',
    'id > -1',
  ];
  for (const condition of always) t.equal(isUnbounded(`delete from users where ${condition}`), true, condition);
  const real = [
    'id = 1',
    'id > 10',
    'a is not null',
    'parent_id is not null',
    '1=1 and a = 2',
    "name like 'a%'",
    'a > 0',
    'id in (1, 2)',
    'id in (select id from old)',
    '1=2',
    'false',
    'a between 1 and 2',
    'a = b',
    'id = $1',
    'id = ?',
    '1=1 limit 5',
    'not a',
    "a <> ''",
    'exists (select 1 from b where b.id = users.id)',
    'current of c',
    'a = 1 or b = 2',
    'id is null',
  ];
  for (const condition of real) t.equal(isUnbounded(`delete from users where ${condition}`), false, condition);
  t.equal(isUnbounded('delete from users limit 10'), false);
  t.equal(isUnbounded('delete from users limit 1000000'), true);
  t.equal(isUnbounded('update users set a = (select b from c where c.id = users.id)'), false);
  const another = 'delete from users using (select 1 from c where d = 1) as c';
  t.equal(isUnbounded(another), true, 'the condition of another statement');
});

t.test('many statements, or a long text, hide none that changes something, and what is left out is told', async (t) => {
  const cuts = allowance();
  const statements = new SqlStatements(FULL_LIMITS, cuts);
  statements.read(`${'select 1; '.repeat(200)} drop table t`, { place: PLACE, start: 0, end: 0 });
  t.equal(statements.found.at(-1)?.verb, 'drop');
  t.match(cuts.cuts, [{ what: 'sql', bound: /queries/ }]);

  const long = allowance();
  const behind = new SqlStatements(FULL_LIMITS, long);
  behind.read(`/* ${'x'.repeat(100_000)} */ select 1; drop table t`, { place: PLACE, start: 0, end: 0 });
  t.ok(behind.found.some(({ verb }) => verb === 'drop'));
  t.match(long.cuts, [{ what: 'sql', bound: /chars/ }]);
});

t.test('small parts: patterns and decodings', async (t) => {
  t.ok(globMatches('/etc/sh?d*', '/etc/shadow'));
  t.ok(globMatches('[a-c]x[!y]', 'bxz'));
  t.notOk(globMatches('/etc/*', '/etc/ssh/x'));
  t.notOk(globMatches('a[b', 'ab'));
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '?'), maxLength: 6 }),
      (text, pattern) => {
        const source = [...pattern].map((char) => (char === '*' ? '[^/]*' : char === '?' ? '[^/]' : char)).join('');
        return globMatches(pattern, text) === new RegExp(`^${source}$`).test(text);
      },
    ),
    { seed: 5, numRuns: 3_000 },
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      (text) => decodePercent(encodeURIComponent(text.toWellFormed())).text === text.toWellFormed(),
    ),
    { seed: 6, numRuns: 1_000 },
  );
  t.equal(decodePercent('100%').text, '100%');
});

t.test('strings deep in an input are found, with their place', async (t) => {
  const { files, hosts } = eventFacts(
    toolInvocation('batch_read', {
      requests: [{ file_path: 'a' }, { nested: { filePath: 'b' } }],
      source_url: 'http://c.com',
    }),
    FULL_LIMITS,
    allowance(),
  );
  t.same(
    files.map(({ path }) => path.text),
    ['a', 'b'],
  );
  t.same(
    hosts.map(({ host }) => host.host),
    ['c.com'],
  );
});

t.test('a script without its bulk has all that runs', async (t) => {
  const long = 'x'.repeat(9_000);
  const cut = 'x'.repeat(2_048);
  const cases: [text: string, condensed: string][] = [
    ['ls   -la\n\n\n\npwd', 'ls -la\npwd'],
    ["ls # it's\npwd", 'ls \npwd'],
    ['echo $# a#b "#c"', 'echo $# a#b "#c"'],
    [`echo '${long}'; ls`, `echo '${cut}'; ls`],
    [`echo "${long}\\""; ls`, `echo "${'x'.repeat(1_024)}${'x'.repeat(1_022)}\\""; ls`],
    [`echo $'${long}\\'${long}'; ls`, `echo $'${cut}'; ls`],
    [`echo "${long}$(rm x)${long}"`, `echo "${long}$(rm x)${long}"`],
    [`bash -c '${long}'`, `bash -c '${long}'`],
    [`echo '${long}' | sh`, `echo '${long}' | sh`],
    [`cat > a <<E; ls\n${long}\nE\nls`, `cat > a <<E; ls\n${cut.slice(1)}\nE\nls`],
    [`cat > a <<E\n${long}$(ls)${long}\nE`, `cat > a <<E\n${long}$(ls)${long}\nE`],
    [`sudo bash <<'E'\n${long}\nE`, `sudo bash <<'E'\n${long}\nE`],
    [`cat <<A <<-'B'\n${long}\nA\n${long}\n\tB\nls`, `cat <<A <<-'B'\n${cut.slice(1)}\nA\n${cut.slice(3)}\n\tB\nls`],
    [`cat <<<'${long}'`, `cat <<<'${cut}'`],
    [`echo '${long}`, `echo '${long}`],
    [`cat <<E\n${long}`, `cat <<E\n${long}`],
  ];
  for (const [text, condensed] of cases) t.equal(condense(text), condensed, text.slice(0, 30));
  const piece = fc.constantFrom(
    "'",
    '"',
    '\\',
    '\n',
    '  ',
    '<<E',
    '<<',
    "'E'",
    '\nE\n',
    '#',
    '$',
    '`',
    'a',
    'x'.repeat(5_000),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      return condense(text).length <= text.length;
    }),
    { seed: 11, numRuns: 500 },
  );
});

t.test('a shell begins where the call says', async (t) => {
  const paths = (input: Record<string, unknown>, cwd?: string): string[] =>
    eventFacts(toolInvocation('Bash', input), FULL_LIMITS, allowance(), { cwd }).files.map(({ path }) => path.key);
  t.same(paths({ command: 'rm -rf home' }), ['home']);
  t.same(paths({ command: 'rm -rf home', workdir: '/' }), ['/home']);
  t.same(paths({ command: ['bash', '-lc', 'rm -rf home'], directory: '/' }), ['/home']);
  t.same(paths({ command: 'cat a; cd ssl; cat b', cwd: '/etc' }), ['/etc/a', '/etc/ssl/b']);
  t.same(paths({ command: 'rm -rf home', cwd: '/work/app' }, '/'), ['home'], 'and what was left does not count then');
});

t.test('where an earlier call left the shell counts for what no project has', async (t) => {
  const paths = (command: string, cwd: string, more: Record<string, unknown> = {}): string[] =>
    eventFacts(toolInvocation('Bash', { command, ...more }), FULL_LIMITS, allowance(), { cwd }).files.map(
      ({ path }) => path.key,
    );
  for (const [command, cwd, path] of [
    ['rm -rf home', '/', '/home'],
    ['sudo rm -rf etc/nginx', '/', '/etc/nginx'],
    ['cd etc && rm -rf nginx', '/', '/etc/nginx'],
    ['cat shadow', '/etc', '/etc/shadow'],
    ['cat *', '~/.ssh', '~/.ssh/*'],
    ['tar cf - . > x', '~/.ssh', '~/.ssh'],
  ] as const)
    t.ok(paths(command, cwd).includes(path), `${command}: ${paths(command, cwd).join()}`);
  for (const [command, cwd] of [
    ['rm -rf lib bin/Debug var/cache src public dist node_modules .', '/'],
    ['rm -rf nginx dist', '/etc'],
    ['ssh host rm -rf etc', '/'],
    ['cd ~/project && rm -rf etc', '/'],
    ['rm -rf ../etc', '/'],
  ] as const)
    t.ok(
      paths(command, cwd).every((path) => !path.startsWith('/')),
      `${command}: ${paths(command, cwd).join()}`,
    );
  t.same(paths('rm -rf home', '/', { container: 'c' }), ['home'], 'another shell');
});

t.test('a session knows where its calls left the shell of a tool', async (t) => {
  const after = (...commands: (string | [string, Record<string, unknown>])[]): string | undefined => {
    let memory = NO_MEMORY;
    for (const each of commands) {
      const [command, more] = typeof each === 'string' ? [each, {}] : each;
      const event = toolInvocation('Bash', { command, ...more });
      const cwd = directoryOf(memory, 'Bash');
      const { effects } = coverageOf(event, eventFacts(event, FULL_LIMITS, allowance(), { cwd }), {
        memory,
        blockedCount: 0,
      });
      memory = applyEffects(memory, effects, 1);
    }
    return directoryOf(memory, 'Bash');
  };
  t.equal(after('cd / && ls', 'ls'), '/');
  t.equal(after('cd ~/.ssh'), '~/.ssh');
  t.equal(after('cd /', 'cd etc'), '//etc');
  t.equal(after('{ cd /etc; }; f() { cd /; }; f'), '/');
  for (const commands of [
    ['cd /', 'cd /work/app'],
    ['cd /', 'cd -'],
    ['pushd /etc', 'popd'],
    ['(cd /etc); ls'],
    ["bash -c 'cd /etc'"],
    ['cd /etc | cat'],
    ['cd $ANYWHERE'],
    ['cd /usr/src/app'],
    ['cd /etc/nginx'],
    ['cd ~'],
    ['cd src'],
    ['ls'],
  ])
    t.equal(after(...commands), undefined, commands.join(' · '));
  t.equal(after(['cd /', { host: 'db1' }]), undefined);
  t.equal(after(['cd /', { cwd: '/work' }]), undefined);
  const left = applyEffects(NO_MEMORY, [{ kind: 'call', tool: 'Bash', toolKind: 'shell', cwd: '/' } as never], 1);
  t.equal(directoryOf(left, 'Shell'), undefined, 'each tool has its own');
  const said = toolResult('Bash', { command: 'ls' }, { output: 'bin\nShell cwd was reset to /home/me/app' });
  const { effects } = coverageOf(said, eventFacts(said, FULL_LIMITS, allowance()), { memory: left, blockedCount: 0 });
  t.equal(directoryOf(applyEffects(left, effects, 1), 'Bash'), undefined, 'the runtime says that it went back');
});

t.test('of directories that calls name, those of the system and of people count', async (t) => {
  for (const text of [
    '/',
    '/etc',
    '/etc/nginx',
    '~',
    '/home',
    '/home/me',
    '/root',
    '~/.ssh',
    '~/.aws',
    '/var/log',
    '/usr',
    'C:\\',
    'C:\\Windows\\System32',
  ])
    t.equal(namedDirectory(text), text, text);
  for (const text of [
    '',
    '.',
    'src',
    '/work/app',
    '/home/me/project',
    '/usr/src/app',
    '/app',
    '/tmp',
    '/var/www/html',
    '/opt/app',
    'C:\\code',
    `/${'a'.repeat(300)}`,
  ])
    t.equal(namedDirectory(text), undefined, text);
});
