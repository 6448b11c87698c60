import type { ShellCommand } from '../../facts/shell/model.ts';
import { ENVIRONMENT } from './code-signs.ts';

export const SECRET_NAME = /token|secret|passw|credential|private_?key|api_?key|access_key/i;

/** Whether a command prints all variables of the environment, or one that is named after a secret. */
export function dumpsEnvironment({ name, args }: ShellCommand): boolean {
  if (name === 'env') return !args.some(({ text }) => /^(?:-|-i|--ignore-environment)$/.test(text));
  if (name === 'jq') return args.some(({ text }) => /^(?:env|\$ENV)$/.test(text));
  if (INTERPRETERS.test(name)) return args.some(({ text }) => PRINTED.test(text.slice(0, CODE_CHARS_MAX)));
  if (name !== 'printenv') return false;
  const variables = args.filter(({ text }) => !text.startsWith('-'));
  return variables.length === 0 || variables.some(({ text }) => SECRET_NAME.test(text));
}

const INTERPRETERS = /^(?:python[\d.]{0,4}|node|nodejs|deno|bun|ruby|perl|php)$/;
const CODE_CHARS_MAX = 4_096;

/** Written out by the code, or all that there is of it: `node -p process.env`. */
const PRINTED = new RegExp(
  String.raw`(?:\b(?:print\w{0,4}|var_dump|dumps?|log|write\w{0,4}|puts|pp?|echo|say|inspect|stringify)\b[^;\n]{0,64}?|^\s{0,8})${ENVIRONMENT}`,
);
