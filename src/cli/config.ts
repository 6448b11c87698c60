import { describeConfig, loadConfig } from '../config.ts';
import type { Command } from './command.ts';

export const configCommand: Command = {
  usage: 'usage: gatehouse config\n\nEvery option is a GATEHOUSE_* variable; docs/OPERATIONS.md explains them.',
  async run() {
    process.stdout.write(`${describeConfig(loadConfig()).join('\n')}\n`);
    return 0;
  },
};
