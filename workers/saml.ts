import type { MetadataOutcome, ResponseOutcome, SamlTask } from '../src/identity/saml-messages.ts';
import { runSamlTask } from '../src/identity/saml-task.ts';

/** Reads XML of strangers, in a thread that can be ended. */
export default function saml(task: SamlTask): Promise<ResponseOutcome | MetadataOutcome> {
  return runSamlTask(task);
}
