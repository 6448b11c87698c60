import type { SsoOptions } from './sso-flow.ts';

const TICKET_MS = 10 * 60_000;
const purposeOf = (connectionId: string) => `test of connection ${connectionId}`;

type Options = Pick<SsoOptions, 'seal' | 'clock'>;

/** Lets whoever has it try out a connection, enabled or not, for ten minutes. It signs nobody in. */
export function testTicket({ seal, clock }: Options, connectionId: string): string {
  return seal.seal(purposeOf(connectionId), String(clock.now() + TICKET_MS));
}

export function isTestTicket({ seal, clock }: Options, connectionId: string, ticket: string): boolean {
  const until = seal.open(purposeOf(connectionId), ticket);
  return until !== undefined && clock.now() < Number(until);
}
