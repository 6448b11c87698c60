import type { Severity } from '../../../domain/decision.ts';
import type { CanonicalPath } from '../../facts/paths.ts';
import type { Origin } from '../../facts/shell/model.ts';
import { byWeight, type Detection, type Detector, type DetectorInput } from '../detector.ts';

/** Something that an event does, or has done. */
export interface Action {
  kind: string;
  /** Where it is not that of the detector. */
  severity?: Severity;
  /** How sure it is that this is done, 0 to 1. */
  confidence: number;
  /** For the person: what is done to what, as half a sentence: "deletes the home directory". Holds no content. */
  what: string;
  origin: Origin;
  /** The file that it is about, where the user may have named it. */
  file?: CanonicalPath;
}

interface Source extends Omit<Detector, 'detect' | 'status'> {
  status?: Detector['status'];
  /** Severity of actions that name none. */
  severity: Severity;
  /** Adds what it sees to `found`. */
  find(input: DetectorInput, found: Action[]): void;
}

/** Detections that one detector reports of one event: the gravest. More say nothing new. */
const DETECTIONS_MAX = 64;

const NOTHING: readonly Detection[] = [];

/** A detector of actions: it looks at facts, and says what they amount to. */
export function actionDetector(source: Source): Detector {
  const { id, version, title, kinds, falsePositives, status = 'stable', severity } = source;
  return {
    id,
    version,
    status,
    title,
    kinds,
    falsePositives,
    detect(input) {
      const found: Action[] = [];
      source.find(input, found);
      if (found.length === 0) return NOTHING;
      // Of what is cut off nobody knows whether it was named: then none of it was.
      const isCut = found.length > DETECTIONS_MAX;
      const detections = found.map((action) => detectionOf(action, severity, isCut));
      if (!isCut) return detections;
      input.allowance.cut(id, `detections ${DETECTIONS_MAX}`);
      return detections.sort(byWeight).slice(0, DETECTIONS_MAX);
    },
  };
}

function detectionOf(action: Action, severity: Severity, isCut: boolean): Detection {
  const { kind, confidence, what, origin, file } = action;
  const { place, start, end } = origin;
  const detection = { kind, severity: action.severity ?? severity, confidence, what, place, start, end };
  return file === undefined || isCut ? detection : { ...detection, file };
}
