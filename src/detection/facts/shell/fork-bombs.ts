import { forEachChild, type Pipeline, type SyntaxNode } from 'unbash';

/** Whether a function's body pipes calls of itself into each other, or sends one to the background beside another. */
export function multipliesItself(body: SyntaxNode, name: string): boolean {
  let callsCount = 0;
  let parallel = false;
  const visit = (node: SyntaxNode, depth: number): void => {
    if (depth > 8) return;
    if (node.type === 'Command' && node.name?.value === name) callsCount++;
    if (node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true)) parallel = true;
    if (node.type !== 'Word') forEachChild(node, (child) => visit(child, depth + 1));
  };
  visit(body, 0);
  return callsCount > 1 && parallel;
}

/** `$0|$0`: a script that pipes itself into itself. */
export function pipesItself(node: Pipeline): boolean {
  const own = node.commands.filter(
    (member) => member.type === 'Command' && /^"?\$\{?0\}?"?$/.test(member.name?.text ?? ''),
  );
  return own.length > 1;
}
