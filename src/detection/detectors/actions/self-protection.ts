import type { FileAccess } from '../../facts/file-access.ts';
import { belowHome } from '../../facts/paths.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { indexSigns, readSigns } from './command-signs.ts';

/** Whatever an agent does to what watches over agents. */
export const selfProtection = actionDetector({
  id: 'self_protection',
  version: 1,
  severity: 'high',
  title: "Changes an agent's hooks, permissions or servers, or stops, redirects or reconfigures Gatehouse.",
  kinds: ['self_protection.*'],
  falsePositives: ['a person who has an agent set up its own configuration'],
  find({ facts, allowance }, found) {
    for (const access of facts.files) {
      if (access.operation !== 'read' && access.operation !== 'list' && access.operation !== 'load')
        readChange(access, found);
    }
    for (const command of facts.shell.commands) readSigns(SIGNS, command, found, allowance);
    for (const { name, origin } of facts.shell.assignments) {
      if (name.startsWith('GATEHOUSE_')) {
        found.push({ kind: 'self_protection.environment', confidence: 0.8, what: `sets ${named(name)}`, origin });
      }
    }
  },
});

/** Files that say what an agent may do and who is asked first; below a home directory, or anywhere in a work tree. */
const HOOKS =
  /(?:^|\/)(?:\.claude\/(?:settings(?:\.[a-z]+)?\.json|hooks(?:\/.+)?)|\.claude\.json|\.cursor\/(?:hooks(?:\.json|\/.+)|permissions\.json|cli-config\.json|sandbox\.json)|\.codex\/(?:config\.toml|hooks(?:\.json|\/.+)|rules\/.+|requirements\.toml)|\.gemini\/(?:settings\.json|hooks\/.+|policies\/.+)|\.github\/hooks\/.+|\.copilot\/(?:config\.json|hooks\/.+)|\.windsurf\/hooks\.json|\.codeium\/windsurf\/hooks\.json|\.amp\/settings\.json|\.kiro\/hooks\/.+|\.opencode\/(?:plugins?\/.+|opencode\.jsonc?)|\.factory\/(?:settings\.json|hooks\/.+)|\.augment\/settings\.json|managed-settings(?:\.d\/.+)?(?:\.json)?)$|(?:^|\/)claude-?code\/(?:managed-settings\.json|managed-mcp\.json)$/;
const SERVERS =
  /(?:^|\/)(?:\.mcp\.json|\.cursor\/mcp\.json|\.vscode\/mcp\.json|mcp_config\.json|claude_desktop_config\.json|\.roo\/mcp\.json|cline_mcp_settings\.json|\.kiro\/settings\/mcp\.json)$/;
const INSTRUCTIONS =
  /(?:^|\/)(?:\.cursor\/rules(?:\/.+)?|\.cursorrules|\.windsurfrules|\.clinerules(?:\/.+)?|\.claude\/(?:agents|commands|skills)\/.+)$/;
const GATEHOUSE =
  /(?:^|\/)(?:\.?gatehouse(?:\.ya?ml|\.json|\.toml|\.env)?|\.gatehouse\/.+|gatehouse\/(?:polic(?:y|ies).*|config.*|keys?.*|.*\.ya?ml))$/;
const GATEHOUSE_SYSTEM = /^\/(?:etc|opt|var\/lib|usr\/local\/etc)\/gatehouse(?:\/.*)?$/;

function readChange(access: FileAccess, found: Action[]): void {
  const { path } = access;
  const key = belowHome(path) ?? path.key;
  const report = (kind: string, what: string, confidence: number, severity: Action['severity'] = 'high'): void => {
    const text = `${what}: ${named(path.text)} (${named(access.by)})`;
    found.push({ kind: `self_protection.${kind}`, severity, confidence, what: text, origin: access.origin });
  };
  if (GATEHOUSE_SYSTEM.test(path.key)) return report('gatehouse', 'changes the configuration of Gatehouse', 0.9);
  if (HOOKS.test(key)) return report('agent_hooks', "changes an agent's hooks or permissions", 0.85);
  if (SERVERS.test(key)) return report('agent_servers', 'changes which servers an agent trusts', 0.7, 'medium');
  if (INSTRUCTIONS.test(key))
    return report('agent_instructions', 'changes the standing orders of an agent', 0.6, 'low');
  if (GATEHOUSE.test(key)) report('gatehouse', 'changes the configuration of Gatehouse', 0.75);
  if (access.recursive && access.operation === 'delete' && /(?:^|\/)\.(?:claude|cursor|codex|gemini)$/.test(key)) {
    report('agent_hooks', "deletes an agent's hooks and permissions", 0.85);
  }
}

const SIGNS = indexSigns([
  {
    programs:
      'kill pkill killall taskkill stop-process systemctl service stop-service sc launchctl docker podman kubectl nerdctl supervisorctl pm2',
    words: /(?:^|[ /.=_-])gatehouse(?:$|[ /._-])/,
    unless: /^(?:status|logs|ps|get|describe|inspect|is-active|show|list|build|pull|images|run|exec|restart|start)\b/,
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
    programs: 'claude codex gemini cursor-agent copilot opencode amp',
    words:
      /--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|--yolo\b|--allow-all-tools|--force\b.*-p |--full-auto|--sandbox[= ]danger-full-access|-y\b.*-p /,
    kind: 'self_protection.unattended_agent',
    severity: 'high',
    confidence: 0.75,
    what: 'starts an agent that asks nobody',
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
