import type { Severity } from '../../domain/decision.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import type { Origin } from '../facts/shell.ts';

/** One reason why a rule applies to an event. */
export interface Match {
  /** The finding's kind. */
  kind: string;
  /** For the person: what is done to what, as half a sentence: "deletes the home directory". Holds no content. */
  what: string;
  /** How sure it is that the command does that, 0 to 1. */
  confidence: number;
  origin: Origin;
}

/** A built-in rule: a statement about facts. It never looks at the event itself. */
export interface Rule {
  id: string;
  /** Raised with each change of what it matches, so that stored decisions name what decided. */
  version: number;
  severity: Severity;
  /** What it blocks, in one sentence. */
  title: string;
  matches(facts: EventFacts): Match[];
}
