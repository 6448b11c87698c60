import type { PolicyFault } from '../../domain/policy-work.ts';
import { POLICY_LIMITS } from './limits.ts';

/** Steps from the root of a document to a value. */
export type DocumentPath = readonly (string | number)[];

/** Where something stands in a file; both count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** `file:line:column: message`, as compilers write it. */
export function faultText({ file, line, column, path, message }: PolicyFault): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
}

export function pathText(path: DocumentPath): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  return text;
}

/** Faults as they are found, up to a bound. */
export class FaultList {
  readonly faults: PolicyFault[] = [];

  add(fault: PolicyFault): void {
    if (this.faults.length < POLICY_LIMITS.faultsMax) this.faults.push(fault);
  }

  get full(): boolean {
    return this.faults.length >= POLICY_LIMITS.faultsMax;
  }
}
