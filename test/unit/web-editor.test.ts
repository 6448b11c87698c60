import t from 'tap';
import { policySetJsonSchema } from '../../src/detection/policy/json-schema.ts';
import { type Schema, suggestionsAt } from '../../web/src/editor/schema-suggestions.ts';
import { yamlPlace } from '../../web/src/editor/yaml-path.ts';

/** What the editor of policies suggests, from the schema that the service gives. */

const schema = policySetJsonSchema() as Schema;
const HEAD = 'apiVersion: gatehouse/v1\nkind: PolicySet\nmetadata: { name: x }\nspec:\n';
const POLICY = `${HEAD}  policies:\n    - id: a.b\n      `;

function pathAt(text: string): string {
  const place = yamlPlace(text);
  return place === undefined ? 'nowhere' : `${place.path.join('.')} ${place.isName ? 'name' : 'value'} "${place.word}"`;
}

function suggested(text: string): string[] {
  const place = yamlPlace(text);
  return place === undefined ? [] : suggestionsAt(schema, place).map((each) => each.text);
}

t.test('indentation tells where something is typed', (t) => {
  t.equal(pathAt(''), ' name ""');
  t.equal(pathAt('met'), ' name "met"');
  t.equal(pathAt(`${HEAD}  pol`), 'spec name "pol"');
  t.equal(pathAt(`${POLICY}mo`), 'spec.policies.[] name "mo"');
  t.equal(pathAt(`${POLICY}mode: sh`), 'spec.policies.[].mode value "sh"');
  t.equal(
    pathAt(`${HEAD}  policies:\n  - id: a\n    mo`),
    'spec.policies.[] name "mo"',
    'items as far left as the list',
  );
  t.equal(pathAt(`${HEAD}  policies:\n  - id: a\n  li`), 'spec name "li"');
  t.equal(pathAt(`${POLICY}tests:\n        - name: x\n          ex`), 'spec.policies.[].tests.[] name "ex"');
  t.equal(pathAt(`${POLICY}on:\n        - to`), 'spec.policies.[].on.[] name "to"');
  t.equal(pathAt(`${POLICY}mode: off\n\n# a note\n---\nki`), ' name "ki"', 'documents begin anew');
  t.end();
});

t.test('within braces and brackets of a line', (t) => {
  t.equal(pathAt(`${POLICY}match: { tool`), 'spec.policies.[].match name "tool"');
  t.equal(pathAt(`${POLICY}match: { toolKind: [shell, n`), 'spec.policies.[].match.toolKind.[] name "n"');
  t.equal(pathAt(`${POLICY}match: { toolName: "a: {", minSeverity: h`), 'spec.policies.[].match.minSeverity value "h"');
  t.equal(pathAt(`${HEAD}  policies:\n    - { id: a, mode: s`), 'spec.policies.[].mode value "s"');
  t.equal(pathAt(`${HEAD}  policies:\n    - { id: a, match: { source: user }, mo`), 'spec.policies.[] name "mo"');
  t.end();
});

t.test('texts and comments are left alone', (t) => {
  t.equal(pathAt(`${POLICY}description: |\n        some text\n        mo`), 'nowhere');
  t.equal(pathAt(`${POLICY}description: |\n        some: text\n      mo`), 'spec.policies.[] name "mo"');
  t.equal(pathAt(`${POLICY}# mo`), 'nowhere');
  t.end();
});

t.test('what the schema has there is suggested', (t) => {
  t.same(suggested(''), ['apiVersion', 'kind', 'metadata', 'spec']);
  t.same(suggested('kind: '), ['PolicySet']);
  t.same(suggested(`${POLICY}mode: `), ['enforce', 'shadow', 'off']);
  t.ok(suggested(POLICY).includes('exceptions'));
  t.notOk(suggested(POLICY).includes('enforce'), 'no values where a name stands');
  t.ok(suggested(`${POLICY}match: { `).includes('toolKind'));
  t.same(suggested(`${POLICY}match: { toolKind: [`), suggested(`${POLICY}match: { toolKind: `));
  t.ok(suggested(`${POLICY}on:\n        - `).includes('tool_invocation'));
  t.same(suggested(`${POLICY}sequence:\n        ordered: `), ['true', 'false']);
  t.same(suggested(`${POLICY}hold: `), ['true']);
  t.ok(suggested(`${HEAD}  tools:\n    crm: { kind: `).includes('db'), 'behind names that are free');
  t.same(suggested(`${POLICY}nonsense:\n        `), []);
  const [first] = suggestionsAt(schema, { path: ['spec', 'policies', '[]'], word: '', isName: true });
  t.match(first, { text: 'id', kind: 'name', description: /Unique/ });
  t.end();
});
