import type { Engine } from '../../src/detection/engine.ts';
import { engineOf } from '../../src/detection/engine.ts';
import { readPolicySet } from '../../src/detection/read-policies.ts';
import type { PolicyFile } from '../../src/domain/policies.ts';
import { TEST_SECRET } from './engine.ts';

/** A policy set as a tenant saves it. */
export interface SavedSet {
  hash: string;
  files: PolicyFile[];
  engine: Engine;
}

/** A set of policies, each written as a flow mapping: `id: a.b, on: …`; blocks of high severity unless it says otherwise. */
export function savedSet(...policies: string[]): SavedSet {
  const lines = policies.map((policy) => `    - { severity: high, reason: so it is, ${policy} }\n`).join('');
  const text = `apiVersion: gatehouse/v1\nkind: PolicySet\nmetadata: { name: own }\nspec:\n  policies:\n${lines}`;
  const files = [{ file: 'own.yaml', text }];
  const { set } = readPolicySet(files);
  return { hash: set.hash, files, engine: engineOf(set, TEST_SECRET) };
}

/** Blocks the calls of one tool, and nothing else. */
export function blocksTool(tool: string): SavedSet {
  return savedSet(`id: own.no_${tool.toLowerCase()}, on: tool_invocation, effect: block, match: { toolName: ${tool} }`);
}

/** As many policies as stated, none of which matches anything. */
export function largeSet(policies: number): SavedSet {
  const condition = (n: number) => `'tool.kind == "shell" && size(net.hosts) > 3 && user.email == "x${n}@example.com"'`;
  return savedSet(
    ...Array.from(
      { length: policies },
      (_, n) => `id: large.p${n}, on: tool_invocation, effect: block, when: ${condition(n)}`,
    ),
  );
}
