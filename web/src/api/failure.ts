import type { CombinedError } from '@urql/core';

/** Why something cannot be shown. */
export interface Failure {
  kind: 'signed-out' | 'forbidden' | 'unreachable' | 'failed';
  message: string;
  /** Of what its reader can mend: the service's name for it. */
  code?: string;
}

export function failureOf(error: CombinedError): Failure {
  const status = (error.response as Response | undefined)?.status;
  if (status === 401) return { kind: 'signed-out', message: 'You are signed out.' };
  const [first] = error.graphQLErrors;
  if (first?.extensions['code'] === 'FORBIDDEN' || status === 403)
    return { kind: 'forbidden', message: first?.message ?? 'the service refuses this request' };
  if (first !== undefined) return { kind: 'failed', message: first.message };
  if (status === undefined) return { kind: 'unreachable', message: 'The service cannot be reached.' };
  return { kind: 'failed', message: `The service answered with status ${status}.` };
}
