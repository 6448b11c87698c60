/** A message to one person. */
export interface Mail {
  /** A canonical address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** What the message is for: the address to open. */
  link: string;
}

/** Sends mail. */
export interface Mailer {
  /** Resolves once the message is out of our hands. @throws {MailNotSent} */
  send(mail: Mail): Promise<void>;
}

/** The mail server did not take the message. Says why without address or content. */
export class MailNotSent extends Error {
  override readonly name = 'MailNotSent';
}

/** Shows links to the operator on the console, where no mail server is configured. */
export class ConsoleMailer implements Mailer {
  readonly #print: (text: string) => void;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  async send({ to, subject, link }: Mail): Promise<void> {
    const rule = '='.repeat(78);
    const lines = [`No mail server is configured (GATEHOUSE_SMTP_URL). Hand this on to ${to}:`, subject, '', link];
    this.#print(`\n${rule}\n${lines.join('\n')}\n${rule}\n\n`);
  }
}
