import type { ShellCommand } from '../../facts/shell/model.ts';

/** Programs that print what one logs in with, and the words by which they are told to. */
const SECRET_PRINTERS: ReadonlyMap<string, RegExp> = new Map([
  ['gh', /^auth token\b/],
  ['npm', /^(?:config|c) get \S{0,256}_(?:auth(?:token)?|password)\b|^token create\b/i],
  ['glab', /^auth status\b.*(?:-t|--show-token)\b/],
  ['gcloud', /\bauth (?:application-default )?print-(?:access|identity)-token\b/],
  ['az', /^account get-access-token\b/],
  [
    'aws',
    /^configure (?:export-credentials\b|get (?:\S{1,64}\.)?aws_(?:secret_access_key|session_token)\b)|^sts (?:get-session-token|assume-role)\b|^secretsmanager get-secret-value\b|^ssm get-parameters?\b.*--with-decryption/,
  ],
  ['vault', /^(?:kv get|read|print token|token create)\b/],
  ['op', /^(?:read|item get|inject)\b/],
  ['pass', /^(?:show )?[\w/.@-]+$/],
  ['bw', /^(?:get|list|export)\b/],
  ['heroku', /^(?:auth:token|config)\b/],
  ['doppler', /^secrets\b/],
  ['kubectl', /^config view\b.*--raw|\bget secrets?\b/],
  ['security', /^(?:find-(?:generic|internet)-password|dump-keychain)\b/],
  ['secret-tool', /^(?:lookup|search)\b/],
  ['sops', /^(?:-d|--decrypt|decrypt)\b/],
  ['ansible-vault', /^(?:view|decrypt)\b/],
  ['chezmoi', /^(?:secret|execute-template)\b/],
  ['trufflehog', /./],
  ['gitleaks', /./],
  ['noseyparker', /./],
]);

/** Whether a command is told to print what one logs in with. */
export function printsSecrets({ name, args }: Pick<ShellCommand, 'name' | 'args'>): boolean {
  const words = SECRET_PRINTERS.get(name);
  if (words === undefined) return false;
  let text = '';
  for (const arg of args.slice(0, 16)) text += ` ${arg.text}`;
  return words.test(text.slice(1, 512));
}
