import { describeConfig, loadConfig } from '../config.ts';
import { type Command, UsageError } from './command.ts';

export const configCommand: Command = {
  usage: 'usage: gatehouse config\n\nEvery option is a GATEHOUSE_* variable; docs/OPERATIONS.md explains them.',
  async run(words) {
    if (words.length > 0)
      throw new UsageError('config takes no words: it prints what the GATEHOUSE_* variables come to');
    process.stdout.write(`${describeConfig(loadConfig()).join('\n')}\n`);
    return 0;
  },
};
