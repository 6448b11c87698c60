import type { HeadName } from '../../src/detection/detectors/injection/weights.ts';

/** One text with what it is. */
export interface Sample {
  /** The file it is from. */
  source: string;
  /** Sources that share their wording: held out together. */
  group: string;
  /** Rows that are near-copies of each other have the same; weight is shared among them. */
  template: string;
  /** Which of the scorers it is for. */
  head: HeadName;
  label: 0 | 1;
  text: string;
  /** The part that makes it an attack, where that is known. */
  hot?: string;
  /** Harmless, but full of words that attacks use. */
  hard?: boolean;
  /** Used to learn from, left out of figures. */
  weak?: boolean;
}
