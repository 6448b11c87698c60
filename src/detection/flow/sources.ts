import type { ToolResult } from '../../domain/event.ts';
import { credentialKind } from '../facts/credential-files.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import { wordsOf } from '../facts/tools.ts';

/** What a tool's result brings into a session. */
export interface SourceFacts {
  /** Data that its owner would not want outside: why, as half a sentence. */
  private: string | undefined;
  /** Content that somebody outside could have written: why, as half a sentence. */
  untrusted: string | undefined;
}

/** What the result of `event` brings, by what the tool does and, where that says nothing, by its name. */
export function sourcesOf(event: ToolResult, facts: EventFacts): SourceFacts {
  const words = wordsOf(event.tool.name);
  return { private: privateBy(facts, words), untrusted: untrustedBy(facts, words) };
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** What holds people's data, in the terms of the systems that keep it. */
const PRIVATE_WORDS = words(
  'mail email emails inbox gmail outlook imap calendar contact contacts crm salesforce hubspot customer customers client clients patient patients medical health clinical prescription prescriptions diagnosis genetic bank account accounts balance balances transaction transactions payment payments payee payees card cards statement invoice invoices payroll salary salaries employee employees hr tax insurance holdings portfolio wallet order orders reservation reservations shipment shipments password passwords credential credentials secret secrets vault keychain token tokens sms message messages chat dm slack teams whatsapp drive dropbox note notes notion evernote document documents photo photos location history identity profile address addresses person people criminal log logs record records',
);

/** What others write into, or what comes from outside. */
const UNTRUSTED_WORDS = words(
  'web website url browser browse page fetch http crawl scrape search google bing duckduckgo tavily news rss feed article wiki wikipedia tweet tweets twitter mastodon reddit post posts comment comments issue issues pull pr review reviews forum discussion ticket tickets jira zendesk mail email emails inbox gmail outlook sms message messages chat slack teams discord telegram whatsapp channel calendar event events invite product products listing repository readme download downloads attachment attachments transcript video youtube pdf document documents shared profile bio note notes task tasks file files',
);

function has(own: ReadonlySet<string>, listed: ReadonlySet<string>): boolean {
  for (const word of own) if (listed.has(word)) return true;
  return false;
}

function privateBy({ tool, files, shell }: EventFacts, name: ReadonlySet<string>): string | undefined {
  const secret = files.find(({ operation, path }) => operation === 'read' && credentialKind(path) !== undefined);
  if (secret !== undefined) return 'a file with credentials was read';
  if (shell.commands.some((command) => PRIVATE_COMMANDS.has(command.name) && command.args.length === 0)) {
    return 'the environment was printed';
  }
  switch (tool?.kind) {
    case undefined:
      return undefined;
    case 'db':
      return tool.effect === 'delete' ? undefined : 'a database was read';
    case 'message':
      return 'messages were read';
    case 'file_read':
      return files.some(({ path }) => path.anchor === 'home') ? "a person's own file was read" : undefined;
    case 'other':
    case 'net':
      return has(name, PRIVATE_WORDS) ? 'personal or business records were read' : undefined;
    default:
      return undefined;
  }
}

const PRIVATE_COMMANDS = words('env printenv set');

function untrustedBy({ tool, hosts, shell }: EventFacts, name: ReadonlySet<string>): string | undefined {
  if (hosts.some(({ host }) => host.class === 'public')) return 'content came from the network';
  if (shell.commands.some(readsFromOutside)) return "somebody else's text was read";
  switch (tool?.kind) {
    case 'net':
      return 'content came from the network';
    case 'message':
      return 'messages of others were read';
    case 'vcs':
      return has(name, UNTRUSTED_WORDS) ? "somebody else's text was read" : undefined;
    case 'other':
      return has(name, UNTRUSTED_WORDS) ? "somebody else's text was read" : undefined;
    default:
      return undefined;
  }
}

function readsFromOutside({ name, args }: EventFacts['shell']['commands'][number]): boolean {
  const said = args
    .slice(0, 2)
    .map(({ text }) => text)
    .join(' ');
  return (
    (name === 'gh' || name === 'glab') && /^(?:issue|pr|mr|release|gist|api|run) ?(?:view|list|diff|show)?/.test(said)
  );
}
