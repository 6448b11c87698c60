import { checkLogout } from './saml-logout.ts';
import type { LogoutOutcome, MetadataOutcome, ResponseOutcome, SamlTask } from './saml-messages.ts';
import { readMetadata } from './saml-metadata.ts';
import { checkResponse } from './saml-response.ts';

/** What the SAML thread does. */
export function runSamlTask(task: SamlTask): Promise<ResponseOutcome | LogoutOutcome | MetadataOutcome> {
  if (task.kind === 'metadata') return readMetadata(task.xml);
  return task.kind === 'logout' ? checkLogout(task.check) : checkResponse(task.check);
}
