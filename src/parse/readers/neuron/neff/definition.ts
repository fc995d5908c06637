/** Tensors and queues in the JSON members of a NEFF. */
import type { TensorRole } from '../../../../record/record.js';
import { entriesOf, fieldOf, listOf, shapeOf, sizeOf, textOf } from '../../../json/json-value.js';

/** A variable of a subgraph that is an input, an output or a weight of the program. */
export interface NeffVariable {
  readonly name: string;
  readonly role: TensorRole | null;
  readonly bytes: number | null;
  /** Name of the file with its contents, by which the tensor map names constants. */
  readonly file: string | null;
}

export interface NeffQueue {
  /** 'dynamic', 'in', 'out' … */
  readonly type: string | null;
  /** Engine that starts its transfers: 'sp', 'act', 'pool' … */
  readonly owner: string | null;
  readonly semaphores: readonly number[];
}

/** A subgraph's `def.json`. */
export interface SubgraphDefinition {
  readonly variables: readonly NeffVariable[];
  readonly queues: ReadonlyMap<string, NeffQueue>;
}

/** Element type and extents of a tensor. */
export interface TensorType {
  readonly dtype: string | null;
  readonly shape: readonly number[] | null;
}

export interface MappedTensor extends TensorType {
  readonly name: string;
  readonly role: TensorRole | null;
  readonly file: string | null;
}

/** Roles by a variable's `type`; all other types are internal to the program: scratch memory, tables. */
const ROLES: ReadonlyMap<unknown, TensorRole> = new Map([
  ['input', 'input'],
  ['output', 'output'],
  ['file', 'weight'],
]);

export function readDefinition(json: unknown): SubgraphDefinition {
  const variables = entriesOf(fieldOf(json, 'var')).flatMap(([name, variable]): NeffVariable[] => {
    const role = ROLES.get(fieldOf(variable, 'type'));
    if (role === undefined) return [];
    return [{ name, role, bytes: sizeOf(fieldOf(variable, 'size')), file: textOf(fieldOf(variable, 'file_name')) }];
  });
  const queues = entriesOf(fieldOf(json, 'dma_queue')).map(([name, queue]): [string, NeffQueue] => [
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

/** A subgraph's `tensor_map.json`. It also lists scratch memory, which gets no role. */
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
 * Tensors of `neff.json`, a graph in TVM's JSON form: `attrs` has shapes and types of the outputs of all nodes in one
 * list. It replaces tensor maps, which optimised programs omit.
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
