import type { EventId } from '../domain/ids.ts';
import type { Database } from './database.ts';
import {
  placeOf,
  type ReadSession,
  readSession,
  type SessionPlace,
  type StoredSession,
  tooLarge,
} from './stored-sessions.ts';

/** Characters of the bodies of all sessions that are kept; the one that was read last is kept whatever its size. */
const KEPT_CHARS_MAX = 64 * 1024 * 1024;

/** Where sessions come from: the database. */
export interface SessionSource {
  placeOf(id: EventId): Promise<SessionPlace | undefined>;
  readSession(place: SessionPlace): Promise<ReadSession>;
}

interface Kept {
  session: ReadSession;
  /** Where in the session an event is. */
  places: ReadonlyMap<EventId, number>;
  chars: number;
}

/**
 * Stored sessions, each read once for however many of its events are asked for: whole, so that what is told of one event is as new as
 * what is told of those before it. One that has gone on since is read again.
 */
export class SessionShelf {
  readonly #source: SessionSource;
  readonly #charsMax: number;
  /** The one that was asked for last comes last. */
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  constructor(source: SessionSource, charsMax = KEPT_CHARS_MAX) {
    this.#source = source;
    this.#charsMax = charsMax;
  }

  static of(database: Database): SessionShelf {
    return new SessionShelf({
      placeOf: (id) => placeOf(database, id),
      readSession: (place) => readSession(database, place),
    });
  }

  /**
   * The session of the event `id`, up to and with it; undefined where there is no such event (any more).
   *
   * @throws {SessionTooLarge}
   */
  async upTo(id: EventId): Promise<StoredSession | undefined> {
    const place = await this.#source.placeOf(id);
    if (place === undefined) return undefined;
    const key = `${place.tenant_id} ${place.session_key}`;
    let kept = this.#take(key);
    if (kept === undefined || !(kept.places.has(id) || kept.session.isCut))
      kept = shelved(await this.#source.readSession(place));
    this.#put(key, kept);
    const { session, places } = kept;
    const index = places.get(id);
    if (index === undefined) {
      if (session.isCut) throw tooLarge(id, session);
      return undefined;
    }
    const releases = session.releases.filter((each) => each.id <= id);
    return { ...session, events: session.events.slice(0, index + 1), releases };
  }

  #take(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    this.#chars -= kept?.chars ?? 0;
    return kept;
  }

  #put(key: string, kept: Kept): void {
    for (const oldest of this.#kept.keys()) {
      if (this.#chars + kept.chars <= this.#charsMax) break;
      this.#take(oldest);
    }
    this.#kept.set(key, kept);
    this.#chars += kept.chars;
  }
}

function shelved(session: ReadSession): Kept {
  const places = new Map(session.events.map(({ id }, index) => [id, index]));
  return { session, places, chars: session.events.reduce((sum, { body }) => sum + body.length, 0) };
}
