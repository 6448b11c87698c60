import type { Action } from './wanted-action.ts';

/** What somebody asks for by more than a verb, in a text in lower case: in English. */
const PHRASES: readonly (readonly [pattern: RegExp, actions: readonly Action[]])[] = [
  // "turn the recording into a page": what comes of it is made.
  [/\b(?:turn|make|transform|condense|boil|break|split|shape)\b[^.!?\n]{1,120}\binto\b/, ['create', 'change']],
  // "my line keeps dropping": who tells of a trouble of their own wants somebody to come, or something set right.
  [
    /\b(?:my|our|i|we)\b[^.!?,;:\n]{1,80}\b(?:(?:is|are|was|not|n't|won't|keeps?|been|stopped|started) (?:\w{1,12} ){0,2}(?:work|load|connect|charg|dropp|crash|freez|fail|disconnect|restart|leak|flicker|overheat)\w{0,8}|broken?|faulty|defective|damaged|out of order)\b/,
    ['book', 'control'],
  ],
];

/** The actions that phrases of `read` ask for. */
export function actionsOfPhrases(read: string): readonly Action[] {
  return PHRASES.flatMap(([pattern, actions]) => (pattern.test(read) ? actions : []));
}
