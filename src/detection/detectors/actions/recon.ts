import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readSigns, wordsOf } from './command-signs.ts';
import { CREDENTIAL_SIGNS, RECON_SIGNS } from './recon-signs.ts';
import { CLUSTER_PROGRAMS, showsNamesOnly } from './variable-names.ts';

/** Looking around before an attack, and recording what people do. */
export const recon = actionDetector({
  id: 'recon',
  version: 4,
  severity: 'low',
  title:
    'Looks around as an attacker would: scans, tools for breaking in, records of screens and keyboards, stored logins.',
  kinds: ['recon.*', 'collection.*', 'credential.*', 'shell.crypto_miner'],
  falsePositives: ['ordinary administration, which looks around as well: hence the low severities'],
  find({ facts, allowance }, found) {
    const { commands } = facts.shell;
    for (const [index, command] of commands.entries()) {
      readSigns(RECON_SIGNS, command, found, allowance);
      // `kubectl get secret … | jq keys`
      if (!CLUSTER_PROGRAMS.has(command.name) || !showsNamesOnly(index, facts))
        readSigns(CREDENTIAL_SIGNS, command, found, allowance);
      readHistorySearch(command, commands, found);
    }
  },
});

const HISTORY_FILE = /\.(?:(?:ba|z)?sh_|mysql_|psql_)?history$|consolehost_history\.txt$|fish_history$/i;
const LOGIN_WORD = /passw|\bpass\b|\bpwd\b|secret|api_?key|token|credential/;

/** `cat ~/.bash_history | grep pass`: what somebody typed, searched for what logs in. */
function readHistorySearch(command: ShellCommand, commands: readonly ShellCommand[], found: Action[]): void {
  if (!/^(?:[ef]?grep|rg|ag|awk|select-string|findstr)$/.test(command.name)) return;
  const source = command.input === undefined ? undefined : commands[command.input];
  const words = [...command.args, ...(source?.args ?? [])];
  if (!words.some(({ text }) => HISTORY_FILE.test(text)) || !LOGIN_WORD.test(wordsOf(command))) return;
  const what = `searches what somebody typed for passwords (${named(command.name)})`;
  found.push({ kind: 'credential.history', severity: 'high', confidence: 0.8, what, origin: command.origin });
}
