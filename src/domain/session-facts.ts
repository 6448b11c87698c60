/** What a session's state tells the inspection of its next event. Small and serialisable. */
export interface SessionFacts {
  /** Events of the session before this one. */
  eventsCount: number;
  /** Blocked events of the session before this one. */
  blockedCount: number;
}
