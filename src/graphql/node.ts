import { brandWithType, type ObjectRef } from '@pothos/core';
import type { Permission } from '../domain/roles.ts';
import { assert } from '../lib/assert.ts';
import { belongsTo, may } from '../platform/caller.ts';
import { badInput, builder, COST, forbidden, type GraphqlContext } from './builder.ts';
import { type GlobalId, readGlobalId, writeGlobalId } from './global-ids.ts';
import type { OfTenant } from './of-tenant.ts';

/**
 * Objects that a client tells apart, and asks for again, by one id: Relay's object identification. The id is in `nodeId`, since `id`
 * and `key` are what logs, REST and the command line name (docs/decisions/0015-global-ids-beside-raw-ones.md).
 */

/** How objects of one type are told apart and found again. */
export interface NodeKind<Shape> {
  /** What the field that leads to them demands, beside `read`. */
  permission: Permission;
  /** The object's own id, which no other of the type has in the tenant. */
  keyOf: (node: Shape) => string;
  isKey: (text: string) => boolean;
  /** Those of `keys` that the tenant may see, in any order. They are branded: each must be an object of its own. */
  load: (context: GraphqlContext, tenantId: string, keys: readonly string[]) => Promise<readonly Shape[]>;
}

type AnyKind = Omit<NodeKind<never>, 'load'> & Pick<NodeKind<OfTenant>, 'load'>;

const kinds = new Map<string, AnyKind>();

const NodeType = builder.interfaceRef<OfTenant>('Node').implement({
  description: 'An object with an id that no other object of the graph has.',
  fields: (t) => ({
    nodeId: t.id({
      description:
        'To ask for it again with `node`, and for the caches of clients. It names the tenant through which the object is seen.',
      resolve: (node, _args, _context, { parentType: { name } }) => idOf(name, node),
    }),
  }),
});

function idOf(type: string, node: OfTenant): string {
  return writeGlobalId({ type, tenantId: node.tenantId, key: kindOf(type).keyOf(node as never) });
}

function kindOf(type: string): AnyKind {
  const kind = kinds.get(type);
  assert(kind !== undefined, 'a type of objects with a nodeId says how they are told apart');
  return kind;
}

/** Gives the objects of a type global ids. */
export function identify<Shape extends OfTenant>(
  ref: ObjectRef<typeof builder.$inferSchemaTypes, Shape>,
  kind: NodeKind<Shape>,
): void {
  kinds.set(ref.name, kind);
  ref.addInterfaces([NodeType]);
}

/** What one operation may ask for in one `nodes`. */
const NODES_MAX = 100;

builder.queryField('node', (t) =>
  t.field({
    type: NodeType,
    nullable: true,
    description: 'The object with this id; null where there is none, or none that you may know of.',
    args: { nodeId: t.arg.id({ required: true }) },
    complexity: COST.node,
    resolve: (_root, { nodeId }, context) => findNodes(context, [nodeId])[0],
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [NodeType],
    nullable: { list: false, items: true },
    description: `The objects with these ids, at most ${NODES_MAX}, in the same order, each as \`node\` gives it.`,
    args: { nodeIds: t.arg.idList({ required: true }) },
    complexity: ({ nodeIds }) => ({ field: COST.node * nodeIds.length, multiplier: nodeIds.length }),
    resolve: (_root, { nodeIds }, context) => {
      if (nodeIds.length > NODES_MAX) throw badInput(`nodeIds has at most ${NODES_MAX}`);
      return findNodes(context, nodeIds);
    },
  }),
);

type Found = Promise<ReadonlyMap<string, OfTenant>>;

/** What stands behind each id: each by itself, so that one that cannot be had leaves the others as they are. */
function findNodes(context: GraphqlContext, nodeIds: readonly string[]): Promise<OfTenant | undefined>[] {
  const asked = nodeIds.map((nodeId) => readNodeId(nodeId));
  const keysOf = new Map<string, Set<string>>();
  const groupOf = ({ type, tenantId }: GlobalId) => `${type} ${tenantId}`;
  for (const id of asked)
    if (id !== undefined) keysOf.set(groupOf(id), (keysOf.get(groupOf(id)) ?? new Set()).add(id.key));
  const groups = new Map<string, Found>();
  return asked.map(async (id) => {
    if (id === undefined) throw badInput('a nodeId is what the field nodeId of an object gave');
    const group = groupOf(id);
    const found = groups.get(group) ?? loadNodes(context, id, [...(keysOf.get(group) ?? [])]);
    groups.set(group, found);
    return (await found).get(id.key);
  });
}

function readNodeId(nodeId: string): GlobalId | undefined {
  const id = readGlobalId(nodeId);
  return id !== undefined && kinds.get(id.type)?.isKey(id.key) === true ? id : undefined;
}

/** Objects of one type in one tenant, by key. Of a tenant that is not the caller's nothing is looked up. */
async function loadNodes(context: GraphqlContext, { type, tenantId }: GlobalId, keys: readonly string[]): Found {
  const { caller } = context;
  if (!belongsTo(caller, tenantId)) return new Map();
  const { permission, keyOf, load } = kindOf(type);
  for (const needed of ['read', permission] as const)
    if (!may(caller, tenantId, needed))
      throw forbidden(`your roles in this tenant do not allow ${type}: it needs the permission "${needed}"`);
  const nodes = await load(context, tenantId, keys);
  for (const node of nodes) brandWithType(node, type as never);
  return new Map(nodes.map((node) => [keyOf(node as never), node]));
}
