/** The nodes of a page of a connection. */
export function nodesOf<Node>({ edges }: { edges: readonly { node: Node }[] }): Node[] {
  return edges.map(({ node }) => node);
}
