import { actionDetector } from './action.ts';
import { readSigns } from './command-signs.ts';
import { CREDENTIAL_SIGNS, RECON_SIGNS } from './recon-signs.ts';

/** Looking around before an attack, and recording what people do. */
export const recon = actionDetector({
  id: 'recon',
  version: 1,
  severity: 'low',
  title:
    'Looks around as an attacker would: scans, tools for breaking in, records of screens and keyboards, stored logins.',
  kinds: ['recon.*', 'collection.*', 'credential.*', 'shell.crypto_miner'],
  falsePositives: ['ordinary administration, which looks around as well: hence the low severities'],
  find({ facts, allowance }, found) {
    for (const command of facts.shell.commands) {
      readSigns(RECON_SIGNS, command, found, allowance);
      readSigns(CREDENTIAL_SIGNS, command, found, allowance);
    }
  },
});
