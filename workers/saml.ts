import type { LogoutOutcome, MetadataOutcome, ResponseOutcome, SamlTask } from '../src/identity/saml-messages.ts';
import { runSamlTask } from '../src/identity/saml-task.ts';

// The parser tells the console of what it finds odd, with pieces of what came: none of that belongs in the service's output.
console.warn = () => {};
console.error = () => {};

/** Reads XML of strangers, in a thread that can be ended. */
export default function saml(task: SamlTask): Promise<ResponseOutcome | LogoutOutcome | MetadataOutcome> {
  return runSamlTask(task);
}
