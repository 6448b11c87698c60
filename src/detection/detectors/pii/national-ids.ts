import type { PiiFormat } from './format.ts';
import { AMERICAN_IDS } from './national-ids-americas.ts';
import { OTHER_IDS } from './national-ids-asia-pacific.ts';
import { EUROPEAN_IDS } from './national-ids-europe.ts';

/** Numbers that states give to persons. */
export const NATIONAL_IDS: readonly PiiFormat[] = [...AMERICAN_IDS, ...EUROPEAN_IDS, ...OTHER_IDS];
