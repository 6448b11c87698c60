import { ACTION_DETECTORS } from './actions/action-detectors.ts';
import type { Detector } from './detector.ts';
import { hiddenUnicode } from './hidden-unicode.ts';
import { injection } from './injection.ts';
import { pii } from './pii.ts';
import { secrets } from './secrets.ts';
import { toolPoisoning } from './tool-poisoning.ts';

/**
 * Every detector. Their order does not matter to a decision that has time for all of them; where it has not, those come first whose findings
 * block, and those last that take the longest.
 */
export const DETECTORS: readonly Detector[] = [
  ...ACTION_DETECTORS,
  hiddenUnicode,
  injection,
  toolPoisoning,
  secrets,
  pii,
];
