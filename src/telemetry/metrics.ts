import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Decision, UndecidedCause } from '../domain/decision.ts';

/** Values read when somebody asks for the metrics. */
export interface Readings {
  requestsUnderWay: () => number;
  sessionsActive: () => number;
  inspectionsWaiting: () => { blocking: number; observational: number };
  inspectionsHeldBack: () => number;
  surges: () => boolean;
  policySetTenants: () => number;
  policySetsRefused: () => number;
  journalBytes: () => number;
  journalBytesMax: () => number;
  logLinesLost: () => number;
  projectorLagRecords: () => number;
  projectorQuarantined: () => number;
}

/**
 * Counts by label values, handed to a prom-client counter when somebody asks for the metrics: counting there costs a hash
 * of the labels each time, which for every event is too much.
 */
class Tally<L extends string> {
  readonly #counts = new Map<string, { labels: Record<L, string>; count: number }>();
  readonly #labelNames: readonly L[];

  constructor(name: string, help: string, labelNames: readonly L[], registry: Registry) {
    this.#labelNames = labelNames;
    const counts = this.#counts;
    new Counter({
      name: `gatehouse_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, count } of counts.values()) this.inc(labels as Partial<Record<L, string>>, count);
      },
    });
  }

  add(...values: string[]): void {
    const key = values.length === 1 ? (values[0] as string) : values.join('\0');
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const labels = Object.fromEntries(this.#labelNames.map((name, index) => [name, values[index]]));
    this.#counts.set(key, { labels: labels as Record<L, string>, count: 1 });
  }
}

/** The service's metrics. No label names a tenant, an agent or a session: their number has no bound. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #answers = this.#counter(
    'answers_total',
    'Answers of the event interface; status 0: the sender went away.',
    'status',
  );
  readonly #decisions = this.#counter('decisions_total', 'Decisions by action.', 'action');
  readonly #undecided = this.#counter(
    'undecided_total',
    'Events that could not be decided, by cause and answer.',
    'cause',
    'answered',
  );
  readonly #inspections = this.#counter(
    'inspections_total',
    'Inspections of observational events by outcome.',
    'outcome',
  );
  readonly #lanesEnded = this.#counter('lanes_ended_total', 'Inspection threads ended and replaced.', 'reason');
  readonly #lateBlocks = this.#counter('late_blocks_total', 'Sessions put on hold because a block came too late.');
  readonly #subAgents = this.#counter(
    'sub_agents_total',
    'Sessions that name a parent, by what became of it.',
    'outcome',
  );
  readonly #releases = this.#counter('releases_total', 'Holds and taints that people took back.');
  readonly #mailboxOverflows = this.#counter(
    'mailbox_overflows_total',
    'Events refused because their session had too many waiting.',
  );
  readonly #connectionsRefused = this.#counter(
    'connections_refused_total',
    'Connections closed as they came, since there were too many.',
  );
  readonly #actorCrashes = this.#counter('actor_crashes_total', 'Session actors that failed and were built anew.');
  readonly #quickRuleFailures = this.#counter('quick_rule_failures_total', 'Events over which the quick rules threw.');
  readonly #answerSeconds = new Histogram({
    name: 'gatehouse_answer_seconds',
    help: 'From the first byte of an event to its answer.',
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6],
    registers: [this.#registry],
  });

  /** Adds what is read only when somebody asks. Once, when the parts are there. */
  read(readings: Readings): void {
    this.#gauge('requests_under_way', 'Events not answered yet.', readings.requestsUnderWay);
    this.#gauge('sessions_active', 'Agent sessions in memory.', readings.sessionsActive);
    this.#gauge(
      'inspections_held_back',
      'Inspections of stored events that wait for a surge to be over; of a session one at a time.',
      readings.inspectionsHeldBack,
    );
    this.#gauge('surge', '1 while answers come before all that nobody waits for.', () => Number(readings.surges()));
    this.#gauge('policy_set_tenants', 'Tenants with a policy set of their own in force.', readings.policySetTenants);
    this.#gauge(
      'policy_sets_refused',
      'Policy sets that tenants chose and that cannot be used: the ones before them decide.',
      readings.policySetsRefused,
    );
    this.#gauge('journal_bytes', 'Bytes the journal holds.', readings.journalBytes);
    this.#gauge('journal_bytes_max', 'Bytes the journal may hold.', readings.journalBytesMax);
    this.#gauge('log_lines_lost', 'Log lines that could not be written, since the start.', readings.logLinesLost);
    this.#gauge('projector_lag_records', 'Journal records not in the database yet.', readings.projectorLagRecords);
    this.#gauge(
      'projector_quarantined',
      'Journal records the database refused, since the start.',
      readings.projectorQuarantined,
    );
    new Gauge({
      name: 'gatehouse_inspections_waiting',
      help: 'Events waiting for an inspection thread.',
      labelNames: ['priority'],
      registers: [this.#registry],
      collect() {
        for (const [priority, count] of Object.entries(readings.inspectionsWaiting())) this.set({ priority }, count);
      },
    });
  }

  answered(status: number, tookMs: number): void {
    this.#answers.add(String(status));
    this.#answerSeconds.observe(tookMs / 1000);
  }

  decided(decision: Decision): void {
    if (decision.kind === 'decided') this.#decisions.add(decision.action);
    else this.#undecided.add(decision.cause, decision.answered);
  }

  inspected(outcome: 'clean' | 'finding' | UndecidedCause): void {
    this.#inspections.add(outcome);
  }

  laneEnded(reason: string): void {
    this.#lanesEnded.add(reason);
  }

  lateBlock(): void {
    this.#lateBlocks.add();
  }

  subAgent(outcome: string): void {
    this.#subAgents.add(outcome);
  }

  released(): void {
    this.#releases.add();
  }

  mailboxOverflow(): void {
    this.#mailboxOverflows.add();
  }

  connectionRefused(): void {
    this.#connectionsRefused.add();
  }

  actorCrashed(): void {
    this.#actorCrashes.add();
  }

  quickRulesFailed(): void {
    this.#quickRuleFailures.add();
  }

  /** The metrics in Prometheus' text format, of type `contentType`. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #counter<L extends string>(name: string, help: string, ...labelNames: L[]): Tally<L> {
    return new Tally(name, help, labelNames, this.#registry);
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `gatehouse_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}
