import { compareSeverities, type Severity } from '../../domain/decision.ts';
import type { AgentEvent } from '../../domain/event.ts';
import type { Allowance } from '../cuts.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import type { Place } from '../facts/input.ts';
import type { CanonicalPath } from '../facts/paths.ts';
import type { Limits } from '../limits.ts';
import type { ReadText } from '../texts/text.ts';

/** What a detector may look at. All of it is a function of the event. */
export interface DetectorInput {
  event: AgentEvent;
  facts: EventFacts;
  texts: readonly ReadText[];
  limits: Limits;
  allowance: Allowance;
}

/** One problem that a detector saw. */
export interface Detection {
  /** `family.what`, of those that the detector lists: `secret.aws_access_key`, `pii.iban`, `injection.override`. */
  kind: string;
  severity: Severity;
  /** How sure it is that this is what `kind` says, 0 to 1. */
  confidence: number;
  /** For the person, as half a sentence: "carries an AWS access key". Holds no content of the event. */
  what: string;
  /** Where the evidence stands in the event as it came, in UTF-16 offsets. */
  place: Place;
  start: number;
  end: number;
  /** The file that it is about, where the user may have named it. */
  file?: CanonicalPath;
  /** The sensitive value itself, decoded, where data flow should remember it. Never leaves the inspection. */
  value?: string;
}

/** Code that looks for one kind of problem. Pure and of linear time. */
export interface Detector {
  id: string;
  /** Raised with each change of what it finds, so that stored decisions name what decided. */
  version: number;
  status: 'stable' | 'experimental';
  /** What it looks for, in one sentence. */
  title: string;
  /** Kinds of its detections; a last `*` stands for any end. */
  kinds: readonly string[];
  /** Whether its detections carry a `value`, which data flow remembers. */
  hasValues?: true;
  /** Its findings tell data flow what results order, which it compares calls with. */
  findsOrders?: true;
  /** What it is known to take for a problem though it is none. */
  falsePositives: readonly string[];
  detect(input: DetectorInput): readonly Detection[];
}

/** The gravest and surest first, then by kind and place, so that the order of detectors does not matter. */
export function byWeight(a: Detection, b: Detection): number {
  return (
    compareSeverities(b.severity, a.severity) ||
    b.confidence - a.confidence ||
    (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0) ||
    a.start - b.start
  );
}
