import type { MetadataOutcome, ResponseOutcome, SamlTask } from './saml-messages.ts';
import { readMetadata } from './saml-metadata.ts';
import { checkResponse } from './saml-response.ts';

/** What the SAML thread does. */
export function runSamlTask(task: SamlTask): Promise<ResponseOutcome | MetadataOutcome> {
  return task.kind === 'response' ? checkResponse(task.check) : readMetadata(task.xml);
}
