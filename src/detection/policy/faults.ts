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

/** `path` as `spec.policies[3].when`; names that would not be told apart there stand in quotes. */
export function pathText(path: DocumentPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[\w*?<:-]{1,256}$/.test(step)) text += `[${JSON.stringify(step.slice(0, 64))}]`;
    else text += text === '' ? step : `.${step}`;
  }
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
