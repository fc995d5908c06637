/** What the JSON members of a NEFF say of tensors and queues. */
import type { TensorRecord } from '../../../../record/record.js';
import { entriesOf, fieldOf, listOf, shapeOf, sizeOf, textOf } from './json-value.js';

export type Role = TensorRecord['role'];

/** A variable of a subgraph that comes from outside the program, or goes out of it. */
export interface Variable {
  readonly name: string;
  readonly role: Role;
  readonly bytes: number | null;
  /** Name of the file with its contents, which tells constants in the tensor map. */
  readonly file: string | null;
}

export interface Queue {
  /** 'dynamic', 'in', 'out' … */
  readonly type: string | null;
  /** Engine that owns it: 'sp', 'act', 'pool' … */
  readonly owner: string | null;
  /** Semaphores that it counts with. */
  readonly semaphores: readonly number[];
}

/** A subgraph's `def.json`. */
export interface Definition {
  readonly variables: readonly Variable[];
  readonly queues: ReadonlyMap<string, Queue>;
}

/** Element type and extents of a tensor. */
export interface TensorType {
  readonly dtype: string | null;
  readonly shape: readonly number[] | null;
}

export interface MappedTensor extends TensorType {
  readonly name: string;
  readonly role: Role;
  readonly file: string | null;
}

/** Kinds of variables by their `type`; the others live inside the program: scratch memory, tables. */
const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['input', 'input'],
  ['output', 'output'],
  ['file', 'weight'],
]);

export function readDefinition(json: unknown): Definition {
  const variables = entriesOf(fieldOf(json, 'var')).flatMap(([name, variable]): Variable[] => {
    const role = ROLES.get(fieldOf(variable, 'type'));
    if (role === undefined) return [];
    return [{ name, role, bytes: sizeOf(fieldOf(variable, 'size')), file: textOf(fieldOf(variable, 'file_name')) }];
  });
  const queues = entriesOf(fieldOf(json, 'dma_queue')).map(([name, queue]): [string, Queue] => [
    name,
    {
      type: textOf(fieldOf(queue, 'type')),
      owner: textOf(fieldOf(queue, 'owner')),
      semaphores: listOf(fieldOf(queue, 'semaphore_set'))
        .map(sizeOf)
        .filter((semaphore) => semaphore !== null),
    },
  ]);
  return { variables, queues: new Map(queues) };
}

/** A subgraph's `tensor_map.json`. It also names scratch memory, which is of no kind and no constant. */
export function readTensorMap(json: unknown): MappedTensor[] {
  return entriesOf(json).map(([name, tensor]) => ({
    name,
    role: ROLES.get(fieldOf(tensor, 'kind')) ?? (fieldOf(tensor, 'is_const') === true ? 'weight' : null),
    dtype: textOf(fieldOf(tensor, 'dtype')),
    shape: shapeOf(fieldOf(tensor, 'sim_shape')) ?? shapeOf(fieldOf(tensor, 'tf_shape')),
    file: textOf(fieldOf(tensor, 'tf_file')),
  }));
}

/**
 * Inputs and outputs of `neff.json`, a graph in the form that TVM gives out: the outputs of all nodes in one row, from
 * which `attrs` tells extents and types. It stands in for tensor maps, which optimised programs leave out.
 */
export function readNodes(json: unknown): Map<string, TensorType> {
  const attributes = fieldOf(json, 'attrs');
  const shapes = listOf(listOf(fieldOf(attributes, 'shape'))[1]);
  const types = listOf(listOf(fieldOf(attributes, 'dltype'))[1]);
  const names = listOf(fieldOf(json, 'nodes')).flatMap((node) => listOf(fieldOf(node, 'output_names')));
  return new Map(
    names.flatMap((name, i): [string, TensorType][] =>
      typeof name === 'string' ? [[name, { dtype: textOf(types[i]), shape: shapeOf(shapes[i]) }]] : [],
    ),
  );
}
