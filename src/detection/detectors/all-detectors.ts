import { ACTION_DETECTORS } from './actions/action-detectors.ts';
import type { Detector } from './detector.ts';
import { hiddenUnicode } from './hidden-unicode.ts';
import { injection } from './injection.ts';
import { pii } from './pii.ts';
import { secrets } from './secrets.ts';
import { toolPoisoning } from './tool-poisoning.ts';

/** Every detector. Their order does not matter to a decision. */
export const DETECTORS: readonly Detector[] = [
  ...ACTION_DETECTORS,
  secrets,
  pii,
  hiddenUnicode,
  injection,
  toolPoisoning,
];
