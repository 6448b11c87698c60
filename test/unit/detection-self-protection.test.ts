import t from 'tap';
import type { AgentEvent } from '../../src/domain/event.ts';
import { detect, isGrave, told } from '../support/detections.ts';
import { bash, toolInvocation } from '../support/events.ts';

const commandOf = (event: AgentEvent): string => JSON.stringify('tool' in event ? event.tool.input : event);

const CHANGES: readonly AgentEvent[] = [
  bash('mv .claude .claude.bak'),
  toolInvocation('mcp__filesystem__move_file', { source: '.claude', destination: '.claude.bak' }),
  bash('git rm -r .claude'),
  bash('git checkout HEAD~5 -- .claude/settings.json'),
  bash('git restore --source HEAD~5 .claude/settings.json'),
  bash('git stash push -- .claude'),
  bash('git stash -- .claude/settings.json'),
  bash('git mv .claude x'),
  bash('perl -pi -e s/hooks// .claude/settings.json'),
  bash('ruby -pi -e \'gsub(/hooks/, "")\' .claude/settings.json'),
  bash("gawk -i inplace '{print}' .claude/settings.json"),
  bash("yq -i 'del(.hooks)' .claude/settings.json"),
  bash("jq 'del(.hooks)' f | sponge .claude/settings.json"),
  bash("python3 -c \"import pathlib; pathlib.Path('.claude/settings.json').write_text('{}')\""),
  bash("python3 -c \"import json; json.dump({}, open('.claude/settings.json', 'w'))\""),
  bash(
    "python3 - <<'P'\nfrom pathlib import Path\np = Path.home() / '.claude' / 'settings.json'\np.write_text('{}')\nP",
  ),
  bash("node -e \"require('fs').renameSync('.claude', '.c')\""),
  bash("find .claude -name 'settings*' -delete"),
  bash("find .claude -name '*.json' -exec rm {} +"),
  bash("find . -path '*/.claude/*' -delete"),
  bash('find .claude -type f | xargs rm -f'),
  bash("for f in .claude/settings*.json; do echo '{}' > $f; done"),
  bash('rm -f .claude/*'),
  bash('rm -rf .claude*'),
  bash('rm .cl*/set*'),
  bash('unzip x.zip -d .claude'),
  bash('tar xzf x.tgz -C .claude'),
  bash('chmod -x .claude/hooks/pre.sh'),
  bash('chmod 000 .claude/settings.json'),
  bash('kill $(pgrep -f gatehouse)'),
  bash('pid=$(pgrep -f gatehouse); kill -9 $pid'),
  bash('pgrep -f gatehouse | xargs kill'),
  bash("ps aux | grep gatehouse | awk '{print $2}' | xargs kill -9"),
  bash('sudo kill -9 $(pidof gatehouse)'),
  bash('gatehouse release --session S --hold --taint injected --reason ok'),
  bash('npx gatehouse release --session S --hold'),
  bash('node bin/gatehouse.js release --session S --hold --reason ok'),
  bash("curl -X POST http://127.0.0.1:8080/v1/sessions/release -d '{}'"),
  bash('GATEHOUSE_POLICIES_DIR=/tmp/none gatehouse start'),
  bash('env GATEHOUSE_POLICIES_DIR=/tmp/none gatehouse start'),
  bash('cp empty.json .claude/settings.json'),
  bash('cp settings.json .claude/'),
  bash('cp -r evil/. .claude/'),
  bash('rsync -a --delete empty/ .claude/'),
  bash('ln -sfn /tmp/x .claude'),
  bash('cd .claude && mv settings.json s.bak'),
  bash('mv /etc/gatehouse /tmp/g'),
  bash('mv .claude{,.bak}'),
  bash('patch .claude/settings.json x.diff'),
  toolInvocation('PowerShell', { command: 'Rename-Item .claude old' }),
  toolInvocation('PowerShell', { command: 'Move-Item .claude old' }),
  bash('npx rimraf .claude'),
];

t.test('whatever changes, moves, disables or stops what guards an agent is told', async (t) => {
  for (const event of CHANGES) {
    const seen = detect(event).filter(({ kind }) => kind.startsWith('self_protection.'));
    t.ok(seen.some(isGrave), `${commandOf(event)}: ${told(event)}`);
  }
});

const ORDINARY: readonly AgentEvent[] = [
  bash('cat .claude/settings.json'),
  bash('cp -r ~/.claude ~/.claude.bak'),
  bash('git checkout -b feature/x origin/main'),
  bash('git checkout main'),
  bash('git rm --cached src/old.ts'),
  bash('git stash push -- src/a.ts'),
  bash('git restore --staged .claude/settings.json'),
  bash('git diff HEAD~1 -- .claude/settings.json'),
  bash('git log -p -- .claude'),
  bash('git add .claude/settings.json'),
  bash("find . -name '*.pyc' -delete"),
  bash("find .claude -name '*.md'"),
  bash("find . -name '.DS_Store' -exec rm {} +"),
  bash('mv src/a.ts src/b.ts'),
  bash('mv dist dist.old'),
  bash('chmod +x .claude/hooks/pre.sh'),
  bash('chmod 644 .claude/settings.json'),
  bash('unzip x.zip -d out'),
  bash('tar xzf node.tgz -C /usr/local --strip-components=1'),
  bash('kill $(lsof -ti:3000)'),
  bash('pgrep -f gatehouse'),
  bash('ps aux | grep gatehouse'),
  bash('gatehouse verify -'),
  bash('gatehouse export decisions'),
  bash('python3 -c "import json; print(json.load(open(\'.claude/settings.json\')))"'),
  bash("python3 -c \"import json; d=json.load(open('.claude/settings.json')); print(d['hooks'])\""),
  bash("perl -pi -e 's/a/b/' src/main.c"),
  bash('jq . package.json | sponge package.json'),
  bash("yq -i '.a = 1' deploy.yaml"),
  bash("perl -ne 'print if /hooks/' .claude/settings.json"),
  bash('grep -rn gatehouse . | xargs sed -n 1p'),
  bash('cp notes.md .claude/'),
  bash('mv .claude/plans/a.md docs/a.md'),
  bash('for f in src/*.ts; do sed -i \'s/a/b/\' "$f"; done'),
  bash('GATE=1 npm test'),
  bash(
    "python3 -c \"from pathlib import Path; Path('.claude').mkdir(exist_ok=True); Path('.claude/commands').mkdir(); open('.claude/commands/a.md','w').write('x')\"",
  ),
  bash("node -e \"process.stdout.write(require('fs').readFileSync('.claude/settings.json','utf8').replace('a','b'))\""),
  bash('env | grep GATEHOUSE_'),
  bash('git checkout feature/gatehouse'),
  bash('find ~/.claude/projects -mtime +30 -delete'),
  bash("find .claude -name '*.jsonl' | xargs rm -f"),
  bash('mv ~/.claude/projects/a ~/.claude/projects/b'),
  bash('rm -rf .cache'),
  bash('ls .claude/hooks | xargs -n1 echo'),
  bash('GATEHOUSE=1 npm test'),
];

t.test('reading it, copying it, and work beside it are nothing', async (t) => {
  for (const event of ORDINARY) t.notOk(detect(event).some(isGrave), `${commandOf(event)}: ${told(event)}`);
});
