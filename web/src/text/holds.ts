/** How the service tells that an event was blocked because its session is on hold. */

const BY_SCAN = 'This session is on hold, because an earlier event went through';

/** Whether `reason`, of a decision or of the policy `policyId`, is that of a hold: then no policy was asked about the event. */
export function tellsHold(reason: string, policyId = /^(\S+): /.exec(reason)?.[1]): boolean {
  return reason.startsWith(BY_SCAN) || reason.startsWith(`${policyId}: this session is on hold: `);
}
