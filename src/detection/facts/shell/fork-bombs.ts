import { type ArithmeticFor, forEachChild, type Pipeline, type SyntaxNode, type While } from 'unbash';

/** Whether `node` starts copies of itself, or of anything, without end. */
export function isForkBomb(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Pipeline':
      return pipesItself(node);
    case 'Function':
      return multipliesItself(node.body, node.name.value);
    case 'While':
    case 'ArithmeticFor':
      return spawnsEndlessly(node);
    default:
      return false;
  }
}

/** Whether a function's body pipes calls of itself into each other, or sends one to the background. */
function multipliesItself(body: SyntaxNode, name: string): boolean {
  let callsCount = 0;
  let parallel = false;
  let sentAway = false;
  const visit = (node: SyntaxNode, depth: number): void => {
    if (depth > 8) return;
    if (node.type === 'Command' && node.name?.value === name) callsCount++;
    if (node.type === 'Statement' && node.background === true && isCall(node.command, name)) sentAway = true;
    if (node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true)) parallel = true;
    if (node.type !== 'Word') forEachChild(node, (child) => visit(child, depth + 1));
  };
  visit(body, 0);
  return sentAway || (callsCount > 1 && parallel);
}

function isCall(node: SyntaxNode, name: string): boolean {
  return node.type === 'Command' && node.name?.value === name;
}

/** Commands on which a loop waits for something: what it started, a time, a line, or a place for one more. */
const WAITS =
  /^(?:wait|sleep|read|inotifywait|fswatch|select|sem|break|exit|return|usleep|systemctl|tail|nc|socat|flock|curl|wget|ssh)$/;
const NODES_MAX = 256;

/** `while true; do work & done`: a loop without an end that starts something each time and waits for nothing. */
function spawnsEndlessly(node: While | ArithmeticFor): boolean {
  const isEndless =
    node.type === 'While'
      ? isConstant(node.clause.commands[0]?.command, node.kind === 'while')
      : node.test === undefined;
  if (!isEndless) return false;
  let isSpawning = false;
  let isWaiting = false;
  let nodesCount = 0;
  const visit = (inner: SyntaxNode): void => {
    if (nodesCount++ > NODES_MAX) isWaiting = true;
    if (isWaiting) return;
    if (inner.type === 'Statement' && inner.background === true) isSpawning = true;
    else if (inner.type === 'Command' && WAITS.test(inner.name?.value ?? '')) isWaiting = true;
    if (inner.type !== 'Word') forEachChild(inner, visit);
  };
  visit(node.body);
  return isSpawning && !isWaiting;
}

/** `true`, `:` and `[ 1 ]`, or what never is, where the loop runs until it is. */
function isConstant(node: SyntaxNode | undefined, value: boolean): boolean {
  if (node?.type !== 'Command') return false;
  const name = node.name?.value.replace(/^\/(?:usr\/)?bin\//, '') ?? '';
  const words = node.suffix.map((item) => (item.type === 'Word' ? item.value : ''));
  if (!value) return name === 'false';
  return name === 'true' || name === ':' || (name === '[' && words.length === 2 && /^(?:1|true)$/.test(words[0] ?? ''));
}

/** `$0|$0`: a script that pipes itself into itself. */
function pipesItself(node: Pipeline): boolean {
  const own = node.commands.filter(
    (member) => member.type === 'Command' && /^"?\$\{?0\}?"?$/.test(member.name?.text ?? ''),
  );
  return own.length > 1;
}
