import type { Detection } from '../detector.ts';

/** What is seen in one text; the place is that of the text. */
export type Sighting = Omit<Detection, 'place' | 'value'>;
