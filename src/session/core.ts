import { applyEffects, type SessionMemory } from '../detection/session-memory.ts';
import type { UndecidedCause } from '../domain/decision.ts';
import { type AgentSessionKey, type EventId, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type { EventRecord, JournalRecord, RecordEnvelope } from '../domain/record.ts';
import type { Appended, Durability } from '../journal/journal.ts';
import type { ActorContext } from './actor-context.ts';
import { FactsText } from './facts-text.ts';
import { Family } from './family.ts';
import type { Item } from './items.ts';
import { Ledger } from './ledger.ts';
import { Mailbox } from './mailbox.ts';
import type { ReceivedEvent } from './received-event.ts';
import type { AgentSessionState } from './state.ts';
import type { TreeDirectory } from './tree.ts';

/** What an actor does for its parts. */
export interface Runner {
  /** Runs `work`; an error in it ends this actor, and no other one. */
  guard(work: () => void): void;
  /** Starts what waits first, if nothing is running. */
  pump(): void;
  crash(error: unknown, cause: 'actor_error' | 'journal_error'): void;
}

/** What the parts of one session's actor share: its state, and how that is told to inspections and to the journal. */
export class SessionCore {
  readonly tenant: TenantSlug;
  readonly key: AgentSessionKey;
  readonly context: ActorContext;
  readonly state: AgentSessionState;
  readonly mailbox = new Mailbox();
  readonly ledger: Ledger;
  readonly family: Family;
  readonly runner: Runner;
  readonly #factsText = new FactsText();

  constructor(
    { tenant, key, state }: { tenant: TenantSlug; key: AgentSessionKey; state: AgentSessionState },
    context: ActorContext,
    directory: TreeDirectory,
    runner: Runner,
  ) {
    this.tenant = tenant;
    this.key = key;
    this.state = state;
    this.context = context;
    this.runner = runner;
    this.ledger = new Ledger({ key, state }, context.journal, (error) => runner.crash(error, 'journal_error'));
    this.family = new Family({ tenant, key, state }, directory, (event, outcome) =>
      context.observer.subAgent(event, outcome),
    );
  }

  /** What is known once `item` has taken over what others of the tree know. */
  memoryFor({ id, tree }: Item): SessionMemory {
    return tree.length === 0 ? this.state.memory : applyEffects(this.state.memory, tree, eventIdTimeMs(id));
  }

  /** What the inspection of `item` is told, as JSON text. */
  factsFor(
    item: Item,
    receivedAtMs: number,
    { eventsCount, blockedCount }: { eventsCount: number; blockedCount: number },
  ): string {
    const own = { tenant: this.tenant, event: item.id, receivedAtMs, eventsCount, blockedCount };
    return this.#factsText.of(own, this.memoryFor(item));
  }

  /** What every record of this session says that is made now. */
  envelope(event: EventId): RecordEnvelope {
    return { tenant: this.tenant, session: this.key, event, atMs: this.context.clock.now() };
  }

  /** What the record of an event says of its session. */
  recordedBy(event: ReceivedEvent): Pick<RecordEnvelope, 'tenant' | 'session'> & Pick<EventRecord, 'owner' | 'parent'> {
    const { owner, parent } = this.family.recordOf(event);
    return { tenant: this.tenant, session: this.key, owner, parent };
  }

  /** As `Ledger.append`; those that wait, and others of the tree, hear of what it changed. */
  append(
    record: JournalRecord,
    durability: Durability,
    whenKnown?: (stored: boolean) => void,
  ): Appended | UndecidedCause {
    const { memory } = this.state;
    const appended = this.ledger.append(record, durability, whenKnown);
    if (typeof appended === 'string') return appended;
    this.mailbox.noteRecorded(record);
    this.family.noteChange(memory);
    return appended;
  }
}
