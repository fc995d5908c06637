/** What template parameters stand for. */
import type { Node } from './mangled-node.js';

/** The template arguments in force, and those outside of them. */
export interface Scope {
  readonly args: readonly Node[];
  readonly outer: Scope | null;
}

type Pack = Extract<Node, { kind: 'pack' }>;

/** The arguments of the template that a function's name ends in; null when it ends in none. */
export function templateArgs(name: Node): readonly Node[] | null {
  if (name.kind === 'local') return templateArgs(name.entity);
  if (name.kind === 'method') return templateArgs(name.name);
  return name.kind === 'template' ? name.args : null;
}

/** A function's name without the qualifiers of its `this`, and these. */
export function thisQualifiers(name: Node): readonly [Node, string] {
  if (name.kind === 'method') return [name.name, name.qualifiers];
  if (name.kind !== 'local' || name.entity.kind !== 'method') return [name, ''];
  return [{ ...name, entity: name.entity.name }, name.entity.qualifiers];
}

/**
 * The first pack that a parameter in the pattern of an expansion stands for. Parts that occur more than once are
 * looked into once.
 * @param step called for each node looked into
 */
export function packOf(pattern: Node, scope: Scope | null, step: () => void): Pack | null {
  const waiting = [pattern];
  const seen = new Set<Node>();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    step();
    const argument = node.kind === 'param' ? scope?.args[node.index] : undefined;
    if (argument?.kind === 'pack') return argument;
    waiting.push(...parts(node).reverse());
  }
  return null;
}

/** The nodes directly inside a node. Lambdas are closed: their parameters are their own. */
function parts(node: Node): Node[] {
  if (node.kind === 'lambda') return [];
  const found: Node[] = [];
  for (const value of Object.values(node) as unknown[]) {
    if (isNode(value)) found.push(value);
    else if (Array.isArray(value)) found.push(...value.filter(isNode));
  }
  return found;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'kind' in value;
