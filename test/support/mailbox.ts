import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Test } from 'tap';

/** A message as it arrived. */
export interface Received {
  mail: Email;
  raw: string;
  /** Whom the envelope names. */
  recipients: string[];
}

/** A real mail server that keeps what it is sent. */
export interface Mailbox {
  url: string;
  received: Received[];
  /** The newest message to `address`, once there is one that was not taken yet. */
  take(address: string): Promise<Received>;
  /** From now on every recipient is refused. */
  refuse(refused: boolean): void;
  /** From now on each message is taken only after this time. */
  delay(ms: number): void;
}

const WAIT_MS_MAX = 60_000;

export async function startMailbox(t: Test): Promise<Mailbox> {
  const received: Received[] = [];
  let refusing = false;
  let delayMs = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: (_, __, done) => done(refusing ? new Error('no such mailbox') : null),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        const keep = async () => {
          received.push({ mail: await PostalMime.parse(raw), raw, recipients });
          setTimeout(done, delayMs);
        };
        void keep();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const taken = new Set<Received>();
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    async take(address) {
      for (const endsAt = Date.now() + WAIT_MS_MAX; Date.now() < endsAt; ) {
        const found = received.findLast((each) => !taken.has(each) && each.recipients.includes(address));
        if (found !== undefined) {
          taken.add(found);
          return found;
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error(`no mail came to ${address}`);
    },
    refuse: (refused) => {
      refusing = refused;
    },
    delay: (ms) => {
      delayMs = ms;
    },
  };
}

/** The sign-in link in a message. */
export function linkIn({ mail }: Received): URL {
  const found = /https?:\/\/\S+/.exec(mail.text ?? '')?.[0];
  if (found === undefined) throw new Error('there is no link in the message');
  return new URL(found);
}
