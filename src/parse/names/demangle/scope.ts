/** Template arguments in force, which template parameters refer to. */
import type { Node } from './mangled-node.js';

/** The arguments of a template, and those of the templates around it. */
export interface TemplateScope {
  readonly args: readonly Node[];
  readonly outer: TemplateScope | null;
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
 * The first parameter pack in the pattern of an expansion. Parts that occur more than once are visited once.
 * @param step called for each node visited
 */
export function packOf(pattern: Node, scope: TemplateScope | null, step: () => void): Pack | null {
  const waiting = [pattern];
  const visited = new Set<Node>();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (visited.has(node)) continue;
    visited.add(node);
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
