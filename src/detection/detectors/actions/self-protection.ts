import type { EventFacts } from '../../facts/event-facts.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { indexSigns, readSigns, wordsOf } from './command-signs.ts';
import { GATEHOUSE_WORD, readGuardChanges } from './guard-changes.ts';

/** Whatever an agent does to what watches over agents. */
export const selfProtection = actionDetector({
  id: 'self_protection',
  version: 4,
  severity: 'high',
  title: "Changes an agent's hooks, permissions or servers, or stops, redirects or reconfigures Gatehouse.",
  kinds: ['self_protection.*'],
  falsePositives: ['a person who has an agent set up its own configuration'],
  find(input, found) {
    const { facts, allowance } = input;
    readGuardChanges(input, found);
    for (const command of facts.shell.commands) {
      readSigns(SIGNS, command, found, allowance);
      for (const { name } of command.env) noteVariable(name, command, found);
    }
    for (const assignment of facts.shell.assignments) noteVariable(assignment.name, assignment, found);
    readKills(facts, found);
    readReleases(facts, found);
  },
});

function noteVariable(name: string, { origin }: Pick<Action, 'origin'>, found: Action[]): void {
  if (!name.startsWith('GATEHOUSE_')) return;
  found.push({ kind: 'self_protection.environment', confidence: 0.8, what: `sets ${named(name)}`, origin });
}

const KILLERS: ReadonlySet<string> = new Set(['kill', 'stop-process', 'taskkill', 'skill', 'snice']);
const PROCESS_LISTERS = /^(?:pgrep|pidof|ps|lsof|fuser|get-process|tasklist|docker|podman|wmic)$/;
const PICKERS = /^(?:[ef]?grep|rg|g?awk|sed|select-string|findstr|where-object)$/;

/** `kill $(pgrep -f gatehouse)`, `… | xargs kill`: which process it is stands in the search, the end of it in another command. */
function readKills(facts: EventFacts, found: Action[]): void {
  const { commands } = facts.shell;
  const kill = commands.find(
    ({ name, args, input }) => KILLERS.has(name) && (input !== undefined || args.some((arg) => arg.dynamic)),
  );
  if (kill === undefined) return;
  const search = commands.find((command) => {
    const lister = PICKERS.test(command.name) && command.input !== undefined ? commands[command.input] : command;
    return PROCESS_LISTERS.test(lister?.name ?? '') && GATEHOUSE_WORD.test(wordsOf(command));
  });
  if (search === undefined) return;
  const what = `stops Gatehouse (${named(search.name)}, ${named(kill.name)})`;
  found.push({ kind: 'self_protection.process', confidence: 0.85, what, origin: kill.origin });
}

/** Holds are there until a person lifts them, by whatever reaches Gatehouse's own interface. */
function readReleases({ hosts }: EventFacts, found: Action[]): void {
  const request = hosts.find(({ host }) => /\/v1\/sessions\/release\/?$/.test(host.path));
  if (request === undefined) return;
  const what = `lifts a hold or a taint of a session (${named(request.by)})`;
  found.push({ kind: 'self_protection.gatehouse', confidence: 0.85, what, origin: request.origin });
}

const SIGNS = indexSigns([
  {
    programs:
      'kill pkill killall taskkill stop-process systemctl service stop-service sc launchctl docker podman kubectl nerdctl supervisorctl pm2',
    words: GATEHOUSE_WORD,
    unless:
      /^(?:(?:-\S{1,64}|compose|container) (?:\d{1,6} )?){0,8}(?:status|logs|ps|get|describe|inspect|is-active|show|list|build|pull|images|run|exec|restart|start|up(?! .*--scale)|rollout (?:status|restart)|top|port-forward|history|unpause|wait)\b/,
    kind: 'self_protection.process',
    severity: 'high',
    confidence: 0.85,
    what: 'stops Gatehouse',
  },
  {
    programs: 'unset export declare setx set-item remove-item',
    words: /(?:^| |env:\\*)gatehouse_/,
    kind: 'self_protection.environment',
    severity: 'high',
    confidence: 0.8,
    what: 'changes where or how Gatehouse is asked',
  },
  {
    programs: 'gatehouse',
    words: /^(?:policy (?:set|disable|delete|apply|activate)|token|tenants|keys)\b/,
    kind: 'self_protection.gatehouse',
    severity: 'high',
    confidence: 0.75,
    what: 'changes the configuration of Gatehouse',
  },
  {
    programs: 'env sudo doas',
    words: /(?:^| )(?:gatehouse_\w{1,64}=|(?:-u ?|--unset[= ])gatehouse_)/,
    kind: 'self_protection.environment',
    severity: 'high',
    confidence: 0.8,
    what: 'changes where or how Gatehouse is asked',
  },
  {
    programs: 'gatehouse',
    words: /^release\b/,
    kind: 'self_protection.gatehouse',
    severity: 'high',
    confidence: 0.85,
    what: 'lifts a hold or a taint of a session',
  },
  {
    // The same program, by the file that it is started from.
    programs: 'node nodejs bun tsx npm pnpm yarn docker podman nerdctl docker-compose kubectl',
    words:
      /(?:^|[ /])gatehouse(?:\.[cm]?[jt]s)? (?:-- )?(?:release|token|tenants|keys|policy (?:set|disable|delete|apply|activate))\b/,
    kind: 'self_protection.gatehouse',
    severity: 'high',
    confidence: 0.75,
    what: 'changes the configuration of Gatehouse, or lifts a hold',
  },
  {
    programs: 'claude codex gemini qwen cursor-agent copilot opencode amp q kiro-cli droid cline aider',
    words:
      /--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|--yolo\b|--approval-mode[= ]yolo|--permission-mode[= ]bypasspermissions|--allow-all-tools|--trust-all-tools|--dangerously-allow-all|--skip-permissions-unsafe|--ask-for-approval[= ]never|--yes-always|--force\b.*-p |--full-auto|--sandbox[= ]danger-full-access|-y\b.*-p /,
    kind: 'self_protection.unattended_agent',
    severity: 'high',
    confidence: 0.75,
    what: 'starts an agent that asks nobody',
  },
  {
    programs: 'claude',
    words: /^config (?:set|add|remove)\b.{0,80}(?:hooks|permission|allowedtools)/,
    kind: 'self_protection.agent_hooks',
    severity: 'high',
    confidence: 0.8,
    what: "changes an agent's hooks or permissions",
  },
  {
    programs: 'claude',
    words: /^config set|^mcp (?:add|remove)|^plugin (?:install|uninstall|disable)/,
    kind: 'self_protection.agent_servers',
    severity: 'medium',
    confidence: 0.7,
    what: "changes an agent's configuration",
  },
  {
    programs: 'git',
    words:
      /\bcore\.hookspath(?:=| )(?:\/dev\/null|''|""|\/tmp)|\b(?:commit|push|merge|rebase)\b.*--no-verify|^-c core\.hookspath/,
    kind: 'self_protection.git_hooks',
    severity: 'low',
    confidence: 0.8,
    what: 'goes past the hooks of a repository',
  },
]);
